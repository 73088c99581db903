/* march-pieces.h: a substep of the march in pieces, for PETSc's SNES types. Part of march.h.
 *
 * Each call loads the record again, so that nothing but the record and the scratch is kept between them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* PETSc's arrays are not aligned for wide vectors. */
typedef double vdu __attribute__((vector_size(8 * CST_W), aligned(8), may_alias));

CST_INLINE void fetch(vd *to, const double *from, int n) {
  UNROLL
  for (int i = 0; i < n; i++)
    to[i] = (vd)((const vdu *)from)[i];
}

CST_INLINE void put(double *to, const vd *from, int n) {
  UNROLL
  for (int i = 0; i < n; i++)
    ((vdu *)to)[i] = (vdu)from[i];
}

/* The start of substep j's unknowns, and what the record has of the steps before from then on. */
CST_INLINE void start(const cst_context *C, const double *record, int j, vd *x, vd *past) {
  cst_load(x, record, MARCH->warm + j * KEPT, KEPT);
  if (!PREDICTS)
    return;
  cst_load(past, record, PAST_AT(j), PAST_SIZE);
  extrapolate(C, STEPS(C, record), 1, x, past);
}

/* What every piece begins with: the record again, and the explicit part of substep j with the start of its unknowns
 * in x. General code has it once. */
#if CST_SIZED
CST_INLINE
#else
OUT_OF_LINE
#endif
void piece_open(const cst_context *C, struct local *L, const double *record, int j, vd *x,
                vd *past) {
  arrange(C, L);
  load_apart(C, L, record);
  SET_STEP(L, record, 0);
  start(C, record, j, x, past);
  begin_apart(C, L, j, x);
}

static int piece_begin(const cst_march *m, const double *record, int j, double *x, cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(past, (ROWS + 3) * NX, PAST_SIZE);
  piece_open(C, &L, record, j, y, past);
  put(x, y, NX);
  *(course *)s->course = outset();
  if (FREELY && PREDICTS)
    ((course *)s->course)->known = DUE(past);
  *(vl *)s->done = vmask(0);
  *(vl *)s->sure = vmask(1);
  return NX;
}

static int piece_residual(const cst_march *m, const double *record, int j, const double *x,
                          double *f, cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(past, (ROWS + 3) * NX, PAST_SIZE);
  piece_open(C, &L, record, j, y, past);
  fetch(y, x, NX);
  vl     *done = (vl *)s->done;
  course *c = (course *)s->course;
  SET_NEAR(&L, c);
  SET_STEADY(&L, ~beginners(STEPS(C, record)));
  const vl met = evaluate_apart(C, &L, j, y, r);
  *done |= ends(C, c, met, NEAR(&L), (vl)(DUE(past) > 0), c->corrections);
  put(f, r, NX);
  if (SEEKS && c->corrections == 0) {
    SPACE(e, 2 * NX, NX);
    SET_STRICT(&L, 0);
    direction_apart(C, &L, j, y, r, e);
    *(vl *)s->sure = SURE(&L);
  }
  return lanes_of(~*done);
}

static void piece_direction(const cst_march *m, double *record, int j, const double *x,
                            const double *f, double *d, cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(e, 2 * NX, NX);
  SPACE(past, (ROWS + 3) * NX, PAST_SIZE);
  piece_open(C, &L, record, j, y, past);
  fetch(y, x, NX);
  SET_STEADY(&L, ~beginners(STEPS(C, record)));
  evaluate_apart(C, &L, j, y, r);
  fetch(r, f, NX);
  const course *c = (const course *)s->course;
  SLOW(C, &L, c->rate);
  SET_STRICT(&L, c->corrections > 0);
  *(vd *)s->size = SIZE(&L);
  direction_apart(C, &L, j, y, r, e);
  vl active = ~*(vl *)s->done;
  if (SEEKS)
    *(vl *)s->sure = (SURE(&L) & active) | (*(vl *)s->sure & ~active);
  if (PREDICTS && !FREELY) { /* the next piece takes one off again */
    const vl plain = (vl)(DUE(past) > 0);
    const vl young = beginners(STEPS(C, record));
    if (!(FORGIVES))
      note(C, active, young, plain, c->corrections, &DUE(past));
    DUE((vd *)record + PAST_AT(j)) = DUE(past) + 1;
  }
  UNROLL
  for (int i = 0; i < NX; i++)
    e[i] = vkeep(active, e[i]);
  put(d, e, NX);
  vd *iterations = (vd *)(record + (size_t)LAYOUT(C).iterations * CST_W);
  *iterations -= __builtin_convertvector(active, vd);
}

