#!/bin/bash
# test-files.sh: result files: equal bytes for any number of ranks; read while they are written; read after
# kill -9. TAP. usage: [WRITE_DEMO [CONSTELLA]]; without arguments the programs in BUILD and CONSTELLA.
# SPDX-License-Identifier: BSD-2-Clause
. "$(dirname "$0")/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
export OMPI_MCA_ess_singleton_isolated=1                    # no server of Open MPI beside a process alone
demo=$(realpath "${1:-$BUILD/tests/record/write-demo}") cst=$(realpath "${2:-$CONSTELLA}") folder=$(mktemp -d) writer=
trap '[ -n "$writer" ] && kill -9 $writer 2>/dev/null; cd /; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# Ranks: only /run pid and pid_start (8 bytes each) and the checksum of their header (4) may differ.
for n in 1 2 3; do mpirun -n $n "$demo" ranks$n.h5 complete 2>err || cat err; done
for n in 2 3; do
  differ=$(cmp -l ranks1.h5 ranks$n.h5 | wc -l)
  [ "$differ" -le 20 ] && [ -s ranks1.h5 ]
  verdict $? "1 and $n ranks: the same bytes but for the process" "$differ bytes differ" "20 at most"
done

/usr/bin/python3 -c 'import h5py' 2>/dev/null && h5py=1 || h5py=

# A live run.
for n in 1 2; do
  if [ $n = 1 ]; then "$demo" live$n.h5 linger >out$n 2>err & else mpirun -n $n "$demo" live$n.h5 linger >out$n 2>err & fi
  writer=$!
  for ((i = 0; i < 3000; i++)); do grep -q ready out$n && break; sleep 0.1; done
  process=$(sed -n 's/.*ready //p' out$n)
  status=$("$cst" status live$n.h5)
  has "$n ranks, alive: running" "$status" "state         running"
  has "$n ranks, alive: half of it done" "$status" "15 of 30 done"
  has "$n ranks, alive: time left" "$status" "time left     about"
  table=$("$cst" table live$n.h5 --format csv --columns method,step 2>err)
  is "$n ranks, alive: finished rows are right, others empty" "$table" $'method,step\nrattle,0.1\nrattle,0.05\nrattle,0.025\n,nan\n,nan\n,nan'
  has "$n ranks, alive: a note" "$(cat err)" "the run is not finished"
  [ $h5py ] && is "$n ranks, alive: h5py reads it" "$(/usr/bin/python3 -c "import h5py; print(h5py.File('live$n.h5', 'r')['final/q'][1, 2, 3])")" "123.33333333333333"
  "$demo" live$n.h5 refuse >out 2>&1
  has "$n ranks, alive: refused as output" "$(cat out)" "is being written by a live run (process $process on this host)"
  kill -9 "$process"
  wait $writer 2>/dev/null
  writer=
  status=$("$cst" status live$n.h5)
  has "$n ranks, killed: interrupted" "$status" "state         interrupted (its process is gone)"
  has "$n ranks, killed: the count stays" "$status" "15 of 30 done"
  is "$n ranks, killed: finished rows are right" "$("$cst" table live$n.h5 --format csv --columns method,step 2>err)" "$table"
  has "$n ranks, killed: a note" "$(cat err)" "the run was interrupted"
  "$demo" live$n.h5 refuse >out 2>&1
  has "$n ranks, killed: may be replaced" "$(cat out)" "accepted"
done

# Killed while it writes rows and attributes, at any instant; then opened again, and killed while opening,
# writing and closing. The file always opens, and each row is complete or missing. The instants are spread
# evenly over the first 0.2 s.
mkfifo said
exec 3<>said # a process reads what it says without waiting for its end
killed() { # NAME MODE TURN
  "$demo" busy.h5 "$2" >said 2>err &
  writer=$!
  while ! read -r -t 1 <&3; do kill -0 $writer || break; done
  read -r -t "0.$(printf %03d $(($3 * 617 % 200)))" <&3
  kill -9 $writer
  wait $writer 2>/dev/null
  writer=
  cat err >>errors
  "$demo" busy.h5 check >out 2>&1 && rows=$(sed -n 's/ rows right//p' out) && good=$((good + 1)) || { echo "# $1, turn $3: $(cat out)"; }
}
good=0 rows=
: >errors
for turn in 1 2 3 4 5 6 7 8 9 10; do
  rm -f busy.h5
  killed created busy $turn
done
is "killed at 10 instants of a run: the file opens and every finished row is right" "$good" 10
first=$rows good=0
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do killed 'opened again' again $turn; done
is "killed at 20 instants of runs that took it up: the same" "$good" 20
is "and no run found a mistake" "$(cat errors)" ""
[ "$rows" -gt "$first" ]
verdict $? "rows are added each time" "$rows" "more than $first"
echo "# $rows rows"
# The check itself: a byte of the metadata, and one of a finished row, changed.
cp busy.h5 damaged.h5
printf '\377' | dd of=damaged.h5 bs=1 seek=60 conv=notrunc 2>err
"$demo" damaged.h5 check >out 2>&1
is "damaged metadata are noticed" $? 1
offset=$(/usr/bin/python3 -c "import h5py; print(h5py.File('busy.h5', 'r')['final/x'].id.get_offset())" 2>/dev/null)
if [ -n "$offset" ]; then
  printf '\377' | dd of=busy.h5 bs=1 seek=$((offset + 7)) conv=notrunc 2>err
  "$demo" busy.h5 check >out 2>&1
  has "a damaged row is noticed" "$(cat out)" "1 numbers wrong"
fi
done_testing
