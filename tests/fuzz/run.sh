#!/bin/bash
# run.sh: run a fuzz target on the files that ship with the program, mutated.
#
#   run.sh libfuzzer|driver PROGRAM study|system|method|layers|checkpoint|continue|result|table SECONDS FOUND [SEED]
#
# Of the driver, SECONDS may be a number of inputs with an x behind it.
# An input that ends the target early is in the file FOUND afterwards, and the exit status is 1. The last line
# is the number of inputs. Inputs of libFuzzer that reached new code stay in the folder corpus-TARGET beside FOUND, and
# the next run begins with them.
# SPDX-License-Identifier: BSD-2-Clause
how=$1 program=$2 target=$3 seconds=$4 found=$5 seed=${6:-1}
here=$(dirname "$0") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CONSTELLA=$(realpath "${CONSTELLA:-$BUILD/constella}") study=$(realpath "$here/checkpoint.yaml") lines=0
export FUZZ_STUDY=$study FUZZ_RESULT=$folder/result.h5
case $target in
continue) export FUZZ_STUDY=$here/continue.yaml ;;
table) "$CONSTELLA" run "$here/../../examples/order.yaml" -o "$FUZZ_RESULT" --progress none >/dev/null || exit 2 ;;
result) # of each kind, with all that a small result can have
  end='end: 2\nobserve: every\nsamples: {count: 3}\ntrajectories: {members: [0], every: 5}\nextensible: true'
  head='system: planar-pendulum\nsteps: [0.1, 0.05]\nmethods: [rattle, midpoint]\ninitial: {members: 2, seed: 1, around: default, spread: {q: 0.1, v: 0.1}}'
  for kind in order conservation ensemble; do
    more='\nreference: self'
    [ $kind = order ] || more='\nobservables: ["height: y"]'
    printf "study: $kind\\n$head\\n$end$more\\n" >"$folder/$kind.yaml"
    "$CONSTELLA" run "$folder/$kind.yaml" -o "$folder/$kind.h5" --progress none >"$folder/log" 2>&1 || { cat "$folder/log"; exit 2; }
  done
  FUZZ_RESULTS=$(printf '%s\n' "$folder"/{order,conservation,ensemble}.h5)
  export FUZZ_RESULTS
  ;;
esac
case $target in
study) files=("$here"/../../examples/*.yaml "$here"/../../jobs/*.yaml) ;;
system) files=("$here"/../../src/system/catalogue/*.yaml "$here"/../../examples/system/*.yaml "$here"/../../jobs/systems/*.yaml "$here"/../../jobs/bodies/*.yaml "$here"/../system/*.yaml) ;;
method | layers | continue | table | result) # a line each
  while IFS= read -r line; do printf '%s' "$line" >"$folder/seed-$lines" && lines=$((lines + 1)); done <"$here/$target.seeds"
  files=("$folder"/seed-*)
  [ $target = result ] && files+=("$folder"/{order,conservation,ensemble}.h5)
  ;;
checkpoint) # of a run that is stopped
  (cd "$folder" && exec "$CONSTELLA" run "$study" -o "$folder/r.h5" --progress none --checkpoint-seconds 0.5 >/dev/null 2>&1) &
  until compgen -G "$folder/r.h5.checkpoint.*" >/dev/null || ! kill -0 $!; do sleep 0.1; done
  kill -USR1 $!
  wait $! || : # it has stopped, with a checkpoint
  files=("$folder"/r.h5.checkpoint.*)
  ;;
*) echo "run.sh: no target '$target'"; exit 2 ;;
esac
dictionary=$here/$target.dict
[ -e "$dictionary" ] || dictionary=$here/study.dict
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# libfyaml 0.7 does not free what it needs to join many pieces of a quoted text. The stacks recorded
# here end in the library; `make san` finds documents that are not freed.
(cat "$here/../lsan.supp" && echo leak:libfyaml) >"$folder/lsan.supp"
export LSAN_OPTIONS=suppressions=$folder/lsan.supp:print_suppressions=0
rm -f "$found"
if [ "$how" = libfuzzer ]; then
  corpus=$(dirname "$found")/corpus-$target # stays for the next run
  mkdir -p "$corpus" && cp -n "${files[@]}" "$corpus"
  # With the sanitizers, and on a busy machine, an input of 2 s may take a minute.
  FUZZ_DICT="$dictionary" FUZZ_FILES=$(printf '%s\n' "${files[@]}") "$program" -dict="$dictionary" \
    -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=20000 -len_control=0 -seed="$seed" \
    -print_final_stats=1 -exact_artifact_path="$found" "$corpus" >"$folder/log" 2>&1
  status=$?
  summary="$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log") inputs in $seconds s, $(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$folder/log" | tail -n 1) edges"
else
  case $seconds in *x) long=-inputs=${seconds%x} limit=3600 ;; *) long=-seconds=$seconds limit=$((seconds + 60)) ;; esac
  timeout -k 5 $limit "$program" -dict="$dictionary" "$long" -seed="$seed" -input="$found" "${files[@]}" >"$folder/log" 2>&1
  status=$?
  summary=$(tail -n 1 "$folder/log")
fi
if [ $status -ne 0 ]; then
  grep -v '^#[0-9]*[[:space:]]*\(NEW\|REDUCE\|pulse\|INITED\|RELOAD\)' "$folder/log" | tail -n 60
  if [ -e "$found" ]; then echo "fuzz $target: a finding (status $status); the input is $found"; else echo "fuzz $target: did not run (status $status)"; fi
  exit 1
fi
echo "fuzz $target: $summary"
