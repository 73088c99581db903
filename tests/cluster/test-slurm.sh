#!/bin/bash
# test-slurm.sh: `constella submit` and its job script on a real Slurm, a private one: jobs that complete, are
# signalled before their limit, preempted, cancelled, refused, wrongly started. A requeued job ends with the
# result of an undisturbed one. TAP.
# SPDX-License-Identifier: BSD-2-Clause
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../record/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
unset HWLOC_COMPONENTS # slurmd counts cores with it
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
export CONSTELLA PATH=$PATH:/usr/sbin
CONSTELLA=$(realpath "${CONSTELLA:-build/constella}")
strike=$(realpath "${BUILD:-build}/tests/survive/strike.so")
for name in ${!SLURM_*} ${!SBATCH_*}; do unset "$name"; done # of a job that this test may be
for program in slurmctld slurmd sbatch srun; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed (package slurm-wlm)"; exit 0; }
done

folder=$(mktemp -d)
trap '"$here/slurm-box.sh" stop "$folder/box"; cd /; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP
cd "$folder" || exit 1
"$here/slurm-box.sh" start "$folder/box" 10 2>why || { sed 's/^/# /' why; echo '1..0 # SKIP Slurm does not start here'; exit 0; }
export SLURM_CONF=$folder/box/slurm.conf

# A study of some seconds on two ranks, in most of which they wait (strike.c).
study() {
  cat <<END
study: conservation
system: ${1:-double-pendulum}
initial: {members: 64, seed: 7, around: default, spread: {q: 0.05, v: 0.05}}
end: ${2:-1000.0}
steps: [0.01]
methods: [rattle, "compose(rattle, suzuki4)"]
observables: [energy, constraint]
checkpoint: {seconds: 0.5}
END
}

# submit NAME ...: the study NAME.yaml as job NAME; puts its identity into $job, the output into out and err.
submit() {
  "$CONSTELLA" submit "$1.yaml" --scheduler slurm --hours 0.2 "${@:2}" >out 2>err
  status=$?
  job=$(sed -n 's/^job \([0-9]*\): .*/\1/p' out)
}

field() { scontrol show job "$1" 2>/dev/null | grep -o "$2=[^ ]*" | sed 's/[^=]*=//'; }
state() { echo "$(field "$1" JobState), exit $(field "$1" ExitCode), restarts $(field "$1" Restarts)"; }

