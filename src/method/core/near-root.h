/* near-root.h: which solution of a step's equations is the step: lane code of cores that SEEK_NEAR_ROOT. Part
 * of march.h.
 * The equations of a step may have several solutions: a line meets a circle twice. The step is the near root:
 * the solution on the branch that leaves q1 = q0 at the step 0 and is continued in the step, up to the first
 * singular matrix of Newton's method. It does not depend on where an iteration starts.
 * Accepted at once is a root whose impulses have a matrix S, that of their equations after the elimination of
 * all other unknowns, with positive pivots, while the matrices eliminated before have positive pivots too. (S
 * = h G1 M^-1 G0'; with a mass or a force at other points than q0, h G1 M^-1 B^-1 G0', where B -> 1 for h ->
 * 0. Signs are those for h -> 0.) The matrix is the one that was factored last; an iteration that begins at
 * the root forms it for this. Where more than one correction was necessary, the start tells nothing, and
 *   - the symmetric part of S must be positive definite, if S is no band. If g is quadratic, there is no second
 *     such root: g(L) - g(L') = -(1/2) h (G1(L) + G1(L')) M^-1 G0' (L - L'). Where bodies are much lighter than
 *     others it is not, at steps that are small for every motion; S may then also have changed so little since
 *     the start of the step that nothing between is singular (cst_dense_is_close).
 *   - no coordinate of a constraint of higher degree may move by more than half the length L_j over which it
 *     bends, and none on which the mass depends by more than half the system's.
 * Lanes with other roots fail and are stepped again by the generic core (stepper-group.c), first from the
 * unknowns of the last step, and then by continuation: seek below.
 * A core that SEEKS_NEAR_ROOT has `vl sure` and `int strict` in its struct local; direction sets sure by
 * these tests, those of more than one correction if strict. It defines
 *   restart(C, L, j, x)                  the fields that depend on the step's length; x := unknowns that do not
 *                                        depend on earlier steps
 *   multiply(C, L, j, x, lane, D)        D := D times the determinant of Newton's matrix at the x of the last
 *                                        evaluation in this lane, up to a factor that the step does not change
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(SEEKS_NEAR_ROOT) && !CST_SIZED

/* Where the continuation is in the step, from 0 to 1; the determinant there. */
typedef struct {
  double          at;
  cst_determinant matrix;
} cst_place;

enum { MOST_CORRECTIONS = 12 };
static const double first_part = 0.125, least_part = 0x1p-34;

/* The size of the lane's unknowns x. */
static double size_of(const cst_context *C, const vd *x, int lane) {
  double most = 0;
  for (int i = 0; i < NX; i++)
    if (!(fabs(x[i][lane]) <= most))
      most = fabs(x[i][lane]); /* keeps a NaN */
  return most;
}

/* Newton's method from x with the step of C. False unless every correction is at most half the one before and
 * the first one at most `most`. Leaves the fields of L at x. */
static bool contracts(const cst_context *C, struct local *L, int j, int lane, double most, vd *x,
                      vd *f, vd *d) {
  double last = 2 * most;
  for (int it = 0; it < MOST_CORRECTIONS; it++) {
    const vl met = evaluate(C, L, j, x, f);
    if (met[lane] && it > 0)
      return true;
    direction(C, L, j, x, f, d);
    L->iterations[lane] += 1;
    const double size = size_of(C, d, lane);
    const double of = size_of(C, x, lane);
    const bool   is_small = size <= 1e-10 * of;
    if (!(size <= 0.5 * last || is_small))
      return false;
    for (int i = 0; i < NX; i++)
      x[i] += d[i];
    if (is_small && it > 0) {
      evaluate(C, L, j, x, f);
      return true;
    }
    last = size;
  }
  return false;
}

/* The substep has `part` of the length h. */
static void shorten(cst_lane_substep *sub, double part, vd h) { *(vd *)sub->h = part * h; }

/* Continues a lane's root from the step 0 to that of C, in parts that are halved where an iteration does not
 * contract or the determinant changes more than twofold, and doubled behind a success. was: the root. Returns
 * CST_STEP_TOO_LARGE where the determinant vanishes, or the least part is too large. */
