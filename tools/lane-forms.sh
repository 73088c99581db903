#!/usr/bin/env bash
# lane-forms.sh: writes the table of the lane code of a build, which src/core/isa.c reads: the only place that knows
# for which instruction sets and numbers of lanes it was compiled.
#
#   tools/lane-forms.sh 'SYSTEM...' 'ROW SET LANES FILE... : FLAGS'... >lane-forms.c
#
# ROW ends the names of exported symbols (v4, v4x2); SET is the instruction set; FILE... are the sources of its lane code.
# Rows of a set with all its lanes (ROW = SET) come last.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
systems=$1
shift

symbol() { # FILE ROW
  local name=${1##*/}
  name=${name%.c}
  name=${name//-/_}
  case $1 in
    src/method/*) echo "cst_core_${name}_generic_$2" ;;
    src/observe/*) echo "cst_${name}_generic_$2" ;;
    *) echo "cst_${name}_$2" ;;
  esac
}

echo '/* lane-forms.c: written by lane-forms.sh; not to be edited. */'
echo '#include "core/lane-form.h"'
isas='' rows='' k=0
declare -A full
for row; do
  read -r id set _ <<<"$row"
  if [ "$id" = "$set" ]; then full[$set]=$k; fi
  k=$((k + 1))
done
for row; do
  read -r id set lanes files <<<"${row%%:*}"
  forms=''
  for file in $files; do
    s=$(symbol "$file" "$id")
    name=${file##*/}
    echo "extern const char $s[];"
    forms+="{\"${name%.c}\", $s}, "
  done
  echo "static const cst_lane_entry forms_$id[] = {$forms{0, 0}};"
  kernels=''
  for system in $systems; do
    echo "extern const char cst_compiled_${system//-/_}_$id[];"
    kernels+="{\"$system\", cst_compiled_${system//-/_}_$id}, "
  done
  echo "static const cst_lane_entry kernels_$id[] = {$kernels{0, 0}};"
  isas+="{\"$set\", $lanes, ${full[$set]}}, "
  rows+="{\"$id\", \"$(echo ${row#*:})\", forms_$id, kernels_$id}, "
done
echo "const cst_isa cst_isas[CST_ISA_MOST] = {$isas};"
echo "const int cst_isa_count = $k;"
echo "const cst_lane_row cst_lane_rows[CST_ISA_MOST] = {$rows};"
