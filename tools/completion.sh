#!/usr/bin/env bash
# completion.sh: completion for bash, completion.bash with the commands and their arguments as the program tells them.
#
#   constella help | tools/completion.sh >completions/constella
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
commands=$(sed -n "s/'/'\\\\''/g; s/^  constella \([^ ]*\) \(.*\)/  [\1]='\2'/p")
[[ $commands ]] || { echo 'completion.sh: error: no commands; usage: constella help | tools/completion.sh' >&2; exit 2; }
while IFS= read -r line; do
  if [[ $line == @COMMANDS@ ]]; then echo "$commands"; else echo "$line"; fi
done <"$(dirname "$0")/completion.bash"
