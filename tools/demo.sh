#!/bin/bash
# demo.sh: an order study and a conservation study on two ranks: tables here, reports and figures in demo/.
# Called by `make demo`. Prints a line per stage; what the stages print is in demo/log.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
constella=${BUILD:-build}/constella
python=${PYTHON:-/usr/bin/python3}
export PYTHON=$python

# Containers run as root, and a machine may have only one core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe   # Open MPI 5
export OMPI_MCA_orte_execute_quiet=1

mkdir -p demo
log=demo/log   # begun by `make demo`
: >>"$log"

# stage WORDS COMMAND...: its output goes to the log, and its end is printed if it fails.
stage() {
  printf '%s\n' "$1"
  printf '\n== %s\n' "${*:2}" >>"$log"
  "${@:2}" >>"$log" 2>&1 || { status=$?; tail -n 20 "$log" >&2; echo "demo: failed; all output: $log" >&2; exit "$status"; }
}

study() {   # NAME COLUMNS
  stage "running examples/$1.yaml on 2 ranks" mpirun -n 2 "$constella" run "examples/$1.yaml" -o "demo/$1.h5" --overwrite --progress log
  stage "drawing demo/$1.html and its figures" "$constella" report "demo/$1.h5" -o "demo/$1.html" --figures demo
  echo
  echo "\$ $constella table demo/$1.h5 --columns $2"
  "$constella" table "demo/$1.h5" --columns "$2"
  echo
}
study order method,step,error_q,error_p,rate_q,rate_p,order_q,flag_q,order_p,flag_p
study conservation method,step,members,energy_max,energy_slope,energy_exponent,energy_verdict,constraint_scaled_max,displacement
echo "results, reports (open in a browser) and figures: demo/; all output: $log"
