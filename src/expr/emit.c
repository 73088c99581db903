/* emit.c: generates C that computes given outputs: straight-line code with one temporary per operation, and
 * loops over tables of entries.
 *
 * The statements do the operations of the tape on the same operands in the same order. They use only + - * /
 * and the functions of lanes.h, so that the compiled code and the interpreter give the same bits. Entries
 * with a constant stride need no table. A loop whose rows have constant strides in a few parts, or in every
 * second or third row, is written as these parts.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <locale.h>
#include <math.h>
#include <string.h>
#include "expr/partition.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* Runs are rows of a loop at equal distances whose entries have constant strides in all columns. Each
 * is written as a loop without tables. */
enum {
  MOST_STEPS = 40, /* of a shape */
  MOST_PARTS = 6,  /* of a loop */
  LEAST_ROWS = 4,  /* of each part, on average */
  PERIODS = 3      /* the largest period */
};

static const cst_shape *shape_of(const cst_partition *p, const cst_loop *l) {
  return &p->loops.shapes.shape[l->shape];
}

/* Column k of the entries of a loop: those of each leaf, then the places of the values. */
static const int *column_of(const cst_partition *p, const cst_loop *l, int k) {
  if (k == shape_of(p, l)->leaves)
    return l->place;
  return l->index + (size_t)k * (size_t)l->rows;
}

/* Whether x[i] is x[0] + i times the stride, for the n entries of x. */
static bool affine(const int *x, int n, int *stride) {
  if (n > 1)
    *stride = x[1] - x[0];
  else
    *stride = 0;
  for (int i = 1; i < n; i++)
    if (x[i] != x[0] + (long)i * *stride)
      return false;
  return true;
}

/* The number of rows from `from` on, at distances of `period`, that have constant strides in all columns. */
static int length(const cst_partition *p, const cst_loop *l, int from, int period) {
  const int leaves = shape_of(p, l)->leaves;
  int       n = 1;
  for (int next = from + period; next < l->rows; next += period) {
    for (int k = 0; k <= leaves && n > 1; k++) {
      const int *x = column_of(p, l, k);
      const long stride = x[from + period] - x[from];
      if (x[next] != x[from] + n * stride)
        return n;
    }
    n++;
  }
  return n;
}

static int parts_of(const cst_partition *p, const cst_loop *l, int period) {
  int parts = 0;
  for (int k = 0; k < period; k++)
    for (int r = k; r < l->rows; parts++) {
      const int n = length(p, l, r, period);
      r += period * n;
    }
  return parts;
}

/* The distance between the rows of a run for which the loop has the fewest runs; 0 if there are too many. */
static int runs_period(const cst_partition *p, const cst_loop *l) {
  int best = 0;
  int least = MOST_PARTS + 1;
  if (l->sums || shape_of(p, l)->steps > MOST_STEPS)
    return 0;
  for (int period = 1; period <= PERIODS; period++) {
    const int parts = parts_of(p, l, period);
    if (parts < least && parts * LEAST_ROWS <= l->rows) {
      best = period;
      least = parts;
    }
  }
  return best;
}

/* The n rows from, from + period ... as a separate loop, whose entries are put into room. */
static cst_loop runs_part(const cst_partition *p, const cst_loop *l, int from, int period, int n,
                          int *room) {
  const int leaves = shape_of(p, l)->leaves;
  cst_loop  part = *l;
  part.rows = n;
  part.index = room;
  part.place = room + (long)leaves * n;
  for (int k = 0; k <= leaves; k++) {
    const int *x = column_of(p, l, k);
    int       *to = room + (long)k * n;
    for (int i = 0; i < n; i++)
      to[i] = x[from + i * period];
  }
  return part;
}

/* The sign of an operation, or the function of lanes.h. */
static const char *const spelling[] = {
#define OPERATION(OP, name, n, kind, ...) [CST_OP_##OP] = SPELL_##kind(name) __VA_ARGS__,
#define SPELL_SIGN(name)                  name
#define SPELL_HIDDEN(name)
#define SPELL_RESERVED(name)
#define SPELL_FREE(name)
#define LANES(f, ...) #f
#include "expr/operations.h"
};

enum { MOST_SLOTS = 65536 }; /* on the stack: 4 MiB with 8 lanes */

typedef struct {
  const cst_partition *p;
  /* the number of the temporary of a straight operation, in the order of the text; -1 before it is
   * written */
  int        *number;
  int         temporaries;
  const char *indent;
  bool        marked; /* inverse roots are checked together */
  FILE       *f;
} writer;

