#!/bin/bash
# test-scripts.sh: the job scripts of `constella submit`, run with a made-up run, mpirun and scheduler: a job
# goes back into the queue on exit status 75 alone, and not when it is deleted; signals reach the run; the log
# is kept. TAP.
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016  # the stubs expand their own variables
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../record/tap.sh"
program=$(realpath "${CONSTELLA:-build/constella}") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/a b's"
cd "$folder/a b's" || exit 1

stub() {   # stub NAME: the body comes on stdin
  { echo '#!/bin/bash'; cat; } >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
# The run: waits for USR1 on request, makes its result, and ends with a status.
stub constella <<'END'
echo "constella $*"
[[ $1 == run || $1 == merge ]] || exit 0
trap 'kill $(jobs -p) 2>/dev/null; exit 75' USR1
until [[ $1 == -o ]]; do shift; done
touch "$2"; [[ $WAITS ]] || touch working
if [[ $WAITS ]]; then sleep 9999 & touch working; wait $!; fi
exit $STATUS
END
stub mpirun <<<'while [[ $1 == -* ]]; do shift 2; done; exec "$@"'
# STARTS=no: it does not come so far as to start the run, and ends with status 0, as Slurm's does.
stub srun <<'END'
[[ $1 != --mpi=list ]] || { echo pmix; exit; }
if [[ $STARTS == no ]]; then
  trap 'kill $(jobs -p) 2>/dev/null; exit 0' USR1
  if [[ $WAITS ]]; then sleep 9999 & touch working; wait $!; fi
  exit 0
fi
shift
exec "$@"
END
for name in qsub scontrol; do stub $name <<<'echo "${0##*/} $*" >>"$CALLS"'; done
export PATH=$folder/bin:$PATH CALLS=$folder/calls STATUS WAITS STARTS SLURM_JOB_ID=1 SLURM_JOB_NODELIST=here PBS_JOBID=1 JOB_ID=1

cp "$here/small.yaml" study.yaml
for scheduler in slurm pbs sge; do
  "$program" submit study.yaml --scheduler $scheduler --ranks 2 --hours 1 --requeue 2 --dry-run 2>/dev/null >study.$scheduler
done

# job SCHEDULER: execs its script as a batch system does, from another folder; its output goes into
# $folder/out
job() {
  rm -f "$CALLS" working
  cd / && CONSTELLA=$folder/bin/constella exec bash "$folder/a b's/study.$1" >"$folder/out" 2>&1
}
calls() { cat "$CALLS" 2>/dev/null; }
log() { cat "$folder/out" study.log 2>/dev/null; }

# after SCHEDULER STATUS WANTED CALLS: a run that ends with STATUS
after() {
  STATUS=$2 WAITS=''
  (job "$1")
  is "$1, run $2: status and scheduler" "$?: $(calls)" "$3: $4"
}

# told SCHEDULER SIGNAL WANTED CALLS: a signal to the script during the run
told() {
  local script
  STATUS=1 WAITS=yes
  rm -f working
  job "$1" &
  script=$!
  until [[ -e working ]]; do sleep 0.05; done
  kill -"$2" $script
  wait $script
  is "$1, SIG$2: status and scheduler" "$?: $(calls)" "$3: $4"
}

declare -A again=([slurm]='scontrol requeue 1' [pbs]='qsub -v CONSTELLA_AGAIN=1 study.pbs' [sge]='')
for scheduler in slurm pbs sge; do
  back=75
  [[ $scheduler != sge ]] || back=99
  rm -f study.log
  after $scheduler 0 0 ""
  has "$scheduler: the run" "$(log)" "constella run $PWD/study.yaml -o $PWD/study.h5 --resume --max-hours 0.9500 --progress log"
  has "$scheduler: the table of a run that is complete" "$(log)" "constella table $PWD/study.h5"
  rm -f study.log
  after $scheduler 75 $back "${again[$scheduler]}"
  lacks "$scheduler: no table of a run that is not" "$(log)" "constella table"
  for status in 1 2 137; do after $scheduler $status $status ""; done
  rm -f study.log
  told $scheduler USR1 $back "${again[$scheduler]}"
  rm -f study.log
  told $scheduler TERM 75 ""
  has "$scheduler: how to go on" "$(log)" "continue with: "
done
rm -f study.log
told sge USR2 75 ""
# A srun that fails, or is signalled, while it starts the ranks, and leaves no result.
rm -f study.log study.h5
STARTS=no
after slurm 0 1 ""
told slurm USR1 75 "scontrol requeue 1"
STARTS=''

# At most this long.
SLURM_RESTART_COUNT=1 after slurm 75 75 "scontrol requeue 1"
SLURM_RESTART_COUNT=2 after slurm 75 75 ""
CONSTELLA_AGAIN=1 after pbs 75 75 "qsub -v CONSTELLA_AGAIN=2 study.pbs"
CONSTELLA_AGAIN=2 after pbs 75 75 ""
rm -f study.log
after sge 75 99 ""
after sge 75 99 ""
after sge 75 75 ""
is "sge: the log holds all of it" "$(grep -c '^== job 1 ' study.log)" 3

# The jobs of an array, each of which computes its part, and the job that merges these.
export SLURM_ARRAY_TASK_ID=2 PBS_ARRAY_INDEX=2 SGE_TASK_ID=2
for scheduler in slurm pbs sge; do
  rm -f study*.h5
  "$program" submit study.yaml --scheduler $scheduler --ranks 2 --hours 1 --requeue 2 --array 3 --dry-run 2>/dev/null |
    awk -v name=study -v end=$scheduler '/^#!/ { file = name (n++ ? "-merge." : ".") end; printf "" >file } { print >>file }'
  rm -f study*.log
  again[pbs]='qsub -J 2-3:2 -v CONSTELLA_AGAIN=1 study.pbs' back=75
  [[ $scheduler != sge ]] || back=99
  after $scheduler 75 $back "${again[$scheduler]}"
  after $scheduler 0 0 ""
  has "$scheduler: the second part" "$(log; cat study-2.log 2>/dev/null)" "constella run $PWD/study.yaml --part 2/3 -o $PWD/study.part-2-of-3.h5 --resume --max-hours 0.9500"
  has "$scheduler: its status" "$(log; cat study-2.log 2>/dev/null)" "constella status $PWD/study.part-2-of-3.h5"
  mv study-merge.$scheduler study.$scheduler
  after $scheduler 0 0 ""
  has "$scheduler: the merge" "$(log; cat study-merge.log 2>/dev/null)" "constella merge $PWD/study.part-1-of-3.h5 $PWD/study.part-2-of-3.h5 $PWD/study.part-3-of-3.h5 -o $PWD/study.h5 --resume"
  has "$scheduler: its table" "$(log; cat study-merge.log 2>/dev/null)" "constella table $PWD/study.h5"
  if [[ $scheduler == pbs ]]; then
    echo 5.server >study.again
    echo 6.server >>study.again
    after pbs 2 75 "qsub -W depend=afterany:5.server:6.server study-merge.pbs"
    is "pbs: which it waits for is told once" "$(cat study.again 2>/dev/null)" ""
  fi
  after $scheduler 2 2 ""
done
done_testing
