#!/bin/bash
# test-submit.sh: `constella submit` against made-up schedulers: refusals, the script, the call of the
# scheduler, remaining files. TAP.
# SPDX-License-Identifier: BSD-2-Clause
. "$(dirname "$0")/../record/tap.sh"
program=$(realpath "${CONSTELLA:-build/constella}") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# A scheduler that records its arguments, and prints $ANSWER or fails.
mkdir bin
for name in sbatch qsub; do
  cat >bin/$name <<'END'
#!/bin/bash
echo "${0##*/} $*, in $PWD" >>"$CALLS"
[[ $ANSWER ]] || { echo "${0##*/}: error: no such queue" >&2; exit 3; }
echo "$ANSWER"
END
  chmod +x bin/$name
done
export CALLS=$folder/calls ANSWER
cat >study.yaml <<'END'
study: order
system: planar-pendulum
end: 1.0
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: exact
END

# submit ANSWER WORDS...
submit() {
  ANSWER=$1
  rm -f calls
  PATH=$folder/bin:$PATH "$program" submit "${@:2}" >out 2>err
  status=$?
}
called() { cat calls 2>/dev/null; }

# refused NAME MESSAGE WORDS...
refused() {
  submit 1 "${@:3}"
  is "$1: exit status" "$status" 2
  has "$1: says so" "$(cat err)" "$2"
  is "$1: nothing is submitted, nothing written" "$(called)$(ls ./*.slurm ./*.pbs ./*.sge 2>/dev/null)" ""
}

slurm=(--scheduler slurm --ranks 2 --hours 1)
refused "no study" "needs a study file" "${slurm[@]}"
refused "two studies" "unexpected argument 'other.yaml'" study.yaml other.yaml "${slurm[@]}"
refused "nothing said" "--hours is missing" study.yaml
refused "unknown scheduler" "not 'slrum'; did you mean 'slurm'?" study.yaml --scheduler slrum --ranks 2 --hours 1
refused "unknown option" "did you mean '--queue'?" study.yaml "${slurm[@]}" --queu long
refused "option without value" "'--nodes' needs a value" study.yaml "${slurm[@]}" --nodes
for ranks in 0 -1 2.5 two 99999999999999999999 ''; do refused "--ranks '$ranks'" "--ranks takes an integer from 1 to 10000000" study.yaml --scheduler slurm --hours 1 --ranks "$ranks"; done
for hours in 0 -1 nan inf 0.01 1h ''; do refused "--hours '$hours'" "--hours takes hours" study.yaml --scheduler slurm --ranks 1 --hours "$hours"; done
refused "--requeue -1" "--requeue takes an integer from 0" study.yaml "${slurm[@]}" --requeue -1
for parts in 0 1 2.5 1000001; do refused "--array $parts" "--array takes an integer from 2" study.yaml "${slurm[@]}" --array $parts; done
refused "a name that no scheduler takes" "--name takes a letter" study.yaml "${slurm[@]}" --name 'a b'
refused "an account with a line of its own" "--account takes letters" study.yaml "${slurm[@]}" --account $'a\n#SBATCH --exclusive'
refused "two modules in one" "--module takes one module" study.yaml "${slurm[@]}" --module 'gcc openmpi'
refused "more nodes than ranks" "--nodes 3: there are 2 ranks" study.yaml "${slurm[@]}" --nodes 3
refused "ranks that nodes do not divide, pbs" "they must divide the 5 ranks" study.yaml --scheduler pbs --ranks 5 --nodes 2 --hours 1
refused "nodes, sge" "the parallel environment decides" study.yaml --scheduler sge --ranks 4 --nodes 2 --hours 1
refused "output in no folder" "none/a.h5: error: its folder" study.yaml "${slurm[@]}" --output none/a.h5
refused "output that is a folder" "--output takes the name of a file" study.yaml "${slurm[@]}" --output ./
refused "the study as output" "study.yaml: error: is read by the study" study.yaml "${slurm[@]}" -o study.yaml
printf 'no result' >none.h5
refused "an output that is no result" "none.h5: error: " study.yaml "${slurm[@]}" -o none.h5
sed 's/0.05/0.025/' study.yaml >finer.yaml
"$program" run finer.yaml --progress none >/dev/null
refused "an output that holds another study" "finer.h5: error: holds another study" study.yaml "${slurm[@]}" -o finer.h5
: >empty
refused "an empty template" "empty: error: is empty" study.yaml "${slurm[@]}" --template empty
printf 'a\0b' >zero
refused "a template that is no text" "zero: error: holds a byte 0" study.yaml "${slurm[@]}" --template zero
refused "no template" "none.slurm: error" study.yaml "${slurm[@]}" --template none.slurm
sed 's/rattle/ratle/' study.yaml >wrong.yaml
refused "a study with mistakes" "$("$program" check wrong.yaml 2>&1)" wrong.yaml "${slurm[@]}"
printf '#!/bin/bash\n#SBATCH --mail-user=a@b.org --ntasks=@RANK@\n' >mine
refused "a template with an unknown word" "mine:2:38: error: no word @RANK@ in templates" study.yaml "${slurm[@]}" --template mine
has "... and the nearest" "$(cat err)" "did you mean 'RANKS'?"

