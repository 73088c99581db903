#!/bin/bash
# test-install.sh: `make install` with PREFIX and DESTDIR; then runs, reports, a program that links the
# library, each header alone, the manual page and completion, all without sources and build; then `make
# uninstall`.
# SPDX-License-Identifier: BSD-2-Clause
set -uo pipefail
sources=$(cd "$(dirname "$0")/../.." && pwd)
. "$sources/tests/record/tap.sh"
build=$(cd "$sources" && realpath "${BUILD:-build}")
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL PKG_CONFIG_PATH CONSTELLA CONSTELLA_ANALYSIS BASH_ENV
export HOME=$box/home CC=${CC:-gcc}
there=$box/there
share=$there/share/constella
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
make_here() { make --no-print-directory -C "$sources" "$@" PREFIX="$there" 2>&1; }
files() { find "$1" ! -type d 2>/dev/null | sort; }

# Staged as a packager does it, then moved to where it is to be.
has "nothing is installed where nothing is built" "$(make_here BUILD="$box/none" DESTDIR="$box/stage" install)" "run \`make\` first"
is "nor left there" "$(files "$box/stage")" ''
make_here BUILD="$build" DESTDIR="$box/stage" install >"$box/log" || cat "$box/log"
is "with DESTDIR nothing goes to PREFIX" "$(files "$there")" ''
mv "$box/stage$there" "$there"
is "and nothing elsewhere" "$(files "$box/stage")" ''
# jobs/*-rates build their measurement from the sources, and stay with them.
is "no file has been forgotten" "$(cd "$sources" && git ls-files analysis docs examples jobs 2>/dev/null | grep -v '^jobs/[a-z]*-rates$' | while read -r f; do [ -r "$share/$f" ] || echo "$f"; done)" ''
mkdir -p "$box/home" "$box/studies" && cd "$box/studies" || exit 1
# Paths of a checkout in /constella would be found at the end of others.
known="(^|[^[:alnum:]._-]|-[IL])($sources|$build)/"
is "the program knows neither sources nor build" "$(strings "$there/bin/constella" | grep -E "$known")" ''
is "nor does any other file" "$(grep -rlE "$known" "$there/share" "$there/include" "$there/lib/pkgconfig")" ''
PATH=$there/bin:$PATH

has "version" "$(constella --version)" "constella $(pkg-config --modversion "$there/lib/pkgconfig/constella.pc")"
has "list systems" "$(constella list systems)" double-pendulum
has "an example runs" "$(constella run "$share/examples/order.yaml" -o order.h5 2>&1)" "order.h5: complete, no trajectory failed"
sed "s|{file: system|{compile: always, file: $share/examples/system|" "$share/examples/own-system.yaml" >own.yaml
has "so does one with a system in a file" "$(constella run own.yaml 2>&1)" "own.h5: complete, no trajectory failed"
has "which is compiled from what the program carries" "$(h5dump -a /run/kernels own.h5)" '"compiled"'
has "and one with a layer in C" "$(constella run "$share/jobs/own-layer.yaml" -o layer.h5 2>&1)" "layer.h5: complete, no trajectory failed"

if "${PYTHON:-/usr/bin/python3}" -c 'from importlib.util import find_spec as f; exit(not (f("h5py") and f("matplotlib")))' 2>/dev/null; then
  constella report order.h5 -o order.html >report.log 2>&1
  has "a report is drawn by the scripts that were installed" "$(head -c 200 order.html; cat report.log)" '<html'
  constella plot order.h5 order --style paper -o order.pdf >plot.log 2>&1
  has "a figure" "$(head -c 4 order.pdf; cat plot.log)" '%PDF'
  packages=$(dirname "$(find "$there/lib" -name constella -type l)")
  found=$(cd / && PYTHONPATH=$packages "${PYTHON:-/usr/bin/python3}" -B -c 'import sys, constella; from constella import running; print(constella.open(sys.argv[1]), running.program())' "$box/studies/order.h5" 2>&1)
  has "a Python finds the package" "$found" '<order study of'
  has "which finds the program" "$found" " $there/bin/constella"
  mv "$share/analysis" "$share/hidden"
  has "by no others" "$(constella report order.h5 -o none.html 2>&1)" 'set CONSTELLA_ANALYSIS'
  mv "$share/hidden" "$share/analysis"
else
  skip "a report" "no h5py or matplotlib"
fi

