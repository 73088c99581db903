#!/bin/bash
# lint.sh: checks the layout of the sources, exported names, where HDF5 is used and the words of new lines (BASE=COMMIT: those that
# this commit does not have; tools/words.py); runs cppcheck, clang-tidy and shellcheck. `make lint` calls it after a build. It names each tool that is not installed
# and skips it.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=${BUILD:-build}
jobs=${JOBS:-$(nproc)}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

verdict() {   # STATUS NAME
  if [ "$1" = 0 ]; then echo "ok      $2"; else echo "not ok  $2"; cat "$log"; failed=1; fi
}

has() {
  command -v "$1" >/dev/null && return
  echo "skipped $1: not installed (Debian: apt-get install $1)"
  return 1
}

# Every object exports cst_ names alone.
exported_names() {
  local objects
  objects=$(find "$build/obj" -name '*.o' ! -path "$build/obj/main.o")
  [ -n "$objects" ] || { echo "no objects in $build/obj; run make first"; return 1; }
  # shellcheck disable=SC2086  # words
  nm --print-file-name --extern-only --defined-only $objects | awk '$3 !~ /^cst_/ { print $1, $3; bad = 1 } END { exit bad }'
}

# A name stands for one file, but for a row and its lane code in core, and a public header and the one of its noun.
single_names() {
  find include src -name '*.[ch]' | sort | awk -F/ '
    { kind = $1 == "include" ? "public" : $(NF - 1) == "core" && NF > 3 ? "lanes" : "src"
      if ((kind, $NF) in at) { print at[kind, $NF], $0; bad = 1 }
      at[kind, $NF] = $0 }
    END { for (x in at) { split(x, k, SUBSEP); file = at["src", k[2]]
            if (k[1] == "lanes" && file && at[x] != substr(file, 1, length(file) - length(k[2])) "core/" k[2]) {
              print file, at[x]; bad = 1 } }
          exit bad }'
}

# Lane code is checked in its portable form, code that is compiled for each system for one of them.
flags=(-Iinclude -Isrc "-I$build/gen" -DCST_PORTABLE -DCST_W=4 -DCST_ISA=portable '-DCST_OBJECT_FLAGS=""')
sized='-DCST_SYSTEM_HEADER="double-pendulum.h"'
for isa in v2 v3 v4 portable; do flags+=("-DCST_OBJECT_FLAGS_$isa=\"\""); done

# What cppcheck says wrongly: everywhere, and in files.
# uninitvar, legacyUninitvar: loops over no constraints or no windows; the compiler's own check runs on every
# build. returnDanglingLifetime: the value that march() returns. assignBoolToPointer: labels as values,
# &&do_ADD. CastIntegerToAddressAtReturn: a pointer to a function.
# readdirCalled: every stream of a folder has one reader.
accepted=(readdirCalled legacyUninitvar uninitvar assignBoolToPointer missingInclude missingIncludeSystem identicalInnerCondition returnDanglingLifetime
  sizeofDereferencedVoidPointer preprocessorErrorDirective cppcheckError CastIntegerToAddressAtReturn
  invalidPointerCast:src/method/core/*               # whole numbers in lanes of doubles, which are 64 bits wide on purpose
  constStatement:src/method/core/normal.h            # (vu){} + stream
  invalidPointerCast:src/statistics/ensemble-statistics.c  # keys of 64 bits in the memory of the numbers
  ctuArrayIndex:src/expr/pair-sums.h                     # part has PAIRS_PARTS elements
  negativeIndex:src/method/core/dopri5.c             # the time, where the form for no system has none
  negativeIndex:src/method/core/engine.c             # the same
  negativeIndex:src/method/core/project.c            # the same
  selfAssignment:src/method/core/march-iterate.h     # a macro, for cores that do not end by round-off
  arrayIndexOutOfBoundsCond:src/tableau/scheme.c   # which is w, at most MOST
  autoVariables:src/expr/parse-sum.c               # the parser is put back before these go
  arrayIndexOutOfBoundsCond:src/system/point/body-quantities.c   # which is one of x y z 1 2 3
  pointerSize:src/system/penalised.c)                # an array of pointers

run_cppcheck() {
  cppcheck --quiet -j "$jobs" --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 --library=posix "${flags[@]}" "$sized" \
    "${accepted[@]/#/--suppress=}" src
}

# quadmath.h is gcc's own; the processor levels that isa.c asks for are unknown to clang 14.
run_clang_tidy() {
  flags+=(-std=gnu11 -idirafter "$(gcc -print-file-name=include)")
  read -ra libraries <<<"$(pkg-config --cflags PETSc hdf5-openmpi libfyaml ompi-c | sed 's/-D_FORTIFY_SOURCE=2//')"
  local generic status=0
  generic=$(grep -L -E '^#define COMPILED_FOR \.needs = CST_SEPARABLE,' src/*/core/*.c)
  tidy() { xargs -P "$jobs" -I FILE clang-tidy --quiet FILE -- "${flags[@]}" "$@" "${libraries[@]}" 2>/dev/null; }
  tidy <<<"$generic" || status=1
  find src -name '*.c' ! -path src/core/isa.c | grep -vxF "$generic" | sort | tidy "$sized" || status=1
  return $status
}

tools/format.sh --check || failed=1
exported_names >"$log" 2>&1
verdict $? 'exported names'
single_names >"$log" 2>&1
verdict $? 'one file of a name'
tools/rooms.sh . "$build" >"$log" 2>&1
verdict $? 'includes and calls between rooms'
tools/words.py >"$log" 2>&1
verdict $? 'words in new lines (tools/words.txt)'
! grep -rl '#include <hdf5.h>' include src | grep -v '^src/record/' >"$log"
verdict $? 'HDF5 in src/record alone'
if has nm && has cppcheck; then
  run_cppcheck >"$log" 2>&1
  verdict $? cppcheck
fi
if has shellcheck; then
  shellcheck --severity=warning tools/*.sh tests/*/*.sh jobs/*.sh >"$log" 2>&1
  verdict $? shellcheck
fi
if has clang-tidy; then
  run_clang_tidy >"$log" 2>&1
  verdict $? clang-tidy
fi
exit $failed
