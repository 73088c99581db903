/* hand-net.c: a hand-written loop of RATTLE on the net of jobs/benchmarks/net.system.yaml, with CHOLMOD: the limit for
 * steps with sparse matrices. `make bench-net` sets the program beside it.
 *
 *   hand-net ROWS COLUMNS STEP STEPS
 *
 * One factorisation a step, of S = G M^-1 G' at its end, which projects p and whose factors are those of the chord
 * iteration of the next step. Prints seconds a step, corrections a step, and the last position and momentum of every
 * bead, as numbers of the file hand-net.bin.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

static const double gravity = 1;

/* Thread a joins beads from and to, or a fixed point and bead `to`, where from is -1. */
typedef struct {
  int    from, to;
  double anchor[3];
} thread;

typedef struct {
  int             n, ng;     /* beads, threads */
  double         *q, *p, *g; /* [3 n], [3 n], [ng] */
  double         *d, *d0;    /* [3 ng] vectors along the threads, now and at the start of a step */
  double         *l;         /* [ng] impulses */
  thread         *t;
  cholmod_common  c;
  cholmod_sparse *S;
  cholmod_factor *factor;
  cholmod_dense  *b, *x, *y, *e; /* right hand side, solution, work space */
} net;

static void add_thread(net *x, int from, int to, const double anchor[3]) {
  thread *t = &x->t[x->ng++];
  t->from = from;
  t->to = to;
  if (anchor)
    memcpy(t->anchor, anchor, sizeof t->anchor);
}

static void build(net *x, int rows, int columns) {
  const double w = 1 / (2.0 * rows * columns);
  x->n = rows * columns;
  x->q = calloc(3 * (size_t)x->n, sizeof(double));
  x->p = calloc(3 * (size_t)x->n, sizeof(double));
  x->t = calloc(2 * (size_t)x->n, sizeof(thread));
  for (int i = 0; i < x->n; i++) {
    const int row = i / columns, column = i % columns + 1, odd = column % 2;
    double   *q = x->q + 3L * i, *p = x->p + 3L * i;
    q[0] = 0.6 * (column - 1);
    q[1] = 0.8 * odd;
    q[2] = -1.0 - row;
    p[0] = 0.8 * w * (1 + row) * (1 - odd);
    p[1] = 0.6 * w * (1 + row) * (column - 1);
  }
  for (int k = 0; k < columns; k++)
    add_thread(x, -1, k, (double[]){0.6 * k, 0.8 * ((k + 1) % 2), 0});
  for (int k = 0; k + columns < x->n; k++)
    add_thread(x, k, k + columns, NULL);
  for (int k = 0; k < x->n; k++)
    if ((k + 1) % columns)
      add_thread(x, k, k + 1, NULL);
  x->g = calloc((size_t)x->ng, sizeof(double));
  x->l = calloc((size_t)x->ng, sizeof(double));
  x->d = calloc(3 * (size_t)x->ng, sizeof(double));
  x->d0 = calloc(3 * (size_t)x->ng, sizeof(double));
}

/* d and g at q; returns whether every |g| is round-off. */
static int look(net *x, const double *q) {
  int met = 1;
  for (int a = 0; a < x->ng; a++) {
    const thread *t = &x->t[a];
    double        sum = 0, far = 1, row = 0;
    for (int k = 0; k < 3; k++) {
      const double to = q[3L * t->to + k], from = t->from < 0 ? t->anchor[k] : q[3L * t->from + k];
      x->d[3L * a + k] = to - from;
      sum += (to - from) * (to - from);
      row += (t->from < 0 ? 2 : 4) * fabs(to - from);
      far = fmax(far, fmax(fabs(to), fabs(from)));
    }
    x->g[a] = sum - 1;
    met &= fabs(x->g[a]) <= 2.3e-16 * row * far;
  }
  return met;
}

/* p -= G'l with the rows of G along d */
static void push(const net *x, const double *d, const double *l, double *p) {
  for (int a = 0; a < x->ng; a++)
    for (int k = 0; k < 3; k++) {
      const double s = 2 * d[3L * a + k] * l[a];
      p[3L * x->t[a].to + k] -= s;
      if (x->t[a].from >= 0)
        p[3L * x->t[a].from + k] += s;
    }
}

/* The sign with which a bead is part of a thread; 0: not. */
static int sign(const thread *t, int bead) { return t->to == bead ? 1 : t->from == bead ? -1 : 0; }

