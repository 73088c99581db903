/* instead.c: advice on functions and names that expressions do not have. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/parse.h"

static const char
    clock[] = "the time cannot stand here; it can in potential, constraints, forces and exact "
              "motions",
    jump[] = "step(x) is 0, 1/2, 1 where x is below, at, above 0; min, max, abs, ramp(x, w) and "
             "smoothstep(x) are continuous";

static const struct {
  const char *word, *instead;
} words[] = {
    {"atan", "write atan2(x, 1)"},
    {"ln", "write log(x)"},
    {"log10", "write log(x)/log(10)"},
    {"pow", "write x^y"},
    {"cbrt", "write x^(1/3)"},
    {"floor", jump},
    {"heaviside", jump},
    {"if", jump},
};

const char *cst_expr_instead(const char *word, bool function) {
  if (!function)
    return strcmp(word, "t") ? NULL : clock;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i].word, word))
      return words[i].instead;
  return NULL;
}
