#!/bin/sh
# cpu-set.sh: the widest instruction set of this machine for which lane code can be compiled: v4, v3, v2 (levels of x86-64)
# or portable. The compiler in CC is asked what the processor has. CONSTELLA_CPU=v3 takes the processor for one that has no
# more than v3.
# SPDX-License-Identifier: BSD-2-Clause
[ "$(uname -m)" = x86_64 ] || { echo portable; exit; }
macros=" $(${CC:-gcc} -march=native -dM -E -x c /dev/null 2>/dev/null | sed -n 's/^#define __\([A-Z0-9_]*\)__ 1$/\1/p' | tr '\n' ' ') "
has() {
  for macro; do
    case $macros in *" $macro "*) ;; *) return 1 ;; esac
  done
}
level=portable
has SSE3 SSSE3 SSE4_1 SSE4_2 POPCNT && level=v2
[ $level = v2 ] && [ "$CONSTELLA_CPU" != v2 ] && has AVX AVX2 FMA BMI BMI2 F16C MOVBE LZCNT && level=v3
[ $level = v3 ] && [ "$CONSTELLA_CPU" != v3 ] && has AVX512F AVX512BW AVX512CD AVX512DQ AVX512VL && level=v4
echo $level
