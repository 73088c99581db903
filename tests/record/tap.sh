# tap.sh: TAP lines from shell tests: is NAME GOT WANTED; has NAME TEXT PART; lacks; done_testing.
# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
count=0 failed=0
verdict() { # rc, name, got, wanted
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; return; fi
  failed=1
  echo "not ok $count - $2"
  printf '%s\n' "got:" "$3" "wanted:" "$4" | sed 's/^/# /'
}
is() { [ "$2" = "$3" ]; verdict $? "$1" "$2" "$3"; }
has() { case "$2" in *"$3"*) verdict 0 "$1" ;; *) verdict 1 "$1" "$2" "...$3..." ;; esac; }
lacks() { case "$2" in *"$3"*) verdict 1 "$1" "$2" "without $3" ;; *) verdict 0 "$1" ;; esac; }
done_testing() { echo "1..$count"; exit $failed; }
