#!/usr/bin/env bash
# test-setup.sh: tools/setup.sh against made-up apt-get, dpkg-query, sudo, pkg-config and gcc: installs
# nothing.
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016  # the stubs expand their own variables
set -uo pipefail
unset CC PETSC_DIR PETSC_ARCH HDF5_DIR FYAML_DIR SLEEF_DIR MAKEFLAGS

setup=$(cd "$(dirname "$0")/../.." && pwd)/tools/setup.sh
bash=$(command -v bash)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
tests=0 failed=0

ok() {   # ok CONDITION-STATUS NAME
  tests=$((tests + 1))
  if (($1 == 0)); then echo "ok $tests - $2"; return; fi
  failed=$((failed + 1))
  echo "not ok $tests - $2"
  sed 's/^/# /' "$box/out" "$box/err" "$box/log" 2>/dev/null
}

stub() {   # stub NAME: the body comes on stdin
  { printf '#!%s\n' "$bash"; cat; } >"$box/bin/$1"
  chmod +x "$box/bin/$1"
}

fresh() {
  rm -rf "${box:?}/bin" "$box/have"
  mkdir "$box/bin" "$box/have"
  : >"$box/log"
}

# Packages are files in $box/have; those called bad-* cannot be installed.
debian() {
  fresh
  stub dpkg-query <<<"[[ -e $box/have/\${*: -1} ]] && printf installed"
  stub sudo <<<'while [[ $1 == *=* ]]; do export "$1"; shift; done; exec "$@"'
  stub apt-get <<EOT
echo "\$* [\${DEBIAN_FRONTEND:-}\${SYSTEMD_OFFLINE:+, nothing started}]" >>$box/log
[[ " \$* " == *' bad-'* ]] && exit 100
[[ " \$* " == *' install '* ]] || exit 0
for p; do [[ \$p == -* || \$p == install || \$p == DPkg* ]] || : >$box/have/\$p; done
EOT
  stub env <<<'while [[ $1 == *=* ]]; do export "$1"; shift; done; exec "$@"'
}

run() { PATH="$box/bin" "$bash" "$setup" "$@" >"$box/out" 2>"$box/err"; }

debian
touch "$box/have/a" "$box/have/b"
run 'a b' 'c'; status=$?
[[ $status == 0 && ! -s $box/log && $(wc -l <"$box/out") == 1 ]]; ok $? 'nothing missing: one line, no apt-get'

debian
touch "$box/have/a"
run 'a b' 'c'; status=$?
[[ $status == 0 && -e $box/have/b && -e $box/have/c ]]; ok $? 'what is missing is installed'
[[ $(grep -c '^update' "$box/log") == 1 ]]; ok $? 'apt-get update runs once'
grep -q -- 'install -y --no-install-recommends b \[noninteractive, nothing started\]' "$box/log"; ok $? 'only what is missing is asked for, without questions, and no service is started'

debian
run 'a bad-x' ''; status=$?
[[ $status == 1 ]] && grep -q 'error: .*bad-x' "$box/err" && grep -q docs/building.md "$box/err"; ok $? 'a required package that cannot be had: exit 1, named, where to read on'

debian
run 'a' 'bad-y c'; status=$?
[[ $status == 0 && -e $box/have/a && -e $box/have/c ]] && grep -q 'optional package bad-y' "$box/out"; ok $? 'an optional package that cannot be had: a note, the others come'

fresh
stub pkg-config <<<'[[ " PETSc hdf5 libfyaml sleef " == *" $2 "* ]]'
stub gcc <<<'exit 0'
run 'a b' 'c'; status=$?
[[ $status == 0 ]] && grep -q 'a b' "$box/out"; ok $? 'no apt-get, all libraries there: exit 0 and what is needed'

stub pkg-config <<<'[[ " PETSc " == *" $2 "* ]]'
stub gcc <<<'exit 1'
run 'a b' 'c'; status=$?
[[ $status == 1 ]] && grep -q HDF5 "$box/err" && grep -q libfyaml "$box/err" && grep -q sleef "$box/err" && ! grep -q PETSc "$box/err"; ok $? 'no apt-get, libraries missing: exit 1, each named'

run; status=$?
[[ $status == 2 ]] && grep -q usage "$box/err"; ok $? 'without arguments: exit 2'

echo "1..$tests"
exit $((failed > 0))
