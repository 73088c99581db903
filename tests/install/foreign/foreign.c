/* foreign.c: a program of someone else, built from what is installed alone: systems, methods, fits and
 * results through the public headers.
 *
 *   foreign BEAD.yaml RESULT.h5     the result of an order study with the method rattle
 *
 * Every number is checked against one that is known otherwise. Prints what is wrong; exit status 1 when
 * something is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <constella/constella.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void check(bool ok, const char *what) {
  if (!ok)
    printf("wrong: %s\n", what), wrong = 1;
}

static void near(double got, double wanted, double within, const char *what) {
  if (!(fabs(got - wanted) <= within))
    printf("wrong: %s: %.17g, not %.17g\n", what, got, wanted), wrong = 1;
}

/* Parameters of a system, all at their defaults, and its state `state`. */
static void start(const cst_system *s, int state, double *c, double *q, double *v) {
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, state, c, q, v);
}

/* The conical motion of the spherical pendulum has the multiplier m g / (sqrt(2) L). */
static void of_the_catalogue(void) {
  cst_system *s = cst_catalogue_create("spherical-pendulum");
  double      c[CST_MAX_PAR], q[3], v[3], g[1], lambda[1];
  check(s && s->nq == 3 && s->ng == 1 && s->nstate == 2,
        "spherical-pendulum has three coordinates, a constraint and two states");
  if (!s)
    return;
  start(s, 1, c, q, v);
  cst_system_eval(s, CST_K_g, c, q, NULL, NULL, NULL, NULL, g);
  near(g[0], 0, 1e-15, "g of the conical state");
  cst_system_multipliers(s, c, q, v, lambda);
  near(lambda[0], sqrt(0.5), 1e-14, "the multiplier of the conical state");
  cst_system_destroy(s);
  check(!cst_catalogue_create("no-such-system"), "no system of another name");
}

/* A system of one's own, at a point off the surface: g, and its derivative as it is on paper. */
static void from_a_text(const char *file) {
  cst_diag    *d = cst_diag_create();
  char        *text = NULL;
  size_t       length = 0;
  cst_system  *s = cst_document_read_file(file, &text, &length, d)
                       ? cst_system_read(file, text, length, NULL, 0, d)
                       : NULL;
  const double q[3] = {0.3, -0.7, 1.1}, derivative[3] = {2 * 0.3, -2 * 0.7, 2 * 1.1 / 4};
  double       c[CST_MAX_PAR], g[1], G[3];
  cst_diag_print(d, stdout);
  check(s, "the bead's text is read");
  if (s) {
    cst_system_defaults(s, NULL, c);
    cst_system_eval(s, CST_K_g, c, q, NULL, NULL, NULL, NULL, g);
    near(g[0], 0.3 * 0.3 + 0.7 * 0.7 + 1.1 * 1.1 / 4 - 1, 1e-15, "g of the bead");
    cst_system_matrix(s, CST_K_G, c, q, NULL, G);
    for (int i = 0; i < 3; i++)
      near(G[i], derivative[i], 1e-15, "Dg of the bead");
  }
  cst_system_destroy(s);
  cst_diag_destroy(d);
  free(text);
}

static void methods(void) {
  cst_expr_error error;
  cst_system    *s = cst_catalogue_create("double-pendulum");
  cst_method    *m = cst_method_parse("compose(rattle,yoshida4)", NULL, &error);
  check(m && !strcmp(cst_method_label(m), "compose(rattle, yoshida4)"),
        "the label of a composition");
  if (m && s) {
    cst_properties p = cst_method_properties(m, s);
    check(p.order_q == 4 && p.order_p == 4, "the order of a composition");
    check(p.claims & CST_CLAIM_SYMPLECTIC && p.claims & CST_CLAIM_SYMMETRIC &&
              !(p.claims & CST_CLAIM_ENERGY),
          "the claims of a composition");
  }
  check(!cst_method_parse("compose(ratle, yoshida4)", NULL, &error) && error.offset == 8 &&
            strstr(error.message, "'rattle'"),
        "a misspelt method is told with the nearest name");
  cst_method_destroy(m);
  cst_system_destroy(s);
}

/* Errors 3 h^4 down to a plateau of round-off. */
static void order_of_made_errors(void) {
  enum { N = 10 };
  double h[N], e[N], floor[N];
  for (int i = 0; i < N; i++)
    h[i] = 0.1 * pow(0.5, i), e[i] = 3 * pow(h[i], 4) + 1e-13, floor[i] = 1e-13;
  cst_order_fit fit = cst_order_estimate(h, e, floor, N);
  near(fit.order, 4, 0.02, "the order of made errors");
  check(fit.flag == CST_FLAG_OK && fit.low <= fit.order && fit.order <= fit.high &&
            fit.last < N - 1,
        "its flag, interval and window");
}

/* The order of rattle again, from the errors in a result; the file holds the one that the program found. */
static void result(const char *path) {
  char        why[512] = "";
  int         ndim, n = 0;
  long        extent[CST_FIELD_DIMS], rows = 0;
  cst_result *r = cst_result_open(path, why, sizeof why);
  if (!r)
    printf("%s: %s\n", path, why);
  check(r, "the result opens");
  if (!r)
    return;
  check(!strcmp(cst_result_state(r), "complete"), "its state");
  char *kind = cst_result_text(r, "/", "study_kind");
  check(kind && !strcmp(kind, "order"), "its kind");
  double *h = cst_result_read(r, "/cases/h", &ndim, extent),
         *e = cst_result_read(r, "/error/q", &ndim, extent);
  double *order = cst_result_read(r, "/statistics/order_q", &ndim, extent), found = NAN;
  char(*method)[CST_TEXT_WIDTH + 1] = cst_result_read_text(r, "/statistics/method", &rows);
  check(h && e && order && method, "its datasets");
  double steps[64], errors[64], floor[64];
  for (long i = 0; h && e && order && method && i < rows && n < 64; i++)
    if (!strcmp(method[i], "rattle"))
      steps[n] = h[i], errors[n] = e[i], floor[n++] = 1e-15, found = order[i];
  near(n >= 3 ? cst_order_estimate(steps, errors, floor, n).order : NAN, 2, 0.1,
       "the order of rattle from its errors");
  near(found, 2, 0.1, "the order of rattle in the file");
  free(kind), free(h), free(e), free(order), free(method);
  cst_result_close(r);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fprintf(stderr, "usage: foreign BEAD.yaml RESULT.h5\n"), 2;
  of_the_catalogue();
  from_a_text(argv[1]);
  methods();
  order_of_made_errors();
  result(argv[2]);
  if (!wrong)
    printf("%s: all as it should be\n", CST_RELEASE);
  return wrong;
}
