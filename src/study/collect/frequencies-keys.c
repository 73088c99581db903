/* frequencies-keys.c: the key `frequencies` of the study file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/frequencies.h"

enum { LEAST_SAMPLES = 32, MOST_SAMPLES = 1 << 16, MOST_TERMS = 16, MOST_WINDOW = 5 };

/* clang-format off */
const cst_key cst_frequencies_keys[] = {
    {"", "frequencies", CST_KEYS_ALL, "list of maps", "none", "", "frequencies: [{name: nu, expression: x, every: 0.1}]", "Frequencies of expressions along each trajectory, and of the two halves of the run, by windowed Fourier analysis (docs/frequencies.md)."},
    {"frequencies", "name", CST_KEYS_ALL, "text", NULL, "", "frequencies: [{name: swing, expression: x, every: 0.1}]", "Name of its datasets and columns: a letter, then letters, digits, _ and -, at most 32."},
    {"frequencies", "expression", CST_KEYS_ALL, "expression", NULL, "", "frequencies: [{name: nu, expression: \"x*y\", every: 0.1}]", "The signal, as in `observables`."},
    {"frequencies", "imaginary", CST_KEYS_ALL, "expression", "none: the signal is real", "", "frequencies: [{name: nu, expression: x, imaginary: \"-x'\", every: 0.1}]", "The imaginary part of a complex signal, as q - i p: its frequencies have a sign."},
    {"frequencies", "every", CST_KEYS_ALL, "number", NULL, "time", "frequencies: [{name: nu, expression: x, every: 0.1}]", "Time between samples, a multiple of every step; 32 to 65536 samples in a run. Frequencies are below pi/every."},
    {"frequencies", "terms", CST_KEYS_ALL, "integer", "1", "", "frequencies: [{name: nu, expression: x, every: 0.1, terms: 3}]", "Lines that are taken, the strongest first, 1 to 16."},
    {"frequencies", "window", CST_KEYS_ALL, "integer", "1", "", "frequencies: [{name: nu, expression: x, every: 0.1, window: 2}]", "Power p of Hann's window, 1 to 5: errors decrease as T^-(2p + 2), and lines have to be further apart."},
    {0},
};
/* clang-format on */

static void check_name(cst_reader *r, cst_yaml *n, const cst_frequencies *w, const char *name) {
  if (!cst_reader_name(r, n, "a frequency", name))
    return;
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->each[i].name, name))
      cst_yaml_error(r->doc, n, r->d, "the frequency '%s' appears twice", name);
}

static void check_samples(cst_reader *r, cst_yaml *n, double every) {
  const long samples = cst_sampled_most(r->s, every);
  if (samples && (samples < LEAST_SAMPLES || samples > MOST_SAMPLES))
    cst_yaml_error(r->doc, n, r->d,
                   "'every' is %s, which gives %ld samples in a run; allowed are %d to %d",
                   cst_reader_shortest(every), samples, LEAST_SAMPLES, MOST_SAMPLES);
}

static void read_signal(cst_reader *r, cst_yaml *n, const char *what, cst_frequency *x) {
  static const char *const parts[] = {"expression", "imaginary"};
  for (int k = 0; k < 2; k++) {
    cst_yaml *node =
        k ? cst_yaml_get(n, parts[k]) : cst_reader_required(r, n, "frequencies", parts[k]);
    if (node && cst_reader_expression(r, node, what, &x->expressions))
      x->text[k] = strdup(cst_reader_text(r, node, what, "an expression"));
  }
}

static void read_one(cst_reader *r, cst_yaml *n, cst_frequencies *w) {
  char what[64];
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d,
                   "a frequency is a map {name: ..., expression: ..., every: ...}, and optionally "
                   "imaginary, terms and window");
    return;
  }
  cst_reader_keys(r, n, "frequencies", "frequencies", CST_KEYS_ALL);
  cst_yaml   *name = cst_reader_required(r, n, "frequencies", "name");
  const char *text = cst_reader_text(r, name, "name", "a name");
  if (text)
    check_name(r, name, w, text);
  cst_frequency *x = &w->each[w->n++];
  *x = (cst_frequency){.name = strdup(text ? text : ""), .every = 1, .terms = 1, .window = 1};
  snprintf(what, sizeof what, "frequency '%.40s'", x->name);
  read_signal(r, n, what, x);
  if (cst_sampled_read(r, n, "frequencies", &x->every))
    check_samples(r, cst_yaml_get(n, "every"), x->every);
  cst_reader_integer(r, cst_yaml_get(n, "terms"), "terms", 1, MOST_TERMS, &x->terms);
  cst_reader_integer(r, cst_yaml_get(n, "window"), "window", 1, MOST_WINDOW, &x->window);
}

void cst_frequencies_read(cst_reader *r, void *wish) {
  cst_frequencies *w = wish;
  cst_yaml        *n = cst_yaml_get(r->root, "frequencies");
  if (!cst_reader_list(r, n, "frequencies", "maps {name: ..., expression: ..., every: ...}", false))
    return;
  const int count = cst_yaml_size(n);
  if (count > CST_FREQUENCIES_MOST) {
    cst_yaml_error(r->doc, n, r->d, "there are %d frequencies; at most %d are allowed", count,
                   CST_FREQUENCIES_MOST);
    return;
  }
  w->each = cst_zeros(count, sizeof *w->each);
  for (int i = 0; i < count; i++)
    read_one(r, cst_yaml_item(n, i), w);
}

void cst_frequencies_forget(void *wish) {
  cst_frequencies *w = wish;
  for (int i = 0; i < w->n; i++) {
    free(w->each[i].name);
    free(w->each[i].text[0]);
    free(w->each[i].text[1]);
    cst_reader_forget(&w->each[i].expressions);
  }
  free(w->each);
}