# ---- handing over

submit 123 study.yaml "${slurm[@]}"
is "slurm: exit status" "$status: $(cat err)" "0: "
is "slurm: called in the folder of the output" "$(called)" "sbatch --parsable study.slurm, in $folder"
is "slurm: what is said" "$(cat out)" "job 123: $folder/study.slurm
log: $folder/study-123.log
constella status $folder/study.h5 tells how far it is"
submit '124;box' study.yaml "${slurm[@]}"
has "slurm: the same script again, a job of a named cluster" "$status $(cat out)" "0 job 124: "
submit 125 study.yaml --scheduler slurm --ranks 2 --hours 2
is "again with other hours: submitted" "$status: $(cut -d, -f1 <<<"$(called)")" "0: sbatch --parsable study.slurm"
has "again with other hours: the script is written anew" "$(cat study.slurm)" "--time=02:00:00"
submit 125 study.yaml "${slurm[@]}"
has "and back" "$(cat study.slurm)" "--time=01:00:00"
cp study.slurm made
echo 'echo mine' | cat - made >study.slurm
submit 125 study.yaml --scheduler slurm --ranks 2 --hours 2
is "a script that was changed: refused" "$status: $(called)" "2: "
has "a script that was changed: said" "$(cat err)" "study.slurm: error: is there with other contents, and was changed"
has "a script that was changed: kept" "$(cat study.slurm)" "echo mine"
cp made study.slurm
submit 125 study.yaml --scheduler slurm --ranks 2 --hours 2 -o elsewhere.h5 --name study
is "the script of another output: refused" "$status: $(called)" "2: "
submit 125 study.yaml "${slurm[@]}"
submit '' study.yaml "${slurm[@]}"
is "the scheduler refuses: exit status" "$status" 1
is "the scheduler refuses: its words and ours" "$(cat err)" "sbatch: error: no such queue
constella: error: sbatch has not taken the job (exit status 3)"
is "the scheduler refuses: a script that was there stays" "$(ls study.slurm)" study.slurm
submit '' study.yaml "${slurm[@]}" --name other
is "the scheduler refuses: a new script does not" "$(ls other.slurm 2>/dev/null)" ""

submit 700 study.yaml "${slurm[@]}" --array 7 --name parts
is "slurm, an array: both jobs" "$status: $(called)" "0: sbatch --parsable parts.slurm, in $folder
sbatch --parsable --dependency=afterany:700 parts-merge.slurm, in $folder"
is "slurm, an array: what is said" "$(cat out)" "job 700: $folder/parts.slurm, parts K = 1 .. 7
log: $folder/parts-700_K.log
job 700: $folder/parts-merge.slurm, merges them when they have ended
constella status tells of each how far it is"
has "slurm, an array: more parts than there is work for" "$(cat err)" "note: there are fewer trajectories than parts"
echo 1.server >parts.again
submit '70[].server' study.yaml --scheduler pbs --ranks 1 --hours 1 --array 2 --name parts
is "pbs, an array: both jobs" "$status: $(called)" "0: qsub parts.pbs, in $folder
qsub -W depend=afterany:70[].server parts-merge.pbs, in $folder"
is "pbs, an array: nothing is left of an earlier one" "$(ls parts.again 2>/dev/null)" ""
submit 70.1-2:1 study.yaml --scheduler sge --ranks 1 --hours 1 --array 2 --name parts
is "sge, an array: both jobs" "$status: $(called)" "0: qsub -terse parts.sge, in $folder
qsub -terse -hold_jid 70 parts-merge.sge, in $folder"
submit '7 0' study.yaml "${slurm[@]}" --array 7 --name strange
is "an identity that is none: the merge is not submitted" "$status: $(called)" "1: sbatch --parsable strange.slurm, in $folder"
echo '# @RANKS@' >plain
submit 1 study.yaml "${slurm[@]}" --array 7 --template plain --name plain
has "a template that knows no arrays: refused" "$status $(cat err)" "2 plain: error: has no words @ARRAY@ and @COMMAND@, which --array needs"

mkdir "a b's"
submit 7.server study.yaml --scheduler pbs --ranks 6 --hours 0.5 --output "a b's/x y.h5" --name spaced
is "pbs, a folder with blanks" "$(called)" "qsub spaced.pbs, in $folder/a b's"
submit 8 study.yaml --scheduler sge --ranks 6 --hours 0.5
is "sge" "$(called)" "qsub -terse study.sge, in $folder"

