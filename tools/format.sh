#!/usr/bin/env bash
# format.sh: the layout of the C sources by .clang-format. Called by `make format`, which changes them, and by
# `make check` and `make lint`, which only compare. Without clang-format it prints that the check is skipped.
#
#   tools/format.sh [--check]
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v clang-format >/dev/null; then
  echo 'skipped clang-format: not installed (Debian: apt-get install clang-format)'
  [[ ${1-} == --check ]]
  exit
fi
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [[ ${1-} == --check && $version != 14 ]]; then
  echo "skipped clang-format: this is version $version, and the sources are laid out by 14"
  exit 0
fi
if ! sources=$(git ls-files '*.c' '*.h' 2>/dev/null) || [[ ! $sources ]]; then
  echo 'skipped clang-format: these sources are under no version control'
  exit 0
fi
mapfile -t sources < <(grep -v -x src/tableau/tableau-explicit.c <<<"$sources")   # that one is a table
drifted=$(clang-format --dry-run "${sources[@]}" 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
if [[ ${1-} != --check ]]; then
  [[ ! $drifted ]] || xargs clang-format -i <<<"$drifted"   # only these, since make compiles what has a new time
  exit
fi
if [[ $drifted ]]; then
  printf 'not ok  clang-format; `make format` lays these out:\n%s\n' "$drifted"
  exit 1
fi
echo 'ok      clang-format'
