/* find-molecules.c: finds out whether a system falls into like molecules, and emits what lane code over molecules
 * needs of one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/find-molecules.h"
#include <string.h>

static int *integers(long n) { return cst_zeros(n, sizeof(int)); }

void cst_molecules_destroy(cst_molecules *m) {
  free(m->q);
  free(m->qstep);
  free(m->g);
  free(m->gstep);
  free(m->order);
  free(m->class);
  free(m->value);
  free(m->at);
  free(m->slope);
  *m = (cst_molecules){.n = 0};
}

/* Nothing acts on them but pairs. */
static bool is_free(const cst_system *s) {
  const cst_node *dV = cst_system_beside(s, CST_K_dV);
  for (int i = 0; i < s->model->kernel_size[CST_K_dV]; i++)
    if (!cst_graph_is_zero(s->model->graph, dV[i]))
      return false;
  return s->model->kernel_size[CST_K_dV] == s->nq;
}

static bool may_have(const cst_system *s) {
  const bool free = !(s->model->traits & (CST_NONHOLONOMIC | CST_BODIES));
  return free && cst_has(s, CST_PAIRS | CST_SEPARABLE | CST_CONSTRAINED) && s->model->gram.banded &&
         is_free(s);
}

/* Coordinates and constraints that are joined, by the number of a molecule: in of[nq + ng]. Their number. */
static int number_all(const cst_system *s, int *of) {
  const int          nq = s->nq;
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  int                n = 0;
  int               *queue = integers(s->ng);
  for (int i = 0; i < nq + s->ng; i++)
    of[i] = -1;
  for (int i = 0; i < nq; i++) {
    if (of[i] >= 0)
      continue;
    int last = 0;
    of[i] = n++;
    for (int from = G->tstart[i]; from < G->tstart[i + 1]; from++) {
      const int a = G->trow[from];
      if (of[nq + a] >= 0)
        continue;
      of[nq + a] = of[i];
      queue[last++] = a;
    }
    for (int next = 0; next < last; next++)
      CST_EACH_ENTRY(G, queue[next], e) {
        const int k = G->column[e];
        of[k] = of[i];
        for (int t = G->tstart[k]; t < G->tstart[k + 1]; t++) {
          const int b = G->trow[t];
          if (of[nq + b] >= 0)
            continue;
          of[nq + b] = of[i];
          queue[last++] = b;
        }
      }
  }
  free(queue);
  return n;
}

/* Members of n molecules by equal steps: those of the first in list, the steps in step. false where they have
 * others. */
static bool lay_out(const int *of, int count, int n, int each, int *list, int *step) {
  int *seen = integers(n);
  int  good = count == n * each;
  for (int i = 0; i < count && good; i++) {
    const int m = of[i];
    const int k = m < 0 ? each : seen[m]++;
    if (k >= each)
      good = 0;
    else if (m == 0)
      list[k] = i;
    else if (m == 1)
      step[k] = i - list[k];
    else
      good = i == list[k] + m * step[k];
  }
  free(seen);
  return good;
}

static int count_of(const int *of, int count, int molecule) {
  int n = 0;
  for (int i = 0; i < count; i++)
    n += of[i] == molecule;
  return n;
}

/* The entries of G of the first one. */
static void find_entries(const cst_system *s, cst_molecules *m) {
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  for (int a = 0; a < m->ng; a++)
    for (int k = 0; k < m->nq; k++) {
      m->at[a * m->nq + k] = -1;
      CST_EACH_ENTRY(G, m->g[a], e)
        if (G->column[e] == m->q[k])
          m->at[a * m->nq + k] = m->entries++;
    }
}

/* Constraint a of molecule i and its row of G as expressions of x; row: by local entries. false where it
 * depends on anything else. */
static bool take(const cst_system *s, const cst_molecules *m, int i, int a, const cst_node *from,
                 cst_node *value, cst_node *row) {
  const int          nq = m->nq;
  cst_graph         *g = s->model->graph;
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  const int          at = m->g[a] + i * m->gstep[a];
  cst_node          *x = cst_zeros(nq, sizeof *x);
  cst_node           out[1 + 64];
  cst_node          *in = cst_zeros(nq, sizeof *in);
  int                n = 1, k = 0;
  const int          entries = G->start[at + 1] - G->start[at];
  bool               good = entries <= 64;
  for (k = 0; k < nq; k++) {
    x[k] = cst_graph_input(g, 'x', k);
    const int q = m->q[k] + i * m->qstep[k];
    in[k] = cst_graph_input(g, 'q', q);
  }
  out[0] = s->model->g[at];
  for (int e = G->start[at]; e < G->start[at + 1] && good; e++)
    out[n++] = from[e];
  if (good)
    cst_graph_substitute(g, out, n, in, x, nq, out);
  for (int j = 0; j < n && good; j++) {
    const bool constant = !cst_graph_depends(g, out[j], 'q');
    good = out[j] >= 0 && constant;
  }
  *value = out[0];
  for (n = 1, k = 0; k < nq && good; k++) {
    const int  entry = m->at[a * nq + k];
    const int  e = G->start[at] + n - 1;
    const int  q = m->q[k] + i * m->qstep[k];
    const bool here = e < G->start[at + 1] && G->column[e] == q;
    good = here == (entry >= 0);
    if (here && good)
      row[entry] = out[n++];
  }
  free(x);
  free(in);
  return good;
}