# A program of someone else, with pkg-config alone.
export PKG_CONFIG_PATH=$there/lib/pkgconfig
cp -r "$sources/tests/install/foreign" .
is "it compiles without a warning" "$(make -s -C foreign 2>&1)" ''
has "and finds the right numbers" "$(foreign/foreign foreign/bead.yaml order.h5 2>&1)" 'all as it should be'
sed -i 's|z^2/c^2|z^2/c|' foreign/bead.yaml
has "wrong ones it tells" "$(foreign/foreign foreign/bead.yaml own.h5 2>&1)" 'wrong: Dg of the bead'
read -ra flags <<<"$(pkg-config --cflags constella)"
alone() { for header in "$there"/include/constella/*.h; do "$@" -Wall -Wextra -Werror -Wno-psabi "${flags[@]}" -fsyntax-only -include "$header" /dev/null 2>&1; done; }
# Trajectories stepped by the shared library, by the static one, and an example that shoots for periodic
# orbits.
has "a study of the pendulum runs" "$(constella run foreign/pendulum.yaml -o pendulum.h5 2>&1)" "no trajectory failed"
has "the library steps it to the same bits" "$(foreign/pendulum pendulum.h5 2>&1)" 'cases, the same bits'
has "it is the shared one" "$(ldd foreign/pendulum)" "libconstella.so.0 => $there/lib/libconstella.so.0"
lacks "and brings what it needs along" "$(readelf -d foreign/pendulum | grep NEEDED)" petsc
read -ra static <<<"$(pkg-config --cflags constella) $(pkg-config --variable=archive constella) $(pkg-config --variable=behind constella)"
is "the static one links too" "$("$CC" -std=gnu11 foreign/pendulum.c -o static "${static[@]}" 2>&1)" ''
lacks "without the other" "$(ldd static)" libconstella
has "and steps to the same bits" "$(./static pendulum.h5 2>&1)" 'cases, the same bits'
exported=$(nm -D --defined-only "$there/lib/libconstella.so" | sed -n 's/.* [A-Z] \(.*\)@@.*/\1/p')
is "the shared library exports names of the headers alone" "$(comm -23 <(sort <<<"$exported") <(grep -oh '\bcst_[a-z0-9_]*' "$there"/include/constella/*.h | sort -u))" ''
has "and all that the integrator has" "$(tr '\n' ' ' <<<"$exported")" cst_integrator_advance
read -ra shared <<<"$(pkg-config --cflags --libs constella)"
is "the shooting example compiles" "$("$CC" -std=gnu11 -Wall -Wextra -Werror "$share/jobs/shooting/shooting.c" "${shared[@]}" -lm -o shooting 2>&1)" ''
closed() { awk 'NR > 1 && NF == 6 && $6 <= 1e-12 && $4 < 10 && $5 < 10 { n++ } END { print n }'; }
is "its orbits close" "$(./shooting 2>&1 | closed)" 5
is "those of a method that is not symmetric do not" "$(./shooting 'project(rk3)' 20 2>&1 | closed)" ''

is "each header compiles alone" "$(alone "$CC" -std=gnu11 -x c)" ''
if command -v g++ >/dev/null; then
  printf '%s\n' '#include <constella/constella.h>' 'int main() { return cst_catalogue_size() < 1; }' >plus.cc
  read -ra libraries <<<"$(pkg-config --libs constella)"
  is "they serve C++" "$(g++ "${flags[@]}" plus.cc -o plus "${libraries[@]}" 2>&1 && ./plus; echo $?)" 0
else
  skip "they serve C++" "no g++"
fi

page=$there/share/man/man1/constella.1
is "the manual page tells every command" "$(constella help | awk '$1 == "constella" { print $2 }')" "$(sed -n 's/^\.BR "constella \([^"]*\)".*/\1/p' "$page")"
has "and the exit status" "$(tr -d "\\\\" <"$page")" "$(constella help | sed -n 's/^Exit status: \([^\`]*\).*/\1/p')"
if command -v groff >/dev/null; then
  is "groff has nothing to say of it" "$(groff -ww -z -man -Tutf8 "$page" 2>&1)" ''
  lacks "of another it has" "none$(sed 's/^\.SH NAME/.XX/' "$page" | groff -ww -z -man -Tutf8 2>&1)" nonez
else
  skip "groff" "not here"
fi

script=$there/share/bash-completion/completions/constella
is "completion is bash" "$(bash -n "$script" 2>&1)" ''
complete() {   # WORD...: what the last word may become
  bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _constella "$1" "${@: -1}" "${@: -2:1}"; printf "%s " "${COMPREPLY[@]}"' - "$script" constella "$@" 2>&1
}
is "commands are completed" "$(complete ru)" 'run '
is "options" "$(complete run study.yaml --ov)" '--overwrite '
is "their values" "$(complete table order.h5 --format m)" 'markdown '
is "what there is to list" "$(complete list obs)" 'observables '
is "names of the catalogue" "$(complete show slid)" 'slider-crank '
is "kinds of figures" "$(complete plot layer.h5 signed)" 'signed-drift '
is "a value with a long option" "$(complete plot layer.h5 drift --style p)" 'paper '
is "systems to show a method on" "$(complete show rattle --system henon)" 'henon-heiles '
is "results" "$(complete table lay)" 'layer.h5 '
is "nothing of what is unknown" "$(complete bogus ru)" ' '

make_here uninstall
is "uninstall leaves nothing" "$(files "$there"; find "$there" -name constella)" ''
done_testing