static void emit_number(double value, FILE *f) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  if (isnan(value))
    strcpy(text, "__builtin_nan(\"\")");
  else if (isinf(value))
    strcpy(text, value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
  else if (!strpbrk(text, ".e"))
    strcat(text, ".0");
  fprintf(f, *text == '-' ? "(%s)" : "%s", text);
}

/* vector: whether a vector is needed here. */
static void emit_constant(double value, bool vector, FILE *f) {
  const bool negative =
      vector && value == 0 && signbit(value); /* vset adds to 0, which would lose this sign */
  if (vector)
    fputs(negative ? "-vset(" : "vset(", f);
  emit_number(negative ? 0 : value, f);
  if (vector)
    fputs(")", f);
}

static void emit_array(int letter, FILE *f) {
  if (letter == CST_FROM_SLOT)
    fputs("kept", f);
  else
    putc(letter == CST_FROM_OUT ? 'o' : letter, f);
}

static void emit_operand(const writer *w, cst_node n, bool vector) {
  FILE                *f = w->f;
  const cst_partition *p = w->p;
  const cst_vertex    *v = &p->node[n];
  if (v->op == CST_OP_INPUT)
    fprintf(f, "%c[%d]", v->a, v->b);
  else if (v->op == CST_OP_CONSTANT)
    emit_constant(v->value, vector, f);
  else if (p->value[n] < 0)
    fprintf(f, "t%d", w->number[n]);
  else if (p->home[n] < 0)
    fprintf(f, "kept[%d]", p->slot[n]);
  else
    fprintf(f, "o[%d]", p->home[n]);
}

/* The text around the operands of op: before the first, between the two, after the last. */
static void emit_before(const writer *w, cst_op op) {
  FILE *f = w->f;
  if (op == CST_OP_NEG)
    fputs("-", f);
  if (op == CST_OP_RSQRT && w->marked)
    fputs("cst_inverse_root_of(care, &marks, ", f);
  else if (op >= CST_OP_SQRT)
    fprintf(f, "%s(", spelling[op]);
}

static void emit_between(cst_op op, FILE *f) {
  if (op >= CST_OP_SQRT)
    fputs(", ", f);
  else
    fprintf(f, " %s ", spelling[op]);
}

static void emit_after(cst_op op, FILE *f) { fputs(op >= CST_OP_SQRT ? ");\n" : ";\n", f); }

static void emit_operation(writer *w, cst_node n) {
  FILE             *f = w->f;
  const cst_vertex *v = &w->p->node[n];
  const bool        function = v->op >= CST_OP_SQRT;
  w->number[n] = w->temporaries++;
  fprintf(f, "%sconst vd t%d = ", w->indent, w->number[n]);
  emit_before(w, v->op);
  emit_operand(w, v->a, function);
  if (v->b >= 0) {
    emit_between(v->op, f);
    emit_operand(w, v->b, function);
  }
  emit_after(v->op, f);
  if (w->p->slot[n] >= 0)
    fprintf(f, "%skept[%d] = t%d;\n", w->indent, w->p->slot[n], w->number[n]);
}

static int stage_of(const cst_partition *p, cst_node n) {
  if (p->value[n] >= 0)
    return p->value[n] + 1;
  if (p->stage[n] < 0)
    return 0;
  return p->stage[n];
}

static bool missing(const writer *w, cst_node n) {
  const cst_partition *p = w->p;
  if (cst_op_leaf(p->node[n].op))
    return false;
  return p->value[n] < 0 && w->number[n] < 0;
}

/* Writes the straight code of one stage, from w->next on, and each output as soon as its value is known. */
static int emit_straight(writer *w, int stage, int next, const int *output, int outputs) {
  const cst_partition *p = w->p;
  for (int i = 0; i < outputs; i++) {
    const int k = output[i];
    while (missing(w, p->out[k]))
      emit_operation(w, p->straight[next++]);
    fprintf(w->f, "%so[%d] = ", w->indent, k);
    emit_operand(w, p->out[k], true);
    fputs(";\n", w->f);
  }
  while (next < p->nstraight && p->stage[p->straight[next]] == stage)
    emit_operation(w, p->straight[next++]);
  return next;
}

