#!/bin/bash
# test-status.sh: `constella status` of files whose run was on another host, was resumed, or left checkpoints.
# TAP. usage: [WRITE_DEMO [CONSTELLA]]; without arguments the programs in BUILD and CONSTELLA.
# SPDX-License-Identifier: BSD-2-Clause
. "$(dirname "$0")/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
demo=$(realpath "${1:-$BUILD/tests/record/write-demo}") cst=$(realpath "${2:-$CONSTELLA}") folder=$(mktemp -d)
trap 'cd /; rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# The process is on another host: its lock shows its state.
"$demo" x.h5 elsewhere
has 'without a lock' "$("$cst" status x.h5)" 'state         running (when it was last written; its process is on another host)'
has 'resumed' "$("$cst" status x.h5)" 'resumed       2 times'
echo elsewhere 7 1 2024-01-02T03:04:05Z >x.h5.lock
status=$("$cst" status x.h5)
has 'with one that was touched just now' "$status" 'state         running (on another host, sign of life '
has 'the time left is asked for' "$status" 'time left     not known yet'
touch -d '3 hours ago' x.h5.lock
status=$("$cst" status x.h5)
has 'with one that nobody touched for hours' "$status" 'state         interrupted (its process was on another host; no sign of life for 3 h 0 min)'
lacks 'no time is left then' "$status" 'time left'
lacks 'nor is it known how long it ran' "$status" 'elapsed'

# Checkpoints; their age in minutes.
checkpoints() { "$cst" status x.h5 | grep checkpoint | sed 's/ [0-9]* s ago/ ago/'; }
lacks 'none' "$status" 'checkpoint'
for n in 1 2 3; do "$demo" x.h5 checkpoint $n; done
touch -d '5 minutes ago' x.h5.checkpoint.2
touch -d '2 minutes ago' x.h5.checkpoint.3
is 'the newest, its size and age' "$(checkpoints)" 'checkpoint    3, 2 MB, 2 min ago'
truncate -s -1 x.h5.checkpoint.3
is 'a damaged one is named, the one before it is the newest' "$(checkpoints)" \
  $'checkpoint    3 cannot be used: x.h5.checkpoint.3 is cut short, or not a checkpoint\ncheckpoint    2, 2 MB, 5 min ago'
printf x | dd of=x.h5.checkpoint.2 bs=1 seek=1000 conv=notrunc 2>/dev/null
is 'both damaged' "$(checkpoints)" \
  $'checkpoint    3 cannot be used: x.h5.checkpoint.3 is cut short, or not a checkpoint\ncheckpoint    2 cannot be used: x.h5.checkpoint.2 is damaged'

# A run of this host that was killed, and one that is complete.
"$demo" y.h5 interrupted
has 'interrupted' "$("$cst" status y.h5)" 'state         interrupted'
"$demo" z.h5 complete
status=$("$cst" status z.h5)
has 'complete' "$status" 'state         complete'
lacks 'never resumed' "$status" 'resumed'
lacks 'without a record of its end no time has elapsed' "$status" 'elapsed'
done_testing
