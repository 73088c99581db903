#!/bin/bash
# rooms.sh: checks that includes and calls between the rooms of src go downwards only, so that each room can be
# read, and tested, with the rooms below it. Prints those that do not.
#
#   rooms.sh [FOLDER [BUILD]]
#
# FOLDER holds src (this repository), BUILD the objects whose calls are looked at: without it includes alone are.
# References to data are free, since the rows of a registry may stand above what reads them.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
build=${2:+$(realpath "$2")}
cd "${1:-$(dirname "$0")/..}" || exit

# The rooms, the lowest first; those of one line do not include one another. study/rows declares what a study, a kind of study and a
# collector are, and lists them; the rows themselves are in study/kind and study/collect.
floors='
core
expr
tableau solve record
statistics
system
method
observe
study/rows
study/file
study/plan
study/channels
study/reference
study/result
study/runner
study/collect study/kind
study/estimate
study/run
integrator
cli
'

# Calls upwards that stand: a room, and what it calls.
accepted='
core cst_elementary_cos
core cst_elementary_log
study/plan cst_plan_check_names
'

# shellcheck disable=SC2016  # awk
room='function room(path, n, part) {
  sub(/^\.\//, "", path)
  if (path ~ /^main\./) return "cli"
  n = split(path, part, "/")
  return part[1] == "study" && n > 2 ? "study/" part[2] : part[1]
}
BEGIN { n = split(floors, line, "\n"); for (i = 1; i <= n; i++) { m = split(line[i], name, " "); for (k = 1; k <= m; k++) floor[name[k]] = i } }'
failed=0

{ grep -rHo '^#include "[^"]*/[^"]*\.h"' src --include='*.[ch]' || true; } | awk -v floors="$floors" "$room"'
{
  split($0, x, ":#include \""); from = substr(x[1], 5); to = substr(x[2], 1, length(x[2]) - 1)
  a = room(from); b = room(to)
  if (!(a in floor)) { print from ": the room " a " has no floor in tools/rooms.sh"; bad = 1; next }
  if (a == b || !(b in floor)) next
  if (floor[b] >= floor[a]) { print from " includes " to ": " b " is not below " a; bad = 1 }
}
END { exit bad }' || failed=1
[ -n "$build" ] || exit $failed

# Objects of one instruction set; those whose source is gone are of an earlier build.
objects() {
  local object source
  find . -name '*.o' ! -path './gen/*' ! -name '*.v[24].o' ! -name '*.portable.o' | while read -r object; do
    source=${object%.o} && source=$OLDPWD/src/${source%.*}
    if [[ -e $OLDPWD/src/${object%.o}.c || -e $source.c || -e $(dirname "$source").c ]]; then echo "$object"; fi
  done
}
cd "$build/obj" || exit
objects | xargs nm --print-file-name --extern-only | awk -v floors="$floors" -v accepted="$accepted" "$room"'
BEGIN { n = split(accepted, stand, "\n"); for (i = 1; i <= n; i++) stands[stand[i]] = 1 }
{ at = index($0, ":"); file = substr($0, 3, at - 3); symbol = $NF; type = $(NF - 1) }
symbol !~ /^cst_/ { next }
type == "U" { calls[file " " symbol] = 1 }
type == "T" { of[symbol] = file }
END {
  for (x in calls) {
    split(x, call, " ")
    if (!(call[2] in of)) continue
    a = room(call[1]); b = room(of[call[2]])
    if (a == b || floor[b] < floor[a] || (a " " call[2]) in stands) continue
    sub(/o$/, "c", call[1]); print call[1] " calls " call[2] ": " b " is not below " a; bad = 1
  }
  exit bad
}' || failed=1
exit $failed
