#!/bin/bash
# test-fuzz.sh: the fuzz targets run, for a few seconds each, on the ordinary build; `make fuzz` runs them for
# long. TAP.
# SPDX-License-Identifier: BSD-2-Clause
here=$(dirname "$0") n=0 failed=0
for target in study system method layers checkpoint continue result table; do
  n=$((n + 1))
  if out=$("$here"/run.sh driver "$BUILD/tests/fuzz/fuzz-$target" $target 2 "$BUILD/tests/fuzz/found-$target" 2>&1); then
    echo "ok $n - $(tail -n 1 <<<"$out")"
  else
    failed=1
    echo "not ok $n - fuzz $target"
    sed 's/^/# /' <<<"$out"
  fi
done
echo "1..$n"
exit $failed
