/* null-space-whole.h: lane code: Newton's equations of null-space.c by the whole matrix of the p_h, for lanes that
 * are stepped again and for banded systems with a force inside the drift. Part of null-space.c, which defines the
 * fields. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* J[NQ * NQ] := Newton's matrix of the p_h. */
static void matrix(const cst_context *C, const struct local *L, int j, vd *J) {
  vd B[ROOM(B_SIZE)];
  USES_G
  fill_basis(C, L->A, L->b, J);
  if (FORMS_B)
    form_b(C, L, j, PRODUCT(j), B);
  for (int k = 0; k < NQ - NR && FORMS_B; k++) {
    vd row[ROOM(NQ)];
    for (int c = 0; c < NQ; c++) {
      row[c] = vset(0);
      for (int i = 0; i < NQ; i++)
        row[c] += J[k * NQ + i] * B[i * NQ + c];
    }
    for (int c = 0; c < NQ; c++)
      J[k * NQ + c] = row[c];
  }
  for (int a = 0, row = NQ - NR; a < NG; a++) {
    if (DROPPED(a))
      continue;
    for (int i = 0; i < NQ; i++)
      J[row * NQ + i] = vset(0);
    ROW_G(a, i, e)
      J[row * NQ + i] = L->G1[e] * HM(i);
    row++;
  }
}

/* The test of near-root.h: the matrix of the impulses is that of the form with multipliers. */
static vl is_near_root_of_whole(const cst_context *C, const struct local *L, int j) {
  vd B[ROOM(NQ * NQ)];
  vd S[ROOM(NG * NG)];
  for (int k = 0; k < NQ * NQ && !FORMS_B; k++)
    B[k] = vset(k % (NQ + 1) == 0);
  if (FORMS_B)
    form_b(C, L, j, PRODUCT(j), B);
  cst_lu(B, NQ);
  complement(C, L, j, B, L->G1, S);
  return cst_lu_is_positive(B, NQ) & is_near_root(C, L, j, B, S);
}

#if !CST_SIZED
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  for (int a = 0; a < NG; a++)
    x[NQ + a] = vset(0);
  begin(C, L, j, x);
}

static void multiply(const cst_context *C, const struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  vd J[ROOM(NQ * NQ)];
  (void)x;
  matrix(C, L, j, J);
  cst_determinant_of(J, NQ, lane, D);
  for (int a = 0; a < NR; a++)
    cst_determinant_times(D, 1 / H(j)[lane]);
}
#endif

/* d[NQ]: the correction of p_h by the whole matrix. */
static void solve_whole(const cst_context *C, struct local *L, int j, const vd *f, vd *d) {
  vd J[ROOM(NQ * NQ)];
  vd diagonal[ROOM(NQ)];
  vd b[ROOM(NQ)];
  L->sure = is_near_root_of_whole(C, L, j);
  matrix(C, L, j, J);
  cst_householder(J, diagonal, b, NQ, NQ);
  for (int k = NR; k < NQ; k++)
    d[k - NR] = -f[k];
  for (int a = 0, row = NQ - NR; a < NG; a++)
    if (!DROPPED(a))
      d[row++] = -f[NQ + a];
  cst_householder_forth(J, b, NQ, NQ, d);
  cst_householder_solve(J, diagonal, NQ, d);
}