/* The pattern of the upper half of S, by columns. */
static void find_pattern(net *x) {
  int(*of)[5] =
      calloc((size_t)x->n, sizeof *of); /* threads of each bead: their number, then they */
  for (int a = 0; a < x->ng; a++) {
    of[x->t[a].to][++of[x->t[a].to][0]] = a;
    if (x->t[a].from >= 0)
      of[x->t[a].from][++of[x->t[a].from][0]] = a;
  }
  x->S = cholmod_allocate_sparse((size_t)x->ng, (size_t)x->ng, 7 * (size_t)x->ng, 1, 1, 1,
                                 CHOLMOD_REAL, &x->c);
  int *start = x->S->p, *row = x->S->i, n = 0;
  for (int b = 0; b < x->ng; b++) {
    const int first = start[b] = n;
    for (int end = 0; end < 2; end++) {
      const int bead = end ? x->t[b].from : x->t[b].to;
      for (int k = 1; bead >= 0 && k <= of[bead][0]; k++) {
        const int a = of[bead][k];
        int       at = n;
        if (a > b || (end && a == b))
          continue;
        for (; at > first && row[at - 1] > a; at--)
          row[at] = row[at - 1];
        row[at] = a;
        n++;
      }
    }
  }
  start[x->ng] = n;
  free(of);
}

/* S and its factors at d. */
static void factor(net *x) {
  const int *start = x->S->p, *row = x->S->i;
  double    *value = x->S->x;
  for (int b = 0; b < x->ng; b++)
    for (int e = start[b]; e < start[b + 1]; e++) {
      const thread *s = &x->t[row[e]], *t = &x->t[b];
      const double *u = x->d + 3L * row[e], *v = x->d + 3L * b;
      const int     shared = sign(s, t->to) + (t->from < 0 ? 0 : -sign(s, t->from));
      value[e] = 4 * shared * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
    }
  if (!x->factor)
    x->factor = cholmod_analyze(x->S, &x->c);
  cholmod_factorize(x->S, x->factor, &x->c);
}

/* b := S^-1 b */
static double *solve(net *x) {
  cholmod_solve2(CHOLMOD_A, x->factor, x->b, NULL, &x->x, NULL, &x->y, &x->e, &x->c);
  return x->x->x;
}

/* One step of length h; returns the corrections. */
static int step(net *x, double h, double *from, double *ph) {
  int corrections = 0;
  memcpy(x->d0, x->d, 3 * (size_t)x->ng * sizeof(double));
  memcpy(from, x->q, 3 * (size_t)x->n * sizeof(double));
  for (int i = 0; i < x->n; i++)
    x->p[3L * i + 2] -= h / 2 * gravity;
  for (;; corrections++) {
    memcpy(ph, x->p, 3 * (size_t)x->n * sizeof(double));
    push(x, x->d0, x->l, ph);
    for (int i = 0; i < 3 * x->n; i++)
      x->q[i] = from[i] + h * ph[i];
    if (look(x, x->q) || corrections == 30)
      break;
    double *b = x->b->x;
    for (int a = 0; a < x->ng; a++)
      b[a] = x->g[a] / h;
    const double *d = solve(x);
    double        most = 0, size = 0;
    for (int a = 0; a < x->ng; a++) {
      x->l[a] += d[a];
      most = fmax(most, fabs(d[a]));
      size = fmax(size, fabs(x->l[a]));
    }
    if (most <= 8 * 2.2e-16 * size && corrections)
      break;
  }
  memcpy(x->p, ph, 3 * (size_t)x->n * sizeof(double));
  for (int i = 0; i < x->n; i++)
    x->p[3L * i + 2] -= h / 2 * gravity;
  factor(x);
  double *b = x->b->x;
  for (int a = 0; a < x->ng; a++) {
    const thread *t = &x->t[a];
    b[a] = 0;
    for (int k = 0; k < 3; k++)
      b[a] += 2 * x->d[3L * a + k] *
              (x->p[3L * t->to + k] - (t->from < 0 ? 0 : x->p[3L * t->from + k]));
  }
  push(x, x->d, solve(x), x->p);
  return corrections;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  net x = {0};
  if (argc != 5)
    return 2;
  const double h = atof(argv[3]);
  const int    steps = atoi(argv[4]);
  build(&x, atoi(argv[1]), atoi(argv[2]));
  double *from = calloc(6 * (size_t)x.n, sizeof *from);
  cholmod_start(&x.c);
  x.b = cholmod_zeros((size_t)x.ng, 1, CHOLMOD_REAL, &x.c);
  find_pattern(&x);
  look(&x, x.q);
  factor(&x);
  int corrections = step(&x, h, from, from + 3L * x.n); /* symbolic work and memory are done */
  const double begun = seconds();
  for (int k = 1; k < steps; k++)
    corrections += step(&x, h, from, from + 3L * x.n);
  printf("%g seconds %g corrections %g entries\n", (seconds() - begun) / (steps - 1),
         (double)corrections / steps, x.c.lnz);
  FILE *f = fopen("hand-net.bin", "wb");
  if (!f || fwrite(x.q, sizeof(double), 3 * (size_t)x.n, f) < 3 * (size_t)x.n ||
      fwrite(x.p, sizeof(double), 3 * (size_t)x.n, f) < 3 * (size_t)x.n || fclose(f))
    return 1;
  return 0;
}
