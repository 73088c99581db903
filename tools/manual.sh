#!/usr/bin/env bash
# manual.sh: writes the manual page of constella from its help.
#
#   constella help all | tools/manual.sh RELEASE >constella.1
#
# The form of the help: the first line is the name of the program and its description. `  constella COMMAND
# ARGUMENTS` begins a command; its description is the next line. Lines with eight leading blanks are
# arguments and options, `-o, --output FILE  description`; lines with more continue them. A heading and a
# colon begin a section; the lines below are terms, each followed by two blanks and a description.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
release=${1:?usage: constella help all | tools/manual.sh RELEASE}

awk -v release="$release" '
  function plain(text) {   # escape what roff would interpret; a hyphen stays one that can be typed
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/`/, "\\(ga", text); gsub(/\047/, "\\(aq", text)
    return text ~ /^\./ ? "\\&" text : text
  }
  function nest(on) {   # the options of a command are indented below it
    if (on && !nested) print ".RS"
    if (!on && nested) print ".RE"
    nested = on
  }
  NR == 1 {
    name = $1; sub(/:$/, "", name); what = $0; sub(/^[^:]*: */, "", what)
    printf ".\\\" Written by manual.sh from the help of the program; not to be edited.\n.TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", toupper(name), name, release
    printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.I command\n.RI [ argument \" ...]\"\n.SH COMMANDS\n", name, plain(what), name
    next
  }
  $1 == name && /^  / {
    nest(0)
    rest = $0; sub(/^ *[^ ]+ +[^ ]+ */, "", rest)
    printf ".TP\n.BR \"%s %s\" \" %s\"\n", name, $2, plain(rest)
    next
  }
  /^        [^ ]/ {
    nest(1)
    form = $0; sub(/^ +/, "", form); doc = form; sub(/  .*/, "", form); sub(/^.*[^ ]  +/, "", doc)
    printf ".TP\n.B %s\n%s\n", plain(form), plain(doc)
    next
  }
  /^[A-Z][^:]*: */ {
    nest(0)
    heading = $0; sub(/:.*/, "", heading); sub(/^[^:]*: */, "")
    printf ".SH %s\n", toupper(heading)
    if ($0 != "") print plain($0)
    next
  }
  /^  [^ ]+  / { printf ".TP\n.B %s\n", plain($1); sub(/^ *[^ ]+ +/, ""); print plain($0); next }
  NF { sub(/^ +/, ""); print plain($0) }'

cat <<'MANUAL'
.SH FILES
Documentation, example studies and the scripts of reports are in
.I share/constella
beside the folder of the program.
MANUAL
