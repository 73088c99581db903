#!/bin/bash
# order-rates.sh: how often an order that is called ok is right, and how often wrong: series of errors whose true order is known go through the
# program's own fit (cst_order_estimate). The table is that of docs/orders.md.
#
#   jobs/order-rates.sh [TRIALS]                  2000 for each number of steps; under a second
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make -s BUILD="$build" "$build/tests/study/order-rates" >&2
exec "$build/tests/study/order-rates" "$@"
