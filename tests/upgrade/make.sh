#!/bin/bash
# make.sh: writes a set of files for test_upgrade.py into an empty folder: inputs, and what the program makes of them.
#
#     CONSTELLA=build/constella tests/upgrade/make.sh tests/upgrade/VERSION-COMMIT
#
# A set is made once, by the program of a commit, and never again (README.md). Results are packed by xz; COMMANDS names the program
# and has one line for each command. A study NAME.yaml has the result NAME.h5, its table NAME.csv, and, where it can be extended,
# the larger studies NAME-more.yaml (members, steps, methods) and NAME-later.yaml (a later end).
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
program=$(realpath "${CONSTELLA:-build/constella}")
strike=$(realpath "${BUILD:-build}/tests/survive/strike.so")
layer=$(realpath "$(dirname "$0")/../../jobs/layers/kutta38.c")
export CONSTELLA_ANALYSIS=${CONSTELLA_ANALYSIS:-$(realpath "$(dirname "$0")/../../analysis")}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
version=$("$program" --version | head -n 1)
case $version in *dirty*|*unknown*) echo "make.sh: $version is no commit" >&2; exit 2 ;; esac
[ $# = 1 ] || { echo 'make.sh FOLDER' >&2; exit 2; }
mkdir -p "$1" && cd "$1"
[ -z "$(ls -A)" ] || { echo "make.sh: $1 is not empty; a set that exists is never renewed" >&2; exit 2; }

printf '# What made these files: %s. One line for each command, in this folder.\n# SPDX-License-Identifier: BSD-2-Clause\n' "$version" >COMMANDS

# A file, from standard input. Each has its licence.
text() { { cat; echo '# SPDX-License-Identifier: BSD-2-Clause'; } >"$1"; }

# A command of the program, which must end with the status STATUS, or 0.
made() {
  local status=0
  echo "constella$(printf ' %q' "$@")" >>COMMANDS
  "$program" "$@" >output 2>&1 || status=$?
  [ "$status" = "${STATUS:-0}" ] || { cat output; echo "make.sh: constella $*: status $status" >&2; exit 1; }
  rm -f output
}

study() {   # NAME [OPTIONS]: NAME.yaml, from standard input, NAME.h5 and NAME.csv
  text "$1.yaml"
  made run "$1.yaml" -o "$1.h5" --progress none "${@:2}"
  "$program" table "$1.h5" --format csv >"$1.csv"
}

larger() {   # NAME FORM SED: NAME-FORM.yaml
  sed "$3" "$1.yaml" >"$1-$2.yaml"
  ! cmp -s "$1.yaml" "$1-$2.yaml" || { echo "make.sh: $1-$2.yaml is no larger study" >&2; exit 1; }
}

# ---- systems, a layer in C, starts ----
text bead.yaml <<'E'
system: bead
doc: A bead on an ellipsoid.
coordinates: [x, y, z]
parameters: {m: 1, g: 1, a: 1, c: 2}
units: {x: m, time: s}
mass: [m, m, m]
define: {r2: x^2 + y^2}
potential: m*g*z
constraints: {surface: r2/a^2 + z^2/c^2 - 1}
symmetries: {rotation-z: [-y, x, 0]}
events: {front: {when: x, direction: up}}
states: {default: {q: [0.6*a, 0, -0.8*c], v: [0, 1, 0]}, low: {q: [0, 0, -c], v: [0.5, 0.2, 0]}}
E
text tops.yaml <<'E'
system: tops
parameters: {n: {size: 2}, m: 1, g: 1, k: 0.5}
bodies: {"top[n]": {rotation: R, centre: [x, y, z], mass: m, inertia: [0.3, 0.3, 0.2]}}
potential: sum(i, 1, n, m*g*z[i] + k/2*(x[i]^2 + y[i]^2 + z[i]^2)) + R33[1]
states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.3*i, omega: [0, 0.2, 3], centre: [i, 0, 0]}}}}
E
text skate.yaml <<'E'
system: skate
parameters: {d: 0.1}
coordinates: [x, y, th]
mass: [1, 1, 1]
potential: x^2/2
forces: {drag: ["-d*x'", "-d*y'", 0]}
nonholonomic: {blade: "x'*sin(th) - y'*cos(th)"}
symmetries: {translation-y: [0, 1, 0]}
states: {default: {q: [0, 0, 0.5], v: [cos(0.5), sin(0.5), 1]}}
E
text starts.csv <<'E'
x,y,x',y'
0,-1,0.5,0
0.6,-0.8,0.4,0.3
E
sed -i '/SPDX/d' starts.csv
cp "$layer" kutta38.c

