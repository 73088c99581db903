#!/bin/bash
# interrupted.sh: runs a study undisturbed, then again with interruptions at random instants, and checks
# that both files are equal, bit for bit.
#
#   jobs/interrupted.sh STUDY.yaml [TIMES [SECONDS_BETWEEN_CHECKPOINTS]]
#
# The second run is interrupted TIMES times (5), alternately by SIGKILL and SIGUSR1, at random instants
# spread over its duration, and resumed on another number of ranks. Results are in the current folder:
# STUDY-undisturbed.h5 and STUDY-interrupted.h5.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
study=${1:?usage: jobs/interrupted.sh STUDY.yaml [TIMES [SECONDS_BETWEEN_CHECKPOINTS]]}
times=${2:-5}
name=$(basename "${study%.*}")
ranks=(1 2 3 5)
here=$(cd "$(dirname "$0")" && pwd)
constella=${CONSTELLA:-$(command -v constella || echo "$here/../build/constella")}
launcher=${LAUNCHER:-mpirun -n}
# More ranks than cores, which Open MPI refuses otherwise; the second name is that of version 5.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

began=$(date +%s.%N)
$launcher "${RANKS:-2}" "$constella" run "$study" -o "$name-undisturbed.h5" --overwrite --progress none
seconds=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
interval=${3:-$(awk -v t="$seconds" 'BEGIN { print t / 50 < 600 ? t / 50 : 600 }')}
echo "undisturbed: $seconds s; a checkpoint every $interval s"

rm -f "$name-interrupted.h5"
for ((i = 0; i < times; i++)); do
  n=${ranks[i % 4]}
  after=$(awk -v t="$seconds" -v k="$times" -v r=$RANDOM \
    'BEGIN { print 0.5 + t / k * (0.2 + 0.6 * r / 32768) }')
  setsid $launcher "$n" "$constella" run "$study" -o "$name-interrupted.h5" --resume \
    --checkpoint-seconds "$interval" --progress none &
  run=$!
  sleep "$after"
  how=KILL; ((i % 2)) && how=USR1
  if kill -0 $run 2>/dev/null; then
    if [ $how = KILL ]; then
      kill -KILL -- -$run $(pgrep -f -- "-o $name-interrupted.h5") 2>/dev/null || true
    else
      kill -USR1 $run
    fi
  fi
  status=0; wait $run 2>/dev/null || status=$?
  state=$("$constella" status "$name-interrupted.h5" 2>/dev/null | grep -E '^(work|checkpoint)' | tr -s ' ' |
    paste -sd' ') || true
  echo "$how after $after s on $n ranks: exit status $status; $state"
done
$launcher "${RANKS:-2}" "$constella" run "$study" -o "$name-interrupted.h5" --resume --progress none

if h5diff --exclude-path=/run "$name-undisturbed.h5" "$name-interrupted.h5"; then
  echo "equal: every dataset and attribute outside /run"
else
  echo "interrupted.sh: error: the two files differ" >&2
  exit 1
fi
"$constella" table "$name-interrupted.h5"
