#!/bin/bash
# steady.sh: whether a test depends on how fast the machine is: runs the suite again and again in three surroundings, and
# prints what failed, and what passed only when it ran once more. `make steady` builds before.
#
#   tests/steady.sh [--rounds N] [--in 'loops core stops'] [--seed N]
#
# loops: eight busy loops run beside it; core: all of it on one core (taskset); stops: processes of it are stopped (SIGSTOP)
# at random instants, for up to a second, and continued. N rounds (3) in each. The seed of the instants is printed. ONLY='word
# word' in the environment: the tests with one of these words in their names, instead of all. The output of each round is in
# build/steady/. Exit: 0; 1 when a round failed or something in it was unsteady; 2 for wrong arguments.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

usage() {
  echo "usage: steady.sh [--rounds N] [--in 'loops core stops'] [--seed N]" >&2
  exit 2
}
rounds=3 places='loops core stops' seed=$RANDOM
while (($#)); do
  (($# > 1)) || usage
  case $1 in
  --rounds) rounds=$2 ;;
  --in) places=$2 ;;
  --seed) seed=$2 ;;
  *) usage ;;
  esac
  shift 2
done
[[ $rounds =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ ]] || usage
for place in $places; do [[ $place =~ ^(loops|core|stops)$ ]] || usage; done

folder=${BUILD:-build}/steady
mkdir -p "$folder"
beside=()
end_beside() {
  ((${#beside[@]} == 0)) || kill "${beside[@]}" 2>/dev/null
  wait "${beside[@]}" 2>/dev/null
  beside=()
}
trap 'end_beside; [[ ! ${suite:-} ]] || kill -- -"$suite" 2>/dev/null' EXIT
trap 'exit 1' INT TERM HUP

suite_of() {   # as a process group of its own
  if [[ ${ONLY:-} ]]; then set -- check "ONLY=$ONLY"; else set -- run-tests; fi
  exec setsid "${core[@]}" make --no-print-directory "$@"
}

# Stops a process below $1, one of those that the tests start, at a random instant, and continues it. Launchers are left out: they
# pass the signals on to all ranks, and say so.
stop_some() {
  exec perl -e '
    use strict;
    use warnings;
    use Time::HiRes qw(sleep);
    my ($root, $seed) = @ARGV;
    my $held = 0;
    $SIG{TERM} = sub { kill "CONT", $held if $held; exit };
    srand $seed;
    sub below {
      my (%children, %name);
      for my $file (glob "/proc/[0-9]*/stat") {
        open my $stat, "<", $file or next;
        my ($pid, $name, $parent) = (<$stat> // next) =~ /^(\d+) \((.*)\) \S (\d+)/s or next;
        push @{ $children{$parent} }, $pid;
        $name{$pid} = $name;
      }
      my @found = ($root);
      push @found, @{ $children{$_} // [] } for @found;
      return grep { $name{$_} !~ /^(make|perl|taskset|mpirun|mpiexec|orterun|prterun|srun)$/ } @found[1 .. $#found];
    }
    while (kill 0, $root) {
      sleep rand 0.2;
      my @found = below();
      next if !@found;
      $held = $found[rand @found];
      kill "STOP", $held;
      sleep rand() ** 3;
      kill "CONT", $held;
      $held = 0;
    }' "$1" "$2"
}

# round PLACE NUMBER: its status; its output is in $folder/PLACE-NUMBER.
round() {
  local log=$folder/$1-$2 core=() status=0 _
  if [[ $1 == core ]]; then core=(taskset -c "$(taskset -pc $$ | sed 's/.*[^0-9]//')"); fi
  suite_of >"$log" 2>&1 &
  suite=$!
  if [[ $1 == loops ]]; then
    for _ in {1..8}; do
      while :; do :; done &
      beside+=($!)
    done
  elif [[ $1 == stops ]]; then
    stop_some $suite $((seed + $2)) &
    beside+=($!)
  fi
  wait $suite || status=$?
  suite=''
  end_beside
  return $status
}

echo "seed $seed"
bad=0
printf '%-6s %5s %7s %7s %8s %7s\n' place round passed failed unsteady seconds
for place in $places; do
  for ((n = 1; n <= rounds; n++)); do
    began=$SECONDS status=0
    round "$place" $n || status=$?
    log=$folder/$place-$n
    unsteady=$(grep -c '^unsteady: ' "$log")
    read -r passed failed < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, .*/\1 \2/p' "$log" | tail -n 1)
    printf '%-6s %5d %7s %7s %8d %7d\n' "$place" $n "${passed:--}" "${failed:--}" "$unsteady" $((SECONDS - began))
    grep -E '^(failed|unsteady|stopped): ' "$log" | sed 's/^/  /'
    if ((status)) || ((unsteady)) || [[ ! ${passed:-} ]]; then bad=1; fi
    [[ ${passed:-} ]] || tail -n 5 "$log" | sed 's/^/  /'
  done
done
exit $bad
