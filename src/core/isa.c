/* isa.c: chooses the instruction set, from the CPU or from CONSTELLA_ISA. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/isa.h"
#if defined(__x86_64__) && !defined(CST_SCALAR)
#include <cpuid.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cst_isa cst_isas[CST_ISA_COUNT] = {
#define X(isa, lanes) {#isa, lanes},
    CST_ISA_LIST(X)
#undef X
};

#if defined(__x86_64__) && !defined(CST_SCALAR)
/* Tests f16c, movbe and lzcnt, which __builtin_cpu_supports does not know in every compiler. */
static int has_rest_of_v3(void) {
  const unsigned f16c = 1u << 29, movbe = 1u << 22, lzcnt = 1u << 5;
  unsigned       a, b, c = 0, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (f16c | movbe)) != (f16c | movbe))
    return 0;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & lzcnt;
}
static int has_v2(void) {
  return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
         __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt");
}
static int has_v3(void) {
  return has_v2() && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_rest_of_v3();
}
static int has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#elif defined(CST_SCALAR)
static int has_scalar(void) { return 1; }
#else
static int has_portable(void) { return 1; }
#endif

int cst_isa_available(int i) {
  static int (*const has[CST_ISA_COUNT])(void) = {
#define X(isa, lanes) has_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  if (i < 0 || i >= CST_ISA_COUNT)
    return 0;
#if defined(__x86_64__) && !defined(CST_SCALAR)
  __builtin_cpu_init();
#endif
  return has[i]();
}

/* The sets that this CPU can run: "v2, v3". */
static const char *allowed(void) {
  static char list[64];
  list[0] = 0;
  for (int i = 0; i < CST_ISA_COUNT; i++) {
    if (!cst_isa_available(i))
      continue;
    if (list[0])
      strcat(list, ", ");
    strcat(list, cst_isas[i].name);
  }
  return list;
}

static int named(const char *name, const char **reason) {
  static char text[240];
  for (int i = 0; i < CST_ISA_COUNT; i++) {
    if (strcmp(name, cst_isas[i].name))
      continue;
    if (cst_isa_available(i))
      return i;
    snprintf(text, sizeof text, "CONSTELLA_ISA=%s: this CPU lacks it; allowed: %s", name,
             allowed());
    *reason = text;
    return -1;
  }
  snprintf(text, sizeof text, "CONSTELLA_ISA=%.40s: no such instruction set; allowed: %s", name,
           allowed());
  *reason = text;
  return -1;
}

int cst_isa_choose(const char **reason) {
  static const char *ignored;
  const char        *name = getenv("CONSTELLA_ISA");
  if (!reason)
    reason = &ignored;
  if (name && *name)
    return named(name, reason);
  for (int i = CST_ISA_COUNT - 1; i >= 0; i--)
    if (cst_isa_available(i))
      return i;
  *reason = "this CPU lacks x86-64-v2, the least instruction set that is built";
  return -1;
}
