#!/bin/bash
# test-lint-words.sh: tools/words.py finds the words of tools/words.txt in the prose of new lines, committed or not, and nothing else:
# not in old lines, code, names, or where a word has its ordinary sense. TAP.
# SPDX-License-Identifier: BSD-2-Clause
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../record/tap.sh"
tool=$here/../../tools/words.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset BASE
git() { command git -c user.name=x -c user.email=x -c commit.gpgsign=false -c core.hooksPath=/dev/null "$@"; }
git init -q .
mkdir src tests docs
echo '/* An old line: a step is dear. */' >src/a.c
printf 'An old line, which is told.\n\nAnother one.\n' >docs/a.md
git add . && git commit -qm old && old=$(git rev-parse HEAD)

# Committed: planted in lines 2, 4 to 5 and 7; the rest is innocent.
cat >>src/a.c <<'END'
int dear(int heats) { return heats; } // A spare lane.
/* The cost of
 * a run is
 * told in seconds; two columns are told apart; `anew` is the name of a member. */
void say(void) {
  puts("all of them anew: an error");
}
static const char *names[] = {"dear", "beware", "conclusions"}; /* endearing; the heat bath; it turns; a part of the way */
END
git commit -qam new
# Not committed: a page, where code is not prose, a script, a test, whose texts quote the program, and a file that git does not know.
cat >>docs/a.md <<'END'
No curve leaves a panel in silence. The dearest goes first, see [the near-root](near-root.md) and dear.c.

```
advice  beware
```

Besides, the solver moves by itself to the next step besides.
END
hash='#'   # this file is read, too
printf '%s\n' 'x="dear heats"' "echo 1 $hash begins anew" >tests/run.sh
printf '%s\n' '"""A run that rescues nothing."""' "ok('the advice', 1)  $hash strangers" >tests/a.py
printf '%s\n' 'advice, which no one reads here' >notes.txt
git add tests/a.py

planted="docs/a.md:10: besides; better: in addition; also
docs/a.md:10: moves by itself; better: is not conserved
docs/a.md:4: dearest; better: expensive; costly
docs/a.md:4: in silence; better: silently; without a message
docs/a.md:4: near-root; better: nearby solution
src/a.c:2: spare lane; better: scratch lane
src/a.c:4: is told; better: is reported; is printed
src/a.c:7: anew; better: again; recompute
tests/a.py:1: rescues; better: fallback
tests/a.py:2: strangers; better: external stepper
tests/run.sh:2: anew; better: again; recompute"
found=$(BASE=$old "$tool" .); status=$?
is 'exactly what is planted in new lines' "$(sort <<<"$found")" "$planted"
is 'the exit status says so' $status 1
git update-ref refs/remotes/origin/main HEAD
is 'from where the branch left origin/main' "$("$tool" . | sort)" "$(grep -v '^src/' <<<"$planted")"
git add . && git commit -qm all
is 'the last tag without one' "$(git update-ref -d refs/remotes/origin/main; git tag v1 "$old"; "$tool" . | sort)" "$planted"
BASE=HEAD "$tool" . >found; status=$?
is 'nothing in old lines' "$status$(cat found)" 0
rm found
wrong=$(grep -v '^#' "$here/../../tools/words.txt" | grep -vE '^[^ ].* \| .*[^ ] +\| [^ ]')
is 'each row of the list has a word, its sense, and a better one' "$wrong" ''
done_testing
