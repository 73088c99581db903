#!/bin/bash
# test-table.sh: the commands `table` and `status` on files of write-demo. TAP.
# usage: [WRITE_DEMO [CONSTELLA]]; without arguments the programs in BUILD and CONSTELLA.
# SPDX-License-Identifier: BSD-2-Clause
. "$(dirname "$0")/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
demo=$(realpath "${1:-$BUILD/tests/record/write-demo}") cst=$(realpath "${2:-$CONSTELLA}") folder=$(mktemp -d)
trap 'cd /; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
$demo f.h5 complete && $demo i.h5 interrupted || exit 1
table() { out=$("$cst" table "$@" 2>err); rc=$?; err=$(cat err); }
rows() { table f.h5 --columns step --format csv --where "$1"; echo "$out" | tail -n +2 | tr '\n' ' '; }

# formats
table f.h5
is "text: exit 0, nothing on stderr" "$rc$err" 0
is "text: the useful columns, aligned" "$(echo "$out" | sed -n '1p;4p;7p')" \
'method                             step     error  order  flag
rattle                            0.025  8.93e-05  3.988  plateau
compose("x|y", a_b)  0.3333333333333333    0.0159      -  too-few'
table f.h5 --columns all
is "text: all columns" "$(echo "$out" | head -1 | tr -s ' ')" "system method step members failed evaluations_per_step steps_per_second error order flag rotation-z_max"
table f.h5 --format csv
is "csv: all columns, speed after evaluations" "$(echo "$out" | head -1)" "system,method,step,members,failed,evaluations_per_step,steps_per_second,error,order,flag,rotation-z_max"
is "csv: quotes, nan, inf, shortest numbers" "$(echo "$out" | tail -1)" 'double-pendulum,"compose(""x|y"", a_b)",0.3333333333333333,5,0,2.5,6000000,0.015873015873015872,nan,too-few,inf'
table f.h5 --format=json
is "json: valid, NaN is null, numbers exact" "$(echo "$out" | /usr/bin/python3 -c '
import json, sys
t = json.load(sys.stdin)
print(len(t), t[5]["order"], t[5]["method"], t[0]["step"], t[2]["error"] == 0.025**2 / 7, list(t[0])[6])')" '6 None compose("x|y", a_b) 0.1 True steps_per_second'
table f.h5 --format markdown
is "markdown" "$(echo "$out" | sed -n '1,2p;8p')" \
'| method | step | error | order | flag |
| --- | ---: | ---: | ---: | --- |
| compose("x\|y", a\_b) | 0.3333333333333333 | 0.0159 | - | too-few |'
table f.h5 --format latex --columns method,error,order,rotation-z_max
is "latex" "$(echo "$out" | sed -n '1p;3p;7p;10p')" \
'\begin{tabular}{lrrr}
method & error & order & rotation-z\_max \\
rattle & $8.93\cdot 10^{-5}$ & $3.988$ & $0$ \\
compose("x$|$y", a\_b) & $0.0159$ & -- & $\infty$ \\'
table f.h5 --format latex --where 'step > 7' --columns step
is "latex of nothing" "$out" '\begin{tabular}{r}
\hline
step \\
\hline
\hline
\end{tabular}'
table f.h5 --format csv --columns " flag , step"
is "columns in the order asked for" "$(echo "$out" | head -2)" $'flag,step\nok,0.1'

# conditions
is "where: =" "$(rows 'step=0.05')" "0.05 0.05 "
is "where: !=" "$(rows 'flag != ok')" "0.025 0.05 0.3333333333333333 "
is "where: < and >=, joined by a comma" "$(rows 'step < 0.1, step >= 0.05')" "0.05 0.05 "
is "where: <= and >, joined by and" "$(rows 'step <= 0.1 and step > 0.05')" "0.1 0.1 "
is "where: a label with a comma" "$(rows 'method = hbvm(k=6, s=2) and step = 0.1')" "0.1 "
is "where: a quoted label" "$(rows "method == 'compose(\"x|y\", a_b)'")" "0.3333333333333333 "
is "where: nan" "$(rows 'order = nan')" "0.3333333333333333 "
is "where: nan is not less" "$(rows 'order < 3')" "0.1 0.05 "
is "where: a column with a minus" "$(rows 'rotation-z_max > 1e300')" "0.3333333333333333 "
is "where: nothing left" "$(rows 'step > 7')" ""
table f.h5 --format json --where 'step > 7'
is "json of nothing is a list" "$(echo "$out" | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin))')" "[]"

# mistakes
mistake() { # name, part of the message, arguments
  local name=$1 part=$2
  shift 2
  table "$@"
  is "$name: exit 2, no output" "$rc$out" 2
  has "$name: message" "$err" "$part"
}
echo hello >text.h5
/usr/bin/python3 -c 'import h5py; h5py.File("other.h5", "w")["x"] = 1' 2>/dev/null || cp text.h5 other.h5
mistake "unknown column" "did you mean 'order'?" f.h5 --columns ordr
mistake "unknown column in a condition" "did you mean 'step'?" f.h5 --where "stp=1"
mistake "unknown format" "not 'jsn'; did you mean 'json'?" f.h5 --format jsn
mistake "unknown option" "did you mean '--columns'?" f.h5 --colums all
mistake "missing value" "'--where' needs a value" f.h5 --where
mistake "text for a number" 'column step holds numbers, not "small"' f.h5 --where "step = small"
mistake "no operator" 'column OP value is expected' f.h5 --where "step"
mistake "empty condition" 'column OP value is expected' f.h5 --where "step=1,"
mistake "open quote" 'a quote is not closed' f.h5 --where "method='x"
mistake "no comma" 'a comma or `and` is expected before "flag = ok"' f.h5 --where "method = 'rattle' flag = ok"
mistake "no file given" 'needs a result'
mistake "two files" "unexpected argument 'g.h5'" f.h5 g.h5
mistake "file missing" 'none.h5: error: No such file' none.h5
mistake "not HDF5" 'text.h5: error: is not a Constella result' text.h5
mistake "HDF5 of others" 'other.h5: error: is not a Constella result' other.h5
PYTHON=/nowhere/python3 mistake "no Python" '/nowhere/python3 cannot be started; set PYTHON' f.h5 --format markdown
mistake "all mistakes at once" '3 errors' f.h5 --columns a,b --where "c=1"
"$cst" table f.h5 >/dev/full 2>err
is "a full disk: exit 1" $? 1
table --help
has "help" "$rc$out" "0constella table FILE"

# status
table i.h5
is "interrupted: rows still print" "$rc $(echo "$out" | sed "/^$/q" | grep -c .)" "0 7"
has "interrupted: a note" "$err" "i.h5: the run was interrupted"
table i.h5 --format markdown
is "interrupted: rows in Markdown" "$rc $(echo "$out" | grep -c .)" "0 8"
has "interrupted: the note" "$err" "i.h5: the run was interrupted"
out=$("$cst" status f.h5)
is "status: complete" "$?$(echo "$out" | sed -n 1p)" "0state         complete"
is "status: counts" "$(echo "$out" | sed -n 2p)" "trajectories  30 of 30 done, 1 of them failed (no consistent start: 1)"
has "status: started" "$out" "started       2024-01-02T03:04:05Z"
has "status: ranks" "$out" "ranks         2"
lacks "status: no time left when complete" "$out" "time left"
has "status: interrupted" "$("$cst" status i.h5)" "state         interrupted"
"$cst" status none.h5 2>err
is "status: no file" "$? $(cat err)" "2 none.h5: error: No such file or directory"
has "status: help" "$("$cst" status --help)" "constella status FILE"
done_testing
