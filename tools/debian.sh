#!/usr/bin/env bash
# debian.sh: runs the two commands of the README on another release of Debian, in a folder of its own.
#
#   tools/debian.sh FOLDER [COMMAND...]
#
# As root, on Debian with debootstrap. A FOLDER that does not exist or is empty gets a Debian (SUITE, trixie
# unless set; from MIRROR, or where debootstrap looks without it) and in it, in /constella, the last commit of
# this repository; a folder made so before gets the last commit again and keeps what was built. In it `make
# demo` and `make test` run, or the commands given, until one fails. Their output is also in FOLDER/log. Nothing outside FOLDER is changed; its
# mounts are taken away at the end. Exit: that of the first command that fails; 2 for wrong arguments.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
suite=${SUITE:-trixie}
mirror=(${MIRROR:+"$MIRROR"})

complain() { printf 'debian: error: %s\n' "$*" >&2; exit 2; }
say() { printf 'debian: %s\n' "$*"; }

(($# >= 1)) && [[ $1 != -* ]] || complain "usage: tools/debian.sh FOLDER [COMMAND...]"
((EUID == 0)) || complain "debootstrap and chroot need root"
command -v debootstrap >/dev/null || complain "debootstrap is missing: apt-get install debootstrap"
folder=$(realpath -m "$1")
shift
(($# > 0)) || set -- 'make demo' 'make test'
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)

# A Debian of the least packages, and `make`, which the README takes for granted.
if [[ ! -e $folder/constella ]]; then
  [[ ! -e $folder || -z $(ls -A "$folder") ]] || complain "$folder is neither empty nor made by this script"
  say "debootstrap $suite into $folder"
  debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$folder" "${mirror[@]}" >"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log" >&2; exit 1; }
  mv "$folder.log" "$folder/debootstrap.log"
  git clone --quiet --no-hardlinks "$repository" "$folder/constella"
fi

mounted=()
let_go() {
  local at
  for at in "${mounted[@]}"; do umount "$at" || umount --lazy "$at"; done
}
trap let_go EXIT
attach() { mount "${@:2}" "$folder/$1"; mounted=("$folder/$1" "${mounted[@]}"); }
attach proc -t proc proc
attach sys --bind /sys
attach dev --bind /dev
mkdir -p "$folder/dev/shm"
mountpoint -q "$folder/dev/shm" || attach dev/shm -t tmpfs shm
cp /etc/resolv.conf "$folder/etc/resolv.conf"
cp /etc/hosts "$folder/etc/hosts"

# The last commit; files that are built stay.
git -C "$folder/constella" fetch --quiet --tags "$repository" HEAD
git -C "$folder/constella" reset --quiet --hard FETCH_HEAD

inside() { chroot "$folder" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
say "$(inside sh -c '. /etc/os-release; echo "$PRETTY_NAME"'), commit $(git -C "$repository" rev-parse --short HEAD)"
: >"$folder/log"
for command; do
  say "$command"
  inside sh -c "cd /constella && $command" 2>&1 | tee -a "$folder/log"
done
