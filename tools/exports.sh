#!/bin/bash
# exports.sh: the version script of the shared library: every name that LIBRARY defines and one of the public
# headers mentions is exported, all others are local.
#   exports.sh ABI LIBRARY HEADER...
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
abi=$1 library=$2
shift 2
echo "CONSTELLA_$abi {"
echo '  global:'
comm -12 <(nm --extern-only --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u) \
  <(grep -oh '\bcst_[a-z0-9_]*' "$@" | sort -u) | sed 's/.*/    &;/'
echo '  local: *;'
echo '};'
