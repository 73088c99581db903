/* isa.c: chooses the instruction set, from the CPU, from CONSTELLA_ISA and from CONSTELLA_CPU, and finds the lane code of
 * a row of cst_isas. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/isa.h"
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/lane-form.h"

#ifdef __x86_64__
/* Tests f16c, movbe and lzcnt, which __builtin_cpu_supports does not know in every compiler. */
static bool has_rest_of_v3(void) {
  const unsigned f16c = 1u << 29, movbe = 1u << 22, lzcnt = 1u << 5;
  unsigned       a, b, c = 0, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (f16c | movbe)) != (f16c | movbe))
    return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & lzcnt;
}
static bool has_v2(void) {
  return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt");
}
static bool has_v3(void) {
  return __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_rest_of_v3();
}
static bool has_v4(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

/* Sets that processors have or lack, in ascending order: each has all before it. */
static const struct {
  const char *name;
  bool (*has)(void);
} levels[] = {
#ifdef __x86_64__
    {"v2", has_v2},
    {"v3", has_v3},
    {"v4", has_v4},
#endif
    {NULL, NULL}};

static int level_of(const char *name) {
  for (int i = 0; levels[i].name; i++)
    if (!strcmp(name, levels[i].name))
      return i;
  return -1;
}

/* The highest level that the processor has, or is taken to have; -1: none. */
static int cpu_level(void) {
  const char *limit = getenv("CONSTELLA_CPU");
  const int   most = limit && *limit ? level_of(limit) : -1;
  int         i = 0;
#ifdef __x86_64__
  __builtin_cpu_init();
#endif
  while (levels[i].name && levels[i].has() && (most < 0 || i <= most))
    i++;
  return i - 1;
}

int cst_isa_available(int i) {
  return i >= 0 && i < cst_isa_count && level_of(cst_isas[i].name) <= cpu_level();
}

/* The names of the sets of the build, or of those among them that the processor has: "v2, v3". */
static const char *names(bool available) {
  static char list[2][64];
  char       *text = list[available];
  *text = 0;
  for (int i = 0; i < cst_isa_count; i++) {
    if (cst_isas[i].full != i || (available && !cst_isa_available(i)))
      continue;
    if (*text)
      strcat(text, ", ");
    strcat(text, cst_isas[i].name);
  }
  return text;
}

const char *cst_isa_built(void) { return names(false); }

static int set_of(const char *name) {
  for (int i = 0; i < cst_isa_count; i++)
    if (cst_isas[i].full == i && !strcmp(name, cst_isas[i].name))
      return i;
  return -1;
}

static const char *why(const char *format, const char *a, const char *b, const char *c,
                       const char *d) {
  static char text[600];
  snprintf(text, sizeof text, format, a, b, c, d);
  return text;
}

static int named(const char *name, const char **reason) {
  const int i = set_of(name), level = level_of(name);
  if (level > cpu_level() && *names(true))
    *reason = why("CONSTELLA_ISA=%s: this CPU lacks it; allowed: %s", name, names(true), "", "");
  else if (level > cpu_level())
    *reason = why("CONSTELLA_ISA=%s: this CPU lacks it", name, "", "", "");
  else if (i < 0 && level >= 0)
    *reason =
        why("CONSTELLA_ISA=%s: this program was built for %s; `make ISAS=\"%s\"` builds it for "
            "that set",
            name, cst_isa_built(), name, "");
  else if (i < 0)
    *reason =
        why("CONSTELLA_ISA=%.40s: no such instruction set; allowed: %s", name, names(true), "", "");
  return level > cpu_level() ? -1 : i;
}

static int widest(const char **reason) {
  const int level = cpu_level();
  char      host[256] = "this machine";
  for (int i = cst_isa_count - 1; i >= 0; i--)
    if (cst_isa_available(i))
      return i;
  gethostname(host, sizeof host - 1);
  *reason = why("%s: the program was built for %s, and the CPU has %s; `make ISAS=%s` builds one "
                "for it, `make ISAS=all` one for all",
                host, cst_isa_built(), level >= 0 ? levels[level].name : "none of v2, v3, v4",
                level >= 0 ? levels[level].name : "portable");
  return -1;
}

int cst_isa_choose(const char **reason) {
  static const char *ignored;
  const char        *name = getenv("CONSTELLA_ISA"), *limit = getenv("CONSTELLA_CPU");
  if (!reason)
    reason = &ignored;
  if (limit && *limit && level_of(limit) < 0) {
    *reason = why("CONSTELLA_CPU=%.40s: no such level of processors; allowed: %s", limit,
                  levels[0].name ? "v2, v3, v4" : "none on this machine", "", "");
    return -1;
  }
  return name && *name ? named(name, reason) : widest(reason);
}

/* ---- lane code --------------------------------------------------------------------------------- */

static const void *find(const cst_lane_entry *x, const char *name) {
  for (; x && x->name; x++)
    if (!strcmp(x->name, name))
      return x->form;
  return NULL;
}

const void *cst_lane_form(int isa, const char *name) {
  return find(cst_lane_rows[isa].forms, name);
}
const void *cst_lane_kernels(int isa, const char *system) {
  return find(cst_lane_rows[isa].kernels, system);
}
const char *cst_lane_suffix(int isa) { return cst_lane_rows[isa].suffix; }
const char *cst_lane_flags(int isa) { return cst_lane_rows[isa].flags; }
