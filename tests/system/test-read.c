/* test-read.c: the systems that descriptions give. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"

/* A product of n factors (x_i + k): its text needs few operations, its Hessian about n per coordinate and
 * factor, with 40 coordinates. */
static void test_too_many_operations(void) {
  char  *text = NULL;
  size_t length = 0;
  FILE  *f = open_memstream(&text, &length);
  fprintf(f, "system: large\ncoordinates: [x0");
  for (int i = 1; i < 40; i++)
    fprintf(f, ", x%d", i);
  fprintf(f, "]\nmass: [1");
  for (int i = 1; i < 40; i++)
    fprintf(f, ", 1");
  fprintf(f, "]\npotential: x0");
  for (int k = 1; k < 20000; k++)
    fprintf(f, "*(x%d + %d)", k % 40, k);
  fprintf(f, "\nstates:\n  default: {q: [0");
  for (int i = 1; i < 40; i++)
    fprintf(f, ", 0");
  fprintf(f, "], v: [0");
  for (int i = 1; i < 40; i++)
    fprintf(f, ", 0");
  fprintf(f, "]}\n");
  fclose(f);
  check(text, "f:1:9: error: the system is too large: its derivatives need more than 2000000 "
              "operations, or "
              "a matrix more than 4000000 entries\n");
}

/* True if the entries of a pattern are those that are 1 in dense[rows * columns], by rows and by columns. */
static bool is_pattern(const cst_pattern *p, const unsigned char *dense, int rows, int columns) {
  int  n = 0;
  bool good = p->rows == rows && p->columns == columns;
  for (int i = 0; good && i < rows; i++) {
    good &= p->start[i] == n;
    for (int j = 0; j < columns; j++)
      if (dense[i * columns + j]) {
        good &= n < p->n && p->column[n] == j;
        n++;
      }
  }
  for (int j = 0; good && j < columns; j++)
    for (int k = p->tstart[j]; k < p->tstart[j + 1]; k++)
      good &= p->column[p->tentry[k]] == j && dense[p->trow[k] * columns + j];
  return good && p->n == n && p->start[rows] == n && p->tstart[columns] == n;
}

static void test_good(void) {
  char       *text = text_with(-1, NULL);
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  OK(s && !strcmp(s->name, "bead") && !strcmp(s->doc, "A bead.") && !*s->source &&
         !strcmp(s->description->text, text),
     "a good description is read");
  OK(s->nq == 3 && s->ng == 1 && s->npar == 3 && s->nsym == 1 && s->nstate == 2 &&
         cst_has(s, CST_SEPARABLE) && s->model->nmass == 2 && !cst_has(s, CST_MASS_UNIT) &&
         !cst_has(s, CST_LINEAR_V),
     "its sizes");
  OK(s->model->mass_class[0] == 0 && s->model->mass_class[1] == 0 && s->model->mass_class[2] == 1,
     "equal masses are one class");
  OK(s->parameter[1].value == 1.5 && !strcmp(s->parameter[1].unit, "kg") &&
         !strcmp(s->parameter[1].doc, "its mass") && s->parameter[2].value == 3,
     "its parameters, one of them an expression of those before it");
  static const unsigned char hessian[9] = {1, 1, 0, 1, 0, 0, 0, 0, 0}, generator[3] = {1, 1, 0},
                             jacobian[3] = {1, 1, 1};
  OK(is_pattern(&s->model->pattern[CST_K_d2V], hessian, 3, 3) &&
         is_pattern(&s->model->pattern[CST_K_xi], generator, 1, 3) &&
         is_pattern(&s->model->pattern[CST_K_G], jacobian, 1, 3),
     "its patterns");
  OK(!strcmp(s->description->potential_text, "m*z + x^2*y") &&
         !strcmp(s->description->mass_text[2], "1") &&
         !strcmp(s->description->symmetry_text[0], "-y, x, 0") &&
         !strcmp(s->description->family[0].text, "x^2/a^2 + y^2 + z^2 - 1"),
     "its texts");
  OK(!s->code->exact && !cst_system_has_exact(s, 0) && cst_system_has_exact(s, 1),
     "its exact motion");
  double c[3] = {2, 1.5, 3}, q[3], p[3], lambda, out[9];
  cst_system_exact(s, 1, c, NULL, NULL, 0.25, q, p, &lambda);
  OK(q[0] == 0.25 && p[0] == 1.5 && lambda == 0.5, "q, p = M v and lambda of it");
  double at[3] = {1, 2, 3};
  cst_system_matrix(s, CST_K_d2V, c, at, NULL, out);
  OK(out[0] == 4 && out[1] == 2 && out[3] == 2 && out[2] == 0 && out[4] == 0 && out[8] == 0,
     "its Hessian, zeros filled in");
  OK(!s->code->kernel[0][CST_K_V], "it has no compiled kernels");
  cst_system_destroy(s);
  cst_diag_destroy(d);
  free(text);
}

int main(void) {
  test_too_many_operations();
  test_good();
  cst_system_destroy(NULL);
  return tap_done();
}
