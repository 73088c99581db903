#!/bin/bash
# test-interrupted.sh: jobs/interrupted.sh on the studies of 1e9 steps, here of fewer; and that it notices a
# file that differs. TAP.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
CONSTELLA=$(realpath "${CONSTELLA:-build/constella}")
export CONSTELLA OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
n=0 failed=0
ok() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failed=1; [ -n "${3:-}" ] && sed 's/^/# /' "$3"; fi; }

for pendulum in planar spherical; do
  sed 's/1e9/1e6/' "$here/jobs/billion-$pendulum.yaml" >"$pendulum.yaml"
  "$here/jobs/interrupted.sh" "$pendulum.yaml" 2 0.1 >log 2>&1
  ok $? "$pendulum: interrupted twice, the file is that of the undisturbed run" log
  grep -q '^equal:' log; ok $? "$pendulum: and it says so" log
  "$CONSTELLA" table "$pendulum-interrupted.h5" --columns energy_exponent,energy_exponent_low,energy_exponent_high,energy_verdict --format csv >table
  grep -q ',bounded' table; ok $? "$pendulum: the energy error is bounded" table
done

# A program whose resumed runs are of another study.
sed 's/seed: 5/seed: 6/' planar.yaml >other.yaml
cat >wrong <<'X'
#!/bin/bash
words=("$@")
case "$*" in *"run planar.yaml"*--resume*) words[1]=other.yaml ;; esac
exec "$REAL" "${words[@]}"
X
chmod +x wrong
export REAL=$CONSTELLA
CONSTELLA=$folder/wrong "$here/jobs/interrupted.sh" planar.yaml 1 0.1 >log 2>&1
[ $? != 0 ] && grep -q 'differ' log; ok $? "a file that differs is noticed" log
echo "1..$n"
exit $failed