# ---- results ----
study order <<'E'
study: order
title: Orders on a system of a file
system: {file: bead.yaml}
end: 1
steps: {counts: [10, 20, 40]}
layers:
  text: {a: [[0, 0], [1/2, 0]], b: [0, 1]}
  kutta: {file: kutta38.c}
schemes: {mine: [1/(2-2^(1/3)), 1-2/(2-2^(1/3)), 1/(2-2^(1/3))]}
methods: [rattle, "compose(rattle, mine)", "convert(text)", project(kutta)]
reference: {method: "gauss(6)", step: 0.05}
error: {of: [q, p, lambda], norm: two, over: coarse}
observables: [energy, constraint, momentum, "height: z", "pull: lambda_surface"]
trajectories: {members: [0], every: 5, store: [q, v, p, lambda, height]}
E
larger order more 's/methods: \[/methods: [midpoint, /'

study self <<'E'
study: order
system: {name: planar-pendulum, parameters: {g: [1, 9.81]}}
initial: {csv: starts.csv}
end: 1
steps: {from: 0.1, halvings: 1}
methods: [rattle, midpoint, "hbvm(k=3, s=2)"]
reference: self
error: {of: [q, p], over: mesh}
E
larger self more 's/\[1, 9.81\]/[1, 2, 9.81]/'

