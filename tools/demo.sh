#!/bin/bash
# demo.sh: an order study and a conservation study on two ranks: tables here, reports and figures in demo/.
# Called by `make demo`.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
constella=${BUILD:-build}/constella
python=${PYTHON:-/usr/bin/python3}
export PYTHON=$python

# Containers run as root, and a machine may have only one core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

progress=none   # mpirun gives its ranks a terminal even when it writes to a file
[ -t 1 ] && progress=line

mkdir -p demo
study() {   # NAME COLUMNS
  echo
  echo "\$ mpirun -n 2 $constella run jobs/demo-$1.yaml -o demo/$1.h5"
  mpirun -n 2 "$constella" run "jobs/demo-$1.yaml" -o "demo/$1.h5" --overwrite --progress "$progress"
  echo
  echo "\$ $constella table demo/$1.h5 --columns $2"
  "$constella" table "demo/$1.h5" --columns "$2"
  "$constella" report "demo/$1.h5" -o "demo/$1.html" >/dev/null
  "$constella" report "demo/$1.h5" --figures demo >/dev/null
}
study order method,step,error_q,error_p,rate_q,rate_p,order_q,flag_q,order_p,flag_p
study conservation method,step,members,energy_max,energy_slope,energy_exponent,energy_verdict,constraint_scaled_max,displacement

echo
echo 'Results, reports (open in a browser) and figures:'
ls -1 demo/*.h5 demo/*.html demo/*.png