# until_true SECONDS COMMAND...: whether it succeeds within this time.
until_true() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    sleep 0.3
  done
}
ended() { [[ $(field "$1" JobState) =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }
preempted() { [[ $(field "$1" PreemptTime) != None ]]; }

# Whether the ranks of job $2 called $1 are running: the file exists.
at_work() { [[ -e $1.h5 ]] || ended "$2"; }

log() { cat "$1"-*.log 2>/dev/null; }

is_same() {
  h5diff --exclude-path /run undisturbed.h5 "$1.h5" >differences 2>&1
  is "$1: the result of an undisturbed run" "$?: $(cat differences)" "0: "
}

# went_on NAME JOB SIGNAL
went_on() {
  until_true 600 ended "$2"
  is "$1: completed, put back once" "$(state "$2")" "COMPLETED, exit 0:0, restarts 1"
  has "$1: the log is kept, with the reason" "$(log "$1" | sed '/put back 1 times/,$d')" "interrupted by $3"
  has "$1: ... and ends with the table" "$(log "$1" | sed '/put back 1 times/,$!d')" "energy_verdict"
  is_same "$1"
}

# ---- what is submitted

for name in undisturbed signalled relayed preempted cancelled mistaken; do study >$name.yaml; done
sed 's/^if srun --mpi=list.*/launch=(mpirun -n @RANKS@)/' "$here/../../jobs/submit.slurm" >mpirun.template

submit undisturbed --ranks 2 --template mpirun.template
undisturbed=$job
export LD_PRELOAD=$strike STRIKE_PAUSE=0.45
is "submit: exit status" "$status: $(cat err)" "0: "
has "submit: how to watch it" "$(cat out)" "constella status $folder/undisturbed.h5"
submit signalled --ranks 2
signalled=$job
submit relayed --ranks 2 --template mpirun.template
relayed=$job
submit preempted --ranks 2 --partition spare
preempted=$job
submit cancelled --ranks 2
cancelled=$job

study double-pendulum 800.0 >array.yaml
# Three parts, of which the second is put back while the job that merges them waits.
submit array --ranks 1 --array 3
array=$(head -n 1 <<<"$job") merge=$(tail -n 1 <<<"$job")
is "an array: exit status" "$status: $(cat err)" "0: "
has "an array: its merge waits for it" "$(field "$merge" Dependency)" "afterany:$array"

submit mistaken --ranks 64
is "too many ranks: exit status" "$status" 1
has "too many ranks: the scheduler's words" "$(cat err)" "sbatch: error"
has "too many ranks: ours" "$(cat err)" "sbatch has not taken the job"
is "too many ranks: no script is left" "$(ls mistaken.slurm 2>/dev/null)" ""

# ---- the ends of the jobs

for name in signalled relayed preempted cancelled; do until_true 300 at_work $name "${!name}"; done
sleep 0.5
# The first takes the cores that the undisturbed job may have left already.
for seconds in 4 1; do sbatch --parsable -p urgent -n 2 -o urgent.log --wrap "sleep $seconds" >/dev/null; done
until_true 15 preempted "$preempted"
scancel -b -s USR1 "$signalled" "$relayed" # as Slurm does before the limit
scancel "$cancelled"
until_true 300 test -e array.part-2-of-3.h5 # on the cores that are free now
scancel -b -s USR1 "${array}_2"
until_true 100 ended "$cancelled"
sleep 1
is "cancelled: stays so" "$(field "$cancelled" JobState), restarts $(field "$cancelled" Restarts)" "CANCELLED, restarts 0"
has "cancelled: the log says how to go on" "$(log cancelled)" "continue with: sbatch cancelled.slurm"
submit cancelled --ranks 2
again=$job

unset LD_PRELOAD STRIKE_PAUSE

study doubel-pendulum >mistaken.yaml
"$CONSTELLA" submit signalled.yaml --scheduler slurm --hours 0.2 --ranks 1 --name mistaken --dry-run 2>/dev/null | sed 's/signalled\./mistaken./' >mistaken.slurm
mistaken=$(sbatch --parsable mistaken.slurm)
until_true 600 ended "$mistaken"
is "a study with a mistake: failed, not put back" "$(state "$mistaken")" "FAILED, exit 2:0, restarts 0"
has "a study with a mistake: the log says where" "$(log mistaken)" "mistaken.yaml:2:9: error: unknown system"

srun --mpi=none -n 2 "$CONSTELLA" run signalled.yaml -o alone.h5 >out 2>err
is "srun --mpi=none: exit status" "$?" 2
is "srun --mpi=none: said once" "$(grep -c 'srun has started 2 processes' err)" 1
is "srun --mpi=none: no file" "$(ls alone.h5 2>/dev/null)" ""
study double-pendulum 1.0 >short.yaml
sbatch --parsable -W -n 4 -o inside.log --wrap "$CONSTELLA run short.yaml -o one.h5; mpirun -n 2 $CONSTELLA run short.yaml -o two.h5; srun --mpi=pmix -n 2 $CONSTELLA run short.yaml -o three.h5" >/dev/null
is "one process, mpirun and srun of fewer ranks than the job has" "$(grep -c "h5: complete" inside.log)" 3

until_true 600 ended "$undisturbed"
is "undisturbed, with mpirun: completed" "$(state "$undisturbed")" "COMPLETED, exit 0:0, restarts 0"
has "undisturbed: the table stands in the log" "$(log undisturbed)" "energy_verdict"
went_on signalled "$signalled" SIGUSR1
went_on relayed "$relayed" SIGUSR1
went_on preempted "$preempted" SIGTERM
until_true 600 ended "$again"
is "cancelled, submitted again: completed" "$(state "$again")" "COMPLETED, exit 0:0, restarts 0"
is_same cancelled
until_true 900 ended "$merge"
is "the array: the second part was put back" "$(grep -c "put back 1 times" array-"$array"_2.log)" 1
is "the merge: completed" "$(state "$merge")" "COMPLETED, exit 0:0, restarts 0"
has "the merge: its log has the table" "$(cat array-merge-"$merge".log)" "energy_verdict"
"$CONSTELLA" run array.yaml -o whole.h5 --progress none >/dev/null
is "the merge: the result of one job" "$(h5diff --exclude-path /run whole.h5 array.h5 2>&1)" ""
h5diff --exclude-path /run undisturbed.h5 one.h5 >/dev/null 2>&1
is "h5diff tells results apart" $? 1
done_testing