/* Writes the table of a column of entries of a loop, where it needs one. */
static void emit_table(const writer *w, const char *name, int column, const int *x, int n) {
  FILE *f = w->f;
  int   stride;
  if (affine(x, n, &stride))
    return;
  fprintf(f, "%s  static const int %s%d[%d] = {", w->indent, name, column, n);
  for (int i = 0; i < n; i++) {
    if (i)
      fputs(i % 32 ? "," : ",\n", f);
    fprintf(f, "%d", x[i]);
  }
  fputs("};\n", f);
}

static void emit_entry(const writer *w, const char *name, int column, const int *x, int n,
                       const char *counter) {
  FILE *f = w->f;
  int   stride;
  if (!affine(x, n, &stride))
    fprintf(f, "%s%d[%s]", name, column, counter);
  else if (!stride)
    fprintf(f, "%d", x[0]);
  else if (stride == 1) {
    fputs(counter, f);
    if (x[0])
      fprintf(f, " + %d", x[0]);
  } else
    fprintf(f, "%d + %d * %s", x[0], stride, counter);
}

/* Writes leaf `leaf` of a shape in the row of the counter. */
static void emit_leaf(const writer *w, const cst_loop *l, int leaf, bool vector) {
  FILE           *f = w->f;
  const cst_leaf *from = &w->p->loops.shapes.shape[l->shape].leaf[leaf];
  if (from->letter == CST_FROM_CONSTANT) {
    emit_constant(from->value, vector, f);
    return;
  }
  emit_array(from->letter, f);
  fputs("[", f);
  emit_entry(w, "at", leaf, l->index + (size_t)leaf * (size_t)l->rows, l->rows, "row");
  fputs("]", f);
}

static void emit_result(const writer *w, const cst_loop *l, int operand, bool vector) {
  if (operand < 0)
    emit_leaf(w, l, -1 - operand, vector);
  else
    fprintf(w->f, "r%d", operand);
}

static void emit_body(const writer *w, const cst_loop *l, const char *deeper) {
  FILE            *f = w->f;
  const cst_shape *s = &w->p->loops.shapes.shape[l->shape];
  for (int i = 0; i < s->steps; i++) {
    const cst_step *step = &s->step[i];
    const cst_op    op = (cst_op)step->op;
    fprintf(f, "%s%sconst vd r%d = ", w->indent, deeper, i);
    emit_before(w, op);
    emit_result(w, l, step->a, op >= CST_OP_SQRT);
    if (cst_op_binary(op)) {
      emit_between(op, f);
      emit_result(w, l, step->b, op >= CST_OP_SQRT);
    }
    emit_after(op, f);
  }
}

static void emit_place(const writer *w, const cst_loop *l, int n, const char *counter,
                       const char *deeper) {
  FILE *f = w->f;
  fprintf(f, "%s%s", w->indent, deeper);
  emit_array(l->letter, f);
  fputs("[", f);
  emit_entry(w, "to", 0, l->place, n, counter);
  fputs("] = ", f);
}

static void emit_values(const writer *w, const cst_loop *l) {
  fprintf(w->f, "%s  for (int row = 0; row < %d; row++) {\n", w->indent, l->rows);
  emit_body(w, l, "    ");
  emit_place(w, l, l->rows, "row", "    ");
  emit_result(w, l, w->p->loops.shapes.shape[l->shape].result, true);
  fprintf(w->f, ";\n%s  }\n", w->indent);
}

static void emit_start(const writer *w, const cst_loop *l) {
  FILE *f = w->f;
  fprintf(f, "%s    vd total = ", w->indent);
  if (l->start.letter == CST_FROM_CONSTANT) {
    emit_constant(l->start.value, true, f);
  } else {
    emit_array(l->start.letter, f);
    fputs("[", f);
    emit_entry(w, "from", 0, l->origin, l->sums, "sum");
    fputs("]", f);
  }
  fputs(";\n", f);
}

static void emit_sums(const writer *w, const cst_loop *l) {
  FILE *f = w->f;
  fprintf(f, "%s  for (int sum = 0; sum < %d; sum++) {\n", w->indent, l->sums);
  emit_start(w, l);
  fprintf(f, "%s    for (int row = ", w->indent);
  emit_entry(w, "first", 0, l->first, l->sums, "sum");
  fputs("; row < ", f);
  emit_entry(w, "end", 0, l->first + 1, l->sums, "sum");
  fputs("; row++) {\n", f);
  emit_body(w, l, "      ");
  fprintf(f, "%s      total = total %s ", w->indent, spelling[l->sign]);
  emit_result(w, l, w->p->loops.shapes.shape[l->shape].result, false);
  fprintf(f, ";\n%s    }\n", w->indent);
  emit_place(w, l, l->sums, "sum", "    ");
  fprintf(f, "total;\n%s  }\n", w->indent);
}

