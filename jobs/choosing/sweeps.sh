#!/bin/sh
# sweeps.sh: choices on six systems of the catalogue, and on the eight of fresh/, which had no part in the making of `constella
# choose`, against exhaustive sweeps.
#
#     jobs/choosing/sweeps.sh FOLDER [SECONDS] [STARTS]
#
# Sweeps take SECONDS of computing (1200) beside those of the STARTS fresh ones (100). What is complete is not run again.
# SPDX-License-Identifier: BSD-2-Clause
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${CONSTELLA:-$here/../../build/constella}
mkdir -p "$1" && cd "$1"
one() {
  name=$(basename "$1" .yaml)
  test -s "$name.sweep.txt" && return
  test -s "$name.txt" || "$program" choose "$1" --goal "$2" --budget 1min -o "$name.json" $(test -e "$name.json" && echo --resume) --explain >"$name.part" 2>"$name.log" || true
  test -e "$name.part" && mv "$name.part" "$name.txt"
  /usr/bin/python3 "$here/sweep.py" "$name.json" --seconds "$seconds" --starts "$starts" >"$name.part" && mv "$name.part" "$name.sweep.txt"
}
seconds=${2:-1200} starts=${3:-100}
one kepler "position 1e-6 until 20, momentum exact"
one tethered-satellites "energy 1e-4 until 1e4"
one bead-on-torus "energy 1e-5 until 1e4, momentum exact"
one four-bar "position 1e-5 until 10, constraint 1e-9"
one double-pendulum "energy 1e-4 until 1e4"
one lagrange-top "position 1e-6 until 10, constraint 1e-10"
one "$here/fresh/triple-pendulum.yaml" "energy 1e-4 until 1e3"
one "$here/fresh/uneven-top.yaml" "energy 1e-3 until 1e3"
one "$here/fresh/bent-molecule.yaml" "energy 1e-4 until 1e3"
one "$here/fresh/driven-rocker.yaml" "position 1e-5 until 10"
one "$here/fresh/sprung-sleigh.yaml" "position 1e-5 until 20"
one "$here/fresh/elastic-pendulum.yaml" "energy 1e-3 until 1e3"
one "$here/fresh/logarithmic-galaxy.yaml" "energy 1e-5 until 1e4"
one "$here/fresh/screened-binary.yaml" "position 1e-6 until 20, momentum exact"
