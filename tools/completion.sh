#!/usr/bin/env bash
# completion.sh: writes the completion for bash: completion.bash with the arguments and options of each
# command.
#
#   constella help all | tools/completion.sh >completions/constella
#
# The form of the help: `  constella COMMAND ...` begins a command. Lines with eight leading blanks are its
# arguments and options, `-o, --output FILE  description`.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
commands=$(awk '
  /^  constella / { if (name) print name "]=\047" forms "\047"; name = "  [" $2; forms = ""; next }
  /^        [^ ]/ {
    form = $0; sub(/^ +/, "", form); sub(/  .*/, "", form)
    n = split(form, part, ", ")
    if (n == 2) { value = part[2]; sub(/^[^ ]*/, "", value); form = part[1] value "\n" part[2] }
    forms = forms (forms ? "\n" : "") form
  }
  END { if (name) print name "]=\047" forms "\047" }')
[[ $commands ]] || { echo 'completion.sh: error: no commands; usage: constella help all | tools/completion.sh' >&2; exit 2; }
while IFS= read -r line; do
  if [[ $line == @COMMANDS@ ]]; then echo "$commands"; else echo "$line"; fi
done <"$(dirname "$0")/completion.bash"