static void emit_parts(const writer *w, const cst_loop *l, int period) {
  const cst_partition *p = w->p;
  const int            leaves = p->loops.shapes.shape[l->shape].leaves;
  int *room = cst_expr_memory(NULL, (size_t)(leaves + 1) * (size_t)l->rows, sizeof *room);
  for (int k = 0; k < period; k++)
    for (int r = k, n; r < l->rows; r += period * n) {
      n = length(p, l, r, period);
      const cst_loop part = runs_part(p, l, r, period, n, room);
      fprintf(w->f, "%s{\n", w->indent);
      emit_values(w, &part);
      fprintf(w->f, "%s}\n", w->indent);
    }
  free(room);
}

static void emit_loop(const writer *w, const cst_loop *l) {
  const int period = runs_period(w->p, l);
  if (period) {
    emit_parts(w, l, period);
    return;
  }
  const cst_shape *s = &w->p->loops.shapes.shape[l->shape];
  fprintf(w->f, "%s{\n", w->indent);
  for (int i = 0; i < s->leaves; i++)
    if (s->leaf[i].letter != CST_FROM_CONSTANT)
      emit_table(w, "at", i, l->index + (size_t)i * (size_t)l->rows, l->rows);
  emit_table(w, "to", 0, l->place, l->sums ? l->sums : l->rows);
  if (l->sums) {
    if (l->start.letter != CST_FROM_CONSTANT)
      emit_table(w, "from", 0, l->origin, l->sums);
    emit_table(w, "first", 0, l->first, l->sums);
    emit_table(w, "end", 0, l->first + 1, l->sums);
    emit_sums(w, l);
  } else {
    emit_values(w, l);
  }
  fprintf(w->f, "%s}\n", w->indent);
}

/* Sorts the outputs that straight code writes by stage; those of stage s end at end[s]. */
static int *outputs_by_stage(const cst_partition *p, int *end) {
  int *list = cst_expr_memory(NULL, (size_t)p->nout, sizeof *list);
  memset(end, 0, ((size_t)p->loops.count + 2) * sizeof *end);
  for (int k = 0; k < p->nout; k++)
    if (p->out[k] >= 0 && !p->done[k])
      end[stage_of(p, p->out[k]) + 1]++;
  for (int s = 0; s <= p->loops.count; s++)
    end[s + 1] += end[s];
  for (int k = 0; k < p->nout; k++)
    if (p->out[k] >= 0 && !p->done[k])
      list[end[stage_of(p, p->out[k])]++] = k;
  return list;
}

static void emit_all(writer *w) {
  const cst_partition *p = w->p;
  int                  next = 0;
  int                 *end = cst_expr_memory(NULL, (size_t)p->loops.count + 2, sizeof *end);
  int                 *list = outputs_by_stage(p, end);
  if (p->slots)
    fprintf(w->f, "%svd kept[%d];\n", w->indent, p->slots);
  for (int s = 0; s <= p->loops.count; s++) {
    const int from = s ? end[s - 1] : 0;
    next = emit_straight(w, s, next, list + from, end[s] - from);
    if (s < p->loops.count)
      emit_loop(w, &p->loops.loop[s]);
  }
  free(list);
  free(end);
}

static void emit(const cst_graph *g, const cst_node *out, int nout, int slots, bool marked,
                 const char *indent, FILE *f) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t users = uselocale(plain);
  cst_partition  p;
  cst_partition_create(&p, g, out, nout, slots);
  writer w = {&p, cst_expr_memory(NULL, (size_t)p.size, sizeof(int)), 0, indent, marked, f};
  memset(w.number, 0xff, (size_t)p.size * sizeof(int));
  emit_all(&w);
  free(w.number);
  cst_partition_destroy(&p);
  uselocale(users);
  freelocale(plain);
}

void cst_graph_emit(const cst_graph *g, const cst_node *out, int nout, const char *indent,
                    FILE *f) {
  emit(g, out, nout, MOST_SLOTS, false, indent, f);
}

void cst_emit_straight(const cst_graph *g, const cst_node *out, int nout, const char *indent,
                       FILE *f) {
  emit(g, out, nout, CST_PARTITION_NONE, true, indent, f);
}
