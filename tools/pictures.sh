#!/bin/bash
# pictures.sh: the figures of the README and of docs/, from jobs and examples. Called by `make pictures`.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
constella=${BUILD:-build}/constella
export PYTHON=${PYTHON:-/usr/bin/python3} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT

run() { "$constella" run "${2:-jobs}/$1.yaml" -o "$box/$1.h5" --progress none; }   # JOB [FOLDER]
picture() {   # JOB KIND FILE [OPTION ...]
  local job=$1 kind=$2 file=$3
  shift 3
  "$constella" plot "$box/$job.h5" "$kind" -o "docs/$file" "$@"
  echo "docs/$file"
}
run order examples
picture order order order.png
run two-beads-conservation
picture two-beads-conservation drift two-beads.png
picture two-beads-conservation mechanism two-beads-motion.png --methods rattle --time 0:4
mkdir "$box/frequencies"
run frequencies/henon-heiles
picture frequencies/henon-heiles frequencies frequency-map.png
run frequencies/blob
picture frequencies/blob blob blob.png --x 'atan2(x, -y)' --y "x*y' - y*x'"
run frequencies/thermostat
picture frequencies/thermostat autocorrelation autocorrelation.png
run frequencies/diffusion
picture frequencies/diffusion displacement displacement.png
run frequencies/errors
picture frequencies/errors errors final-errors.png
run frequencies/space
picture frequencies/space space space.png
mkdir "$box/sections"
for job in henon-heiles-12 henon-heiles-8 driven-pendulum; do
  run sections/$job
  picture sections/$job section section-$job.png --z member
done
run sections/spherical-double-pendulum
picture sections/spherical-double-pendulum section section-spherical-double-pendulum.png
"$PYTHON" tools/near-root.py "$constella" docs/near-root.png
echo docs/near-root.png
