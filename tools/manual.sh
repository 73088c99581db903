#!/usr/bin/env bash
# manual.sh: the manual page of constella, from what the program says of itself.
#
#   constella help | tools/manual.sh RELEASE >constella.1
#
# Of the help: the first line names the program and tells what it is; `  constella COMMAND ARGUMENTS` with a line below it describes a command; a line
# that begins with a heading and a colon is a section of its own, and so are the lines below it, each a term, two blanks and its description.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
release=${1:?usage: constella help | tools/manual.sh RELEASE}

awk -v release="$release" '
  function plain(text) {   # what roff would take for its own; a hyphen is one that can be typed
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/`/, "\\(ga", text); gsub(/\047/, "\\(aq", text)
    return text ~ /^\./ ? "\\&" text : text
  }
  NR == 1 {
    name = $1; sub(/:$/, "", name); what = $0; sub(/^[^:]*: */, "", what)
    printf ".\\\" Written by manual.sh from what the program says; not to be edited.\n.TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", toupper(name), name, release
    printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.I command\n.RI [ argument \" ...]\"\n.SH COMMANDS\n", name, plain(what), name
    next
  }
  $1 == name && /^  / {
    rest = $0; sub(/^ *[^ ]+ +[^ ]+ */, "", rest)
    printf ".TP\n.BR \"%s %s\" \" %s\"\n", name, $2, plain(rest)
    next
  }
  /^[A-Z][^:]*: */ {
    heading = $0; sub(/:.*/, "", heading); sub(/^[^:]*: */, "")
    printf ".SH %s\n", toupper(heading)
    if ($0 != "") print plain($0)
    next
  }
  /^  [^ ]+  / { printf ".TP\n.B %s\n", plain($1); sub(/^ *[^ ]+ +/, ""); print plain($0); next }
  NF { sub(/^ +/, ""); print plain($0) }'

cat <<'EOF'
.SH FILES
Texts for reading on, ready studies and the scripts of reports are in
.I share/constella
beside the folder of the program.
EOF