static cst_reason seek_lane(const cst_context *C, struct local *L, int j, int lane, vd *x, vd *was,
                            vd *before, vd *f, vd *d) {
  cst_march        part = *MARCH;
  cst_lane_substep sub = MARCH->sub[j];
  cst_place        here = {least_part, {1, 0}}, last = {0, {1, 0}};
  double           by = first_part, scale = 0;
  bool             far = false;
  part.sub = &sub; /* substep 0 of this march */
  part.opens = 0;
  shorten(&sub, here.at, H(j));
  restart(&part.group, L, 0, was);
  evaluate(&part.group, L, 0, was, f);
  for (int i = 0; i < NQ; i++)
    far |= !(fabs(L->q1[i][lane] - L->q[i][lane]) <= 1e-6 * (1 + fabs(L->q[i][lane])));
  multiply(&part.group, L, 0, was, lane, &here.matrix);
  const cst_determinant first = here.matrix;
  while (here.at < 1) {
    cst_place to = {fmin(1, here.at + by), {1, 0}};
    shorten(&sub, to.at, H(j));
    restart(&part.group, L, 0, x);
    double most = INFINITY;
    if (last.at > 0) {
      const double forth = (to.at - here.at) / (here.at - last.at);
      for (int i = 0; i < NX; i++) {
        f[i] = forth * (was[i] - before[i]);
        x[i] = was[i] + f[i];
      }
      most = 0.5 * size_of(C, f, lane) + 0.05 * scale;
    }
    bool good = contracts(&part.group, L, 0, lane, most, x, f, d);
    if (good)
      multiply(&part.group, L, 0, x, lane, &to.matrix);
    good = good && cst_determinant_is_near(&to.matrix, &here.matrix, last.at > 0 ? 2 : 1.25);
    if (good) {
      scale = fmax(scale, size_of(C, x, lane));
      for (int i = 0; i < NX; i++) {
        before[i] = was[i];
        was[i] = x[i];
      }
      last = here;
      here = to;
      by *= 2;
    } else {
      by /= 2;
      if (by < least_part)
        return far || !cst_determinant_is_near(&here.matrix, &first, 64) ? CST_STEP_TOO_LARGE
                                                                         : CST_NOT_CONVERGED;
    }
  }
  return CST_DONE;
}

/* The earlier lane that this one is a copy of, as those of a record that is padded are, or itself. */
static int original(const cst_context *C, const struct local *L, int j, int lane) {
  for (int l = 0; l < lane && NG > 0; l++) {
    bool same = H(j)[l] == H(j)[lane] && ORIGIN[l] == ORIGIN[lane] && SINCE[l] == SINCE[lane];
    for (int i = 0; i < NQ && same; i++)
      same = L->q[i][l] == L->q[i][lane];
    for (int i = 0; i < NP && same; i++)
      same = L->p[i][l] == L->p[i][lane];
    for (int i = 0; i < NPAR && same; i++)
      same = L->c[i][l] == L->c[i][lane];
    for (int a = 0; a < NG && same; a++)
      same = L->slack[a][l] == L->slack[a][lane];
    if (same)
      return l;
  }
  return lane;
}

/* x := the near roots of substep j. *ended: lanes whose branch has ended before. Returns these and those that
 * could not be continued. Each lane is continued by decisions of its own, so that its bits are its own; the
 * others only take part in the arithmetic. */
static __attribute__((noinline, cold)) vl seek(const cst_context *C, struct local *L, int j, vd *x,
                                               vl *ended) {
  SPACE(y, SPARE_AT, 5 * NX);
  vd *const was = y + NX, *const before = was + NX, *const f = before + NX, *const d = f + NX;
  vl       lost = vmask(0);
  const vd so_far = L->iterations;
  SET_NEAR(L, &(course){.was_near = vmask(0)});
  *ended = vmask(0);
  for (int l = 0; l < CST_W; l++) {
    const int as = original(C, L, j, l);
    if (as == l) {
      const cst_reason how = seek_lane(C, L, j, l, y, was, before, f, d);
      lost[l] = -(long)(how != CST_DONE);
      (*ended)[l] = -(long)(how == CST_STEP_TOO_LARGE);
      for (int i = 0; i < NX; i++)
        x[i][l] = was[i][l];
    } else {
      L->iterations[l] += L->iterations[as] - so_far[as];
      lost[l] = lost[as];
      (*ended)[l] = (*ended)[as];
      for (int i = 0; i < NX; i++)
        x[i][l] = x[i][as];
    }
  }
  restart(C, L, j, y);
  return lost;
}
#else
CST_INLINE vl seek(const cst_context *C, struct local *L, int j, vd *x, vl *ended) {
  (void)C, (void)L, (void)j, (void)x, (void)ended;
  return vmask(0);
}
#endif