static void piece_correct(const cst_march *m, const double *record, int j, double *x,
                          const double *d, cst_scratch *s) {
  const cst_context *C = &m->group;
  SPACE(y, 0, NX);
  SPACE(e, NX, NX);
  vl      *done = (vl *)s->done;
  const vl active = ~*done;
  course  *c = (course *)s->course;
  (void)record, (void)j;
  fetch(y, x, NX);
  fetch(e, d, NX);
  *done |= correct(C, active, e, y, *(const vd *)s->size, c);
  if (FREELY && PREDICTS) {
    vd *const due = &DUE((vd *)record + PAST_AT(j));
    *due = vmax(c->rate, *due);
  }
  put(x, y, NX);
}

static cst_outcome piece_finish(const cst_march *m, double *record, int j, const double *x) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(past, (ROWS + 3) * NX, PAST_SIZE);
  piece_open(C, &L, record, j, y, past);
  if (NX > 0) {
    fetch(y, x, NX);
    evaluate_apart(C, &L, j, y, r);
  }
  finish_apart(C, &L, j, y);
  if (FREELY && PREDICTS)
    advance(C, STEPS(C, record), 1, PREDICTION(&L), y, past);
  make_noise(C, &L, record, 0, j);
  const vl without = BEGINS_WITHOUT(&L), bad = broken(C, &L);
  if (vany(without))
    return (cst_outcome){0, lanes_of(without), CST_NOT_CONVERGED};
  if (vany(bad))
    return (cst_outcome){0, lanes_of(bad), CST_NOT_FINITE};
  store(C, &L, record);
  if (MARCH->closes && j == MARCH->nsub - 1)
    count_steps(C, record, 1);
  if (KEPT > 0)
    memcpy(record + (size_t)(MARCH->warm + j * KEPT) * CST_W, x, sizeof(vd) * KEPT);
  if (PREDICTS)
    cst_store(record, PAST_AT(j), past, PAST_SIZE);
  return (cst_outcome){1, 0, CST_DONE};
}

#if !CST_SIZED
/* What a test of rest begins with. */
static void test_open(const cst_context *C, struct local *L, const double *record, int j,
                      const double *x, vd *y) {
  SPACE(past, (ROWS + 3) * NX, PAST_SIZE);
  piece_open(C, L, record, j, y, past);
  fetch(y, x, NX);
  SET_STEADY(L, ~beginners(STEPS(C, record)));
}

static int piece_rests(const cst_march *m, const double *record, int j, double *x) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(e, 2 * NX, NX);
  vd *one = y;
  test_open(C, &L, record, j, x, y);
  const vl left = leave_at_round_off(C, &L, j, vmask(1), &one, r, e);
  put(x, y, NX);
  return lanes_of(~left);
}

static void piece_noise(const cst_march *m, const double *record, int j, const double *x,
                        double *noise) {
  const cst_context       *C = &m->group;
  const cst_rest_equations of = {NX, FIELDS, residual_of_substep, direction_apart, NULL};
  struct local             L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(space, SPARE_AT, REST_SPACE * NX);
  test_open(C, &L, record, j, x, y);
  evaluate_apart(C, &L, j, y, r);
  ROUND_OFF.noise(C, &L, j, &of, y, r, 2, 1, space, space + NX);
  put(noise, space + NX, NX);
}
#endif
