#!/usr/bin/env bash
# embed.sh: the texts of files as C, so that the program contains the sources that it compiles with a user's
# system, and its job scripts.
#
#   tools/embed.sh NAME GEN FILE... >sources.c
#
# Defines NAMEs[] and NAME_count. A file of the folder GEN appears as gen/NAME, the others under the path
# given. What the line `#define COMPILED_FOR` of a core says is the last member of its row.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
name=$1 gen=$2
shift 2

echo '/* Written by embed.sh; not to be edited. */'
echo '#include "system/compile/compile.h"'
k=0
for file; do
  echo "static const char text_${k}[] = {"
  od -An -v -td1 -w32 "$file" | sed 's/ *\(-\?[0-9]\+\)/\1,/g'
  echo '0};'
  k=$((k + 1))
done
echo "const cst_source ${name}s[] = {"
k=0
for file; do
  form=$(sed -n 's/^#define COMPILED_FOR \(.*\)/, {.is = true, \1}/p' "$file")
  echo "{\"${file/#"$gen"\//gen/}\", text_$k, sizeof text_$k - 1$form},"
  k=$((k + 1))
done
echo '};'
echo "const int ${name}_count = $k;"