/* Whether molecule i is like the first. */
static bool is_like(const cst_system *s, const cst_molecules *m, int i, cst_node *value,
                    cst_node *slope) {
  const int ng = m->ng;
  for (int k = 0; k < m->nq; k++) {
    const int q = m->q[k] + i * m->qstep[k];
    if (s->model->mass_class[q] != m->class[k])
      return false;
  }
  for (int a = 0; a < ng; a++)
    if (!take(s, m, i, a, s->model->kernel_out[CST_K_G], &value[a], slope))
      return false;
  for (int r = 1; r < ng; r++) {
    const int a = m->order[r - 1];
    const int b = m->order[r];
    const int one = m->g[a] + i * m->gstep[a];
    const int other = m->g[b] + i * m->gstep[b];
    const int before = s->model->gram.place[one];
    const int after = s->model->gram.place[other];
    if (before >= after)
      return false;
  }
  const size_t bytes = sizeof *value * (size_t)ng;
  const bool   same_values = !memcmp(value, m->value, bytes);
  if (!same_values)
    return false;
  return !memcmp(slope, m->slope, sizeof *slope * (size_t)m->entries);
}

static void find_order(const cst_system *s, cst_molecules *m) {
  const int *place = s->model->gram.place;
  for (int a = 0; a < m->ng; a++) {
    int r = 0;
    for (int b = 0; b < m->ng; b++)
      r += place[m->g[b]] < place[m->g[a]];
    m->order[r] = a;
  }
}

static bool are_alike(const cst_system *s, cst_molecules *m) {
  cst_node *value = integers(m->ng);
  cst_node *slope = integers((long)m->ng * m->nq);
  bool      good = true;
  m->order = integers(m->ng);
  m->class = integers(m->nq);
  const long room = (long)m->ng * m->nq;
  m->at = integers(room);
  m->value = integers(m->ng);
  m->slope = integers(room);
  for (int k = 0; k < m->nq; k++)
    m->class[k] = s->model->mass_class[m->q[k]];
  find_entries(s, m);
  find_order(s, m);
  const cst_node *entries = s->model->kernel_out[CST_K_G];
  for (int a = 0; a < m->ng && good; a++)
    good = take(s, m, 0, a, entries, &m->value[a], m->slope);
  for (int i = 0; i < m->n && good; i++)
    good = is_like(s, m, i, value, slope);
  free(value);
  free(slope);
  return good;
}

bool cst_molecules_find(const cst_system *s, cst_molecules *m) {
  const int ng = s->ng;
  const int nq = s->nq;
  *m = (cst_molecules){.n = 0};
  if (!may_have(s))
    return false;
  int *of = integers(nq + ng);
  m->n = number_all(s, of);
  m->nq = count_of(of, nq, 0);
  m->ng = count_of(of + nq, ng, 0);
  m->q = integers(m->nq);
  m->qstep = integers(m->nq);
  m->g = integers(m->ng);
  m->gstep = integers(m->ng);
  const bool small = m->ng && m->ng <= 16 && m->nq <= 64;
  bool       laid = m->n > 1 && small;
  laid = laid && lay_out(of, nq, m->n, m->nq, m->q, m->qstep);
  laid = laid && lay_out(of + nq, ng, m->n, m->ng, m->g, m->gstep);
  free(of);
  return laid && are_alike(s, m);
}

bool cst_molecules_are(const cst_system *s) {
  cst_molecules m;
  const bool    are = cst_molecules_find(s, &m);
  cst_molecules_destroy(&m);
  return are;
}

/* ---- as C ------------------------------------------------------------------------------------ */

static void write_list(FILE *f, const char *name, const int *x, int n) {
  fprintf(f, "static const int sys_molecule_%s[] __attribute__((unused)) = {", name);
  for (int i = 0; i < n; i++)
    fprintf(f, "%s%d", i ? "," : "", x[i]);
  fprintf(f, "};\n");
}

static void write_function(FILE *f, const cst_graph *g, const char *name, const cst_node *out,
                           int n) {
  fprintf(
      f,
      "CST_INLINE void sys_molecule_%s(const vd *c, const vd *x, vd *o) {\n  (void)c, (void)x;\n",
      name);
  cst_emit_straight(g, out, n, "  ", f);
  fprintf(f, "}\n");
}

void cst_molecules_emit(const cst_system *s, FILE *f) {
  cst_graph    *g = s->model->graph;
  cst_molecules m;
  const bool    are = cst_molecules_find(s, &m);
  if (are) {
    fprintf(f, "#define SYS_MOLECULE_COUNT %d\n", m.n);
    fprintf(f, "#define SYS_MOLECULE_NQ %d\n", m.nq);
    fprintf(f, "#define SYS_MOLECULE_NG %d\n", m.ng);
    fprintf(f, "#define SYS_MOLECULE_ENTRIES %d\n", m.entries);
    write_list(f, "q", m.q, m.nq);
    write_list(f, "qstep", m.qstep, m.nq);
    write_list(f, "g", m.g, m.ng);
    write_list(f, "gstep", m.gstep, m.ng);
    write_list(f, "order", m.order, m.ng);
    write_list(f, "class", m.class, m.nq);
    write_list(f, "at", m.at, m.ng * m.nq);
    write_function(f, g, "values", m.value, m.ng);
    write_function(f, g, "slopes", m.slope, m.entries);
    fprintf(f, "#define SYS_PAIR_SUMS(X)");
    for (int k = 0; k < s->model->npairs; k++)
      fprintf(f, " X(%d)", k);
    fprintf(f, "\n");
  }
  cst_molecules_destroy(&m);
}
