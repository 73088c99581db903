#!/bin/bash
# test-fuzz.sh: the fuzz targets run on the ordinary build, with numbers of inputs that take about a second each; `make fuzz`
# runs them for long. TAP.
# SPDX-License-Identifier: BSD-2-Clause
here=$(dirname "$0") n=0 failed=0
for each in study:200 system:300 method:20000 layers:2000 checkpoint:150 continue:15000 result:30 table:60; do
  n=$((n + 1)) target=${each%:*}
  if out=$("$here"/run.sh driver "$BUILD/tests/fuzz/fuzz-$target" $target ${each#*:}x "$BUILD/tests/fuzz/found-$target" 2>&1); then
    echo "ok $n - $(tail -n 1 <<<"$out")"
  else
    failed=1
    echo "not ok $n - fuzz $target"
    sed 's/^/# /' <<<"$out"
  fi
done
echo "1..$n"
exit $failed
