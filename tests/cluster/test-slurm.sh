#!/bin/bash
# test-slurm.sh: `constella submit` and its job script on a real Slurm, a private one: jobs that complete, are
# signalled before their limit, preempted, cancelled, refused, wrongly started. A requeued job ends with the
# result of an undisturbed one. Ranks wait at their work (strike.c) until what is to come to them has come. TAP.
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
# With gate=(...) its ranks wait.
gate=()
submit() {
  env "${gate[@]}" "$CONSTELLA" submit "$1.yaml" --scheduler slurm --hours 0.2 "${@:2}" >out 2>err
  status=$?
  job=$(sed -n 's/^job \([0-9]*\): .*/\1/p' out)
}

field() { scontrol show job "$1" 2>/dev/null | grep -o "$2=[^ ]*" | sed 's/[^=]*=//'; }
state() { echo "$(field "$1" JobState), exit $(field "$1" ExitCode), restarts $(field "$1" Restarts)"; }

# until_true COMMAND...: waits until it succeeds; after half an hour it says what for.
until_true() {
  local end=$((SECONDS + 1800))
  until "$@"; do
    ((SECONDS < end)) || { echo "# after 1800 s there is still not: $*"; return 1; }
    sleep 0.3
  done
}
ended() { [[ $(field "$1" JobState) =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }
preempted() { [[ $(field "$1" PreemptTime) != None ]]; }

# waits_at CALL PATH NAME: the gate of a job at that call on the path.
waits_at() { gate=(LD_PRELOAD="$strike" STRIKE="$1:WAIT" STRIKE_PATH="$2" STRIKE_GATE="$folder/$3.gate"); }

# at_gate NAME JOB RANKS [WORD]: whether all ranks are at work there, or have received a signal; or the job has ended.
at_gate() { (($(find . -name "$1.gate.*.${4:-here}" | wc -l) == $3)) || ended "$2"; }
open_gate() { touch "$1.gate.open"; }

log() { cat "$1"-*.log 2>/dev/null; }

is_same() {
  h5diff --exclude-path /run undisturbed.h5 "$1.h5" >differences 2>&1
  is "$1: the result of an undisturbed run" "$?: $(cat differences)" "0: "
}

# went_on NAME JOB SIGNAL
went_on() {
  until_true ended "$2"
  is "$1: completed, put back once" "$(state "$2")" "COMPLETED, exit 0:0, restarts 1"
  has "$1: the log is kept, with the reason" "$(log "$1" | sed '/put back 1 times/,$d')" "interrupted by $3"
  has "$1: ... and ends with the table" "$(log "$1" | sed '/put back 1 times/,$!d')" "energy_verdict"
  is_same "$1"
}

# ---- what is submitted

for name in undisturbed signalled relayed preempted cancelled mistaken; do study >$name.yaml; done
sed 's/^if srun --mpi=list.*/launch=(mpirun -n @RANKS@)/' "$here/../../jobs/submit.slurm" >mpirun.template

waits_at clock:20 "$folder/undisturbed.h5" undisturbed
submit undisturbed --ranks 2 --template mpirun.template
undisturbed=$job
is "submit: exit status" "$status: $(cat err)" "0: "
has "submit: how to watch it" "$(cat out)" "constella status $folder/undisturbed.h5"
waits_at clock:20 "$folder/signalled.h5" signalled
submit signalled --ranks 2
signalled=$job
waits_at clock:20 "$folder/relayed.h5" relayed
submit relayed --ranks 2 --template mpirun.template
relayed=$job
waits_at clock:20 "$folder/preempted.h5" preempted
submit preempted --ranks 2 --partition spare
preempted=$job
waits_at clock:20 "$folder/cancelled.h5" cancelled
submit cancelled --ranks 2
cancelled=$job

study double-pendulum 800.0 >array.yaml
# Three parts, of which the second is put back while the job that merges them waits.
waits_at pwrite:1 'array.part-2-of-3.h5$' array
submit array --ranks 1 --array 3
gate=()
array=$(head -n 1 <<<"$job") merge=$(tail -n 1 <<<"$job")
is "an array: exit status" "$status: $(cat err)" "0: "
has "an array: its merge waits for it" "$(field "$merge" Dependency)" "afterany:$array"

submit mistaken --ranks 64
is "too many ranks: exit status" "$status" 1
has "too many ranks: the scheduler's words" "$(cat err)" "sbatch: error"
has "too many ranks: ours" "$(cat err)" "sbatch has not taken the job"
is "too many ranks: no script is left" "$(ls mistaken.slurm 2>/dev/null)" ""

# ---- the ends of the jobs

# All cores are taken, so that an urgent job has to preempt.
for name in undisturbed signalled relayed preempted cancelled; do until_true at_gate $name "${!name}" 2; done
urgent=$(sbatch --parsable -p urgent -n 2 -o urgent.log --wrap "until [ -e '$folder/urgent.go' ]; do sleep 0.2; done")
until_true preempted "$preempted"
scancel -b -s USR1 "$signalled" "$relayed" # as Slurm does before the limit
scancel "$cancelled"
for name in signalled relayed preempted cancelled; do until_true at_gate $name "${!name}" 2 told; done
for name in undisturbed signalled relayed preempted cancelled; do open_gate $name; done
until_true ended "$cancelled"
is "cancelled: stays so" "$(field "$cancelled" JobState), restarts $(field "$cancelled" Restarts)" "CANCELLED, restarts 0"
has "cancelled: the log says how to go on" "$(log cancelled)" "continue with: sbatch cancelled.slurm"
submit cancelled --ranks 2
again=$job
touch urgent.go
until_true ended "$urgent"
until_true at_gate array "$merge" 1 # on the cores that are free now
scancel -b -s USR1 "${array}_2"
until_true at_gate array "$merge" 1 told
open_gate array

study doubel-pendulum >mistaken.yaml
"$CONSTELLA" submit signalled.yaml --scheduler slurm --hours 0.2 --ranks 1 --name mistaken --dry-run 2>/dev/null | sed 's/signalled\./mistaken./' >mistaken.slurm
mistaken=$(sbatch --parsable mistaken.slurm)
until_true ended "$mistaken"
is "a study with a mistake: failed, not put back" "$(state "$mistaken")" "FAILED, exit 2:0, restarts 0"
has "a study with a mistake: the log says where" "$(log mistaken)" "mistaken.yaml:2:9: error: unknown system"

srun --mpi=none -n 2 "$CONSTELLA" run signalled.yaml -o alone.h5 >out 2>err
is "srun --mpi=none: exit status" "$?" 2
is "srun --mpi=none: said once" "$(grep -c 'srun has started 2 processes' err)" 1
is "srun --mpi=none: no file" "$(ls alone.h5 2>/dev/null)" ""
study double-pendulum 1.0 >short.yaml
sbatch --parsable -W -n 4 -o inside.log --wrap "$CONSTELLA run short.yaml -o one.h5; mpirun -n 2 $CONSTELLA run short.yaml -o two.h5; srun --mpi=pmix -n 2 $CONSTELLA run short.yaml -o three.h5" >/dev/null
is "one process, mpirun and srun of fewer ranks than the job has" "$(grep -c "h5: complete" inside.log)" 3

until_true ended "$undisturbed"
is "undisturbed, with mpirun: completed" "$(state "$undisturbed")" "COMPLETED, exit 0:0, restarts 0"
has "undisturbed: the table stands in the log" "$(log undisturbed)" "energy_verdict"
went_on signalled "$signalled" SIGUSR1
went_on relayed "$relayed" SIGUSR1
went_on preempted "$preempted" SIGTERM
until_true ended "$again"
is "cancelled, submitted again: completed" "$(state "$again")" "COMPLETED, exit 0:0, restarts 0"
is_same cancelled
until_true ended "$merge"
is "the array: the second part was put back" "$(grep -c "put back 1 times" array-"$array"_2.log)" 1
is "the merge: completed" "$(state "$merge")" "COMPLETED, exit 0:0, restarts 0"
has "the merge: its log has the table" "$(cat array-merge-"$merge".log)" "energy_verdict"
"$CONSTELLA" run array.yaml -o whole.h5 --progress none >/dev/null
is "the merge: the result of one job" "$(h5diff --exclude-path /run whole.h5 array.h5 2>&1)" ""
h5diff --exclude-path /run undisturbed.h5 one.h5 >/dev/null 2>&1
is "h5diff tells results apart" $? 1
done_testing
