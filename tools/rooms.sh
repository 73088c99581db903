#!/bin/bash
# rooms.sh: checks that includes between the rooms of src go downwards only, so that each room can be read, and
# tested, with the rooms below it. Prints those that do not.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
cd "${1:-$(dirname "$0")/..}" || exit

# The rooms, the lowest first; those of one line do not include one another. `study` stands for the rows of
# kinds and collectors, headers that rooms below include; their files are in `kinds` and `study/collect`.
floors='
core
expr
tableau solve record
statistics
system
method
observe
study
study/file
study/plan
study/channels
study/reference
study/result
study/runner
study/collect kinds
study/estimate
study/run
integrator
cli
'

grep -rHo '^#include "[^"]*/[^"]*\.h"' src --include='*.[ch]' | awk -v floors="$floors" '
function room(path, n, part) {
  if (path == "main.c") return "cli"
  if (path ~ /^study\/(kind-.*|kind|collector)\.c$/) return "kinds"
  n = split(path, part, "/")
  return part[1] == "study" && n > 2 ? "study/" part[2] : part[1]
}
BEGIN { n = split(floors, line, "\n"); for (i = 1; i <= n; i++) { m = split(line[i], name, " "); for (k = 1; k <= m; k++) floor[name[k]] = i } }
{
  split($0, x, ":#include \""); from = substr(x[1], 5); to = substr(x[2], 1, length(x[2]) - 1)
  a = room(from); b = room(to)
  if (!(a in floor)) { print from ": the room " a " has no floor in tools/rooms.sh"; bad = 1; next }
  if (a == b || !(b in floor)) next
  if (floor[b] >= floor[a]) { print from " includes " to ": " b " is not below " a; bad = 1 }
}
END { exit bad }'