submit 9 study.yaml --scheduler slurm --ranks 500 --hours 1 --name many
has "more ranks than work: a note" "$(cat err)" "of the 500 ranks only"
has "more ranks than work: submitted" "$status $(called)" "0 sbatch"

cp study.yaml '3 bodies.yaml'
submit 10 '3 bodies.yaml' "${slurm[@]}"
has "a study whose name no scheduler takes: the job" "$(called)" "sbatch --parsable study-3-bodies.slurm"
has "a study whose name no scheduler takes: the output as run calls it" "$(cat out)" "status $folder/3 bodies.h5 tells"

# A PATH with no scheduler on it.
PATH=$folder/empty "$program" submit study.yaml "${slurm[@]}" --name absent >out 2>err
is "no scheduler here: exit status" "$?" 1
has "no scheduler here: what helps" "$(cat err)" "sbatch is not on PATH: jobs cannot be submitted from here; --dry-run prints the script"
is "no scheduler here: no script" "$(ls absent.slurm 2>/dev/null)" ""

# ---- the script

# dry WORDS...: the script, which is valid bash without words left to fill in
dry() {
  submit 1 study.yaml --dry-run "$@"
  is "dry run, $2: exit status, nothing submitted" "$status: $(grep -v note: err)$(called)" "0: "
  bash -n out
  is "dry run, $2: bash reads it" "$?: $(grep -n '@[A-Z_]*@' out)" "0: "
}
# line TEXT: a whole line of the script
line() { is "... $1" "$(grep -cxF -e "$1" out)" 1; }

dry --scheduler slurm --ranks 64 --nodes 2 --hours 12.01 --account phys --partition long --module gcc/12.2 --module openmpi --requeue 3
for text in '#SBATCH --ntasks=64' '#SBATCH --nodes=2' '#SBATCH --time=12:01:00' '#SBATCH --account=phys' '#SBATCH --partition=long' \
  '#SBATCH --open-mode=append' '#SBATCH --requeue' '#SBATCH --signal=B:USR1@600'; do line "$text"; done
has "... modules" "$(cat out)" "module load gcc/12.2 openmpi ||"
has "... hours of the run" "$(cat out)" "--resume --max-hours 11.8500 --progress log"
has "... as often as asked" "$(cat out)" ":-0} < 3))"
dry --scheduler slurm --ranks 1 --hours 0.0167
line '#SBATCH --time=00:01:00'
line '#SBATCH --signal=B:USR1@30'
lacks "... nothing about what was not said" "$(cat out)" "--account"
lacks "... no modules" "$(cat out)" "module load"
dry --scheduler pbs --ranks 64 --nodes 2 --hours 1 --queue long --account phys
for text in '#PBS -l select=2:ncpus=32:mpiprocs=32' '#PBS -l walltime=01:00:00' '#PBS -q long' '#PBS -A phys' '#PBS -r y'; do line "$text"; done
dry --scheduler pbs --ranks 64 --hours 1
line '#PBS -l select=64:ncpus=1:mpiprocs=1'
dry --scheduler sge --ranks 16 --hours 1 --queue long --account phys
for text in '#$ -pe mpi 16' '#$ -l h_rt=01:00:00' '#$ -q long' '#$ -P phys' '#$ -notify' '#$ -r y'; do line "$text"; done

for scheduler in slurm pbs sge; do dry --scheduler $scheduler --ranks 2 --hours 1 --array 7; done
has "... a part" "$(cat out)" "constella\" run \"\$study\" --part \$task/7 -o \"\$output\" --resume"
has "... the merge" "$(cat out)" "constella\" merge $folder/study.part-{1..7}-of-7.h5 -o \"\$output\" --resume"

echo '# of the site, @RANKS@ ranks' >submit.slurm
submit 1 study.yaml "${slurm[@]}" --dry-run
is "a template in the current folder" "$(grep -hv "^# made by" out err)" "# of the site, 2 ranks
constella: note: the template is submit.slurm of this folder"
echo '# mine, @RANKS@ ranks' >mine
submit 1 study.yaml "${slurm[@]}" --dry-run --template mine
submit 1 study.yaml "${slurm[@]}" --dry-run --template mine -o $'line\nbreak.h5'
is "a line break in a name: the script has its own lines" "$(wc -l <out) $(tail -n 1 out | cut -c1-9)" "2 # made by"
submit 1 study.yaml "${slurm[@]}" --dry-run --template mine
is "the template that is asked for" "$(grep -hv "^# made by" out err)" "# mine, 2 ranks"
done_testing
