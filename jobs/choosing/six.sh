#!/bin/sh
# six.sh: choices on six systems, of which three had no part in the making of `constella choose`, against exhaustive sweeps.
#
#     jobs/choosing/six.sh FOLDER [SECONDS] [STARTS]
#
# Sweeps take SECONDS of computing (1200) beside those of the STARTS fresh ones (100). What is complete is not run again.
# SPDX-License-Identifier: BSD-2-Clause
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${CONSTELLA:-$here/../../build/constella}
mkdir -p "$1" && cd "$1"
one() {
  test -s "$1.sweep.txt" && return
  test -s "$1.txt" || "$program" choose "$1" --goal "$2" --budget 1min -o "$1.json" $(test -e "$1.json" && echo --resume) --explain >"$1.part" 2>"$1.log" || true
  test -e "$1.part" && mv "$1.part" "$1.txt"
  /usr/bin/python3 "$here/sweep.py" "$1.json" --seconds "$seconds" --starts "$starts" >"$1.part" && mv "$1.part" "$1.sweep.txt"
}
seconds=${2:-1200} starts=${3:-100}
one kepler "position 1e-6 until 20, momentum exact"
one tethered-satellites "energy 1e-4 until 1e4"
one bead-on-torus "energy 1e-5 until 1e4, momentum exact"
one four-bar "position 1e-5 until 10, constraint 1e-9"
one double-pendulum "energy 1e-4 until 1e4"
one lagrange-top "position 1e-6 until 10, constraint 1e-10"