study conservation <<'E'
study: conservation
system: {file: bead.yaml, parameters: {c: [1.5, 2]}}
initial: {members: 2, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: 12.8
steps: [0.1]
methods: [rattle, project(rk4)]
observe: every
observables: [energy, momentum, constraint, "height: z"]
samples: {count: 20, spacing: linear}
extremes: [{name: lowest, expression: z}]
events: [{name: front, take: [y, "y'"], keep: 4}, {name: strobe, every: 1.6, take: [x], keep: 4}]
trajectories: {members: {worst: 1, by: energy}, every: 16, store: [q, v, energy]}
extensible: true
E
larger conservation more 's/members: 2/members: 3/; s/rattle, /rattle, euler-a, /'
larger conservation later 's/end: 12.8/end: 25.6/'

study ensemble <<'E'
study: ensemble
system: spherical-pendulum
initial: {members: 5, seed: 11, around: default, spread: {q: 0.05, v: 0.2}}
end: 4
steps: [0.04]
methods: [rattle, "langevin(rattle, friction=1, inverse-temperature=2)"]
observables: [energy, momentum, temperature, "height: z"]
burn-in: 0.1
averages: {weight: fixman}
histograms: [{name: heights, expression: z, from: -1.2, to: 1.2, bins: 6, weight: fixman}]
autocorrelation: [{name: swing, expression: "x'", every: 0.08, lags: 4}]
mean-square-displacement: [{name: way, expression: x, every: 0.08, lags: 4}]
samples: {count: 10}
trajectories: {members: [0, 3], every: 25}
E
larger ensemble more 's/members: 5/members: 8/; s/\[0.04\]/[0.04, 0.02]/'

# Some of its trajectories fail, and others are ended by an event.
STATUS=1 study failing <<'E'
study: ensemble
system: planar-pendulum
initial: {members: 12, seed: 1, around: default, spread: {v: 3.0}}
end: 20
steps: [0.25]
methods: [rattle, midpoint]
events: [{name: high, when: y - 0.5, stop: true, take: [x]}]
samples: {count: 10}
E
larger failing more 's/members: 12/members: 16/'

study motions <<'E'
study: conservation
system: henon-heiles
initial: {grid: {y: [0.1, 0.2], "x'": [0.2, 0.3]}, around: {q: [0, 0], v: [0, 0]}}
end: 51.2
steps: [0.1]
methods: [rattle, euler-a]
observables: [energy, energy-shadow, lyapunov, megno, two-form, volume, reversibility]
tangent: {vectors: 2, every: 0.8}
frequencies: [{name: nu, expression: x, imaginary: "-x'", every: 0.2, terms: 2}]
samples: {count: 10}
E
larger motions more 's/euler-a\]/euler-a, euler-b]/'

study bodies <<'E'
study: conservation
system: {file: tops.yaml}
end: 6.4
steps: [0.1]
methods: [rattle, lie-rattle, "gauss(2)"]
initial: {sweep: {"x[1]": [1, 1.5]}}
samples: {count: 10}
trajectories: {members: [0], every: 32}
E
larger bodies more 's/\[0.1\]/[0.1, 0.05]/'

study skates <<'E'
study: conservation
system: {file: skate.yaml}
end: 6.4
steps: [0.1]
methods: ["lagrange-dalembert(rk4)", "project(rk4)"]
observables: [energy, momentum, constraint, balance, momentum-balance]
momentum-balance: {symmetries: {translation-x: [1, 0, 0], along: {translation-x: cos(th), translation-y: sin(th)}}}
tangent: {every: 0.8}
samples: {count: 10}
E
larger skates more 's/\[0.1\]/[0.1, 0.05]/'

study stages <<'E'
study: conservation
system: {name: damped-double-pendulum, parameters: {k: 0.2}}
end: 4
steps: [0.05]
methods: [rattle]
stages: [{until: 1}, {until: 2.5, parameters: {k: "5*k", m2: 2}}, {parameters: {k: 0}}]
samples: {count: 10}
E
larger stages more 's/\[0.05\]/[0.05, 0.025]/'

study work <<'E'
study: work-precision
system: double-pendulum
initial: low
end: 1
steps: {counts: [20, 40, 80]}
methods: [rattle, "compose(rattle, suzuki4)"]
reference: {method: "gauss(6)", step: 0.05}
accuracies: [1.0e-2, 1.0e-4, 1.0e-6]
timing: {repeats: 2}
E
larger work more 's/suzuki4)"/suzuki4)", midpoint/'

# From where an earlier result has ended, and with PETSc's own solvers.
study onwards <<'E'
study: conservation
system: spherical-pendulum
initial: {from: ensemble.h5, case: 0}
end: 3.2
steps: [0.1]
methods: [midpoint]
samples: {count: 10}
E
study petsc <<'E'
study: order
system: double-pendulum
initial: low
end: 0.5
steps: {counts: [5, 10]}
methods: [midpoint]
solver: {engine: petsc}
reference: {method: "gauss(4)", step: 0.05}
E

# A result that was extended: of some trajectories windows are sums of parts.
cp conservation.h5 extended.h5
cp conservation-later.yaml extended.yaml
made extend extended.h5 extended.yaml --progress none
"$program" table extended.h5 --format csv >extended.csv

# ---- unfinished ----
text stopped.yaml <<'E'
study: conservation
system: double-pendulum
initial: {members: 3, seed: 7, around: low, spread: {q: 0.05, v: 0.05}}
end: 1000
steps: [0.1, 0.05]
methods: [midpoint, rattle]
samples: {count: 20}
E
# Stopped again and again, until some trajectories are done and others are on their way: it waits after every 2 ms of work.
for _ in 1 2 3 4 5 6 7 8 9; do
  (export LD_PRELOAD=$strike STRIKE_PAUSE=0.02
   STATUS=75 made run stopped.yaml -o stopped.h5 --resume --progress none --batch 4 --max-hours 0.0002)
  "$program" status stopped.h5 | grep -q '^trajectories *[1-9]' && break
done
"$program" status stopped.h5 | grep -q '^trajectories *[1-9] of 12' || { echo 'make.sh: stopped.h5 has none that are done, or all' >&2; exit 1; }

text part.yaml <<'E'
study: ensemble
system: spherical-pendulum
initial: {members: 6, seed: 3, around: default, spread: {q: 0.05, v: 0.2}}
end: 2
steps: [0.05]
methods: [rattle, midpoint]
samples: {count: 5}
E
for k in 1 2; do made run part.yaml --part $k/2 -o part-$k.h5 --progress none; done

# ---- certificates, choices, origins ----
text certificate.yaml <<'E'
study: certify
methods: [rattle, mine]
systems: [henon-heiles]
claims: "order=2, symplectic, energy-bounded"
layers: {mine: {a: [[0, 0], [1/2, 0]], b: [0, 1]}}
E
larger certificate more 's/symplectic, /symplectic, symmetric, /'
STATUS=1 made run certificate.yaml -o certificate.json
text choice.yaml <<'E'
study: choose
system: planar-pendulum
goal: energy 1e-3 until 20
methods: [rattle, midpoint]
members: 2
budget: 5s
E
made run choice.yaml -o choice.json
made choose planar-pendulum --goal 'energy 1e-3 until 20' --methods rattle,midpoint --members 2 --budget 5s --proof proof.yaml --quiet -o chosen.json
rm chosen.json
made explain conservation.h5 --methods 'project(rk4)' --where 'c = 2' --budget 1s

xz -9e ./*.h5 ./*.h5.checkpoint.* ./*.json
