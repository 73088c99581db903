#!/usr/bin/env bash
# setup.sh: installs missing packages on Debian and its derivatives; elsewhere reports whether the
# requirements are met.
#
#   tools/setup.sh 'required packages' 'optional packages'
#
# Required packages must be installed, optional ones may fail with a note. Their daemons are not started.
# Exit: 0; 1 when a required one is missing; 2 for wrong arguments.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail

say() { printf 'setup: %s\n' "$*"; }
complain() { printf 'setup: error: %s\n' "$*" >&2; }

# Those of the given packages that are not installed, on one line.
missing() {
  local package found=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || found+=("$package")
  done
  printf '%s' "${found[*]}"
}

# As root, or through sudo where it exists. With SYSTEMD_OFFLINE packages start none of their services, such
# as those of Slurm.
privileged() {
  if ((EUID == 0)); then env DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 "$@"
  elif command -v sudo >/dev/null; then sudo DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 "$@"
  else return 1
  fi
}

install() { privileged apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"; }

give_up() {
  complain "required packages are missing and could not be installed: $*"
  complain "have them installed, or build without root: see docs/building.md"
  exit 1
}

on_debian() {
  local required optional
  read -ra required <<<"$1"
  read -ra optional <<<"$2"
  read -ra required <<<"$(missing "${required[@]}")"
  read -ra optional <<<"$(missing "${optional[@]}")"
  if ((${#required[@]} == 0)); then
    say "nothing to install${optional[*]:+ (optional, not here: ${optional[*]})}"
    return
  fi
  say "installing ${required[*]} ${optional[*]}"
  privileged apt-get update || say "note: apt-get update failed; going on with the lists that are there"
  install "${required[@]}" || give_up "$(missing "${required[@]}")"
  ((${#optional[@]} == 0)) || install "${optional[@]}" || install_each "${optional[@]}"
  say "done"
}

# One by one, so that a package that is not available does not prevent the others.
install_each() {
  local package
  for package in "$@"; do
    install "$package" >/dev/null || say "note: the optional package $package could not be installed; what needs it will be skipped"
  done
}

# libraries.sh searches in the same places as the build.
elsewhere() {
  local line missing=
  say "no apt-get here. Constella needs a C compiler, make, pkg-config, MPI, PETSc (real), HDF5 (parallel), libfyaml and SLEEF; reports need python3 with h5py, numpy and matplotlib."
  say "Debian's names of the packages: $1"
  while IFS= read -r line; do [[ $line != MISSING* ]] || missing=${line#*:= }; done < <("$BASH" "${0%/*}/libraries.sh")
  if [[ $missing ]]; then
    complain "not found: $missing"
    complain "how to build them and where they are looked for: docs/building.md"
    exit 1
  fi
  say "all libraries are found"
}

if (($# < 1 || $# > 2)); then
  complain "usage: tools/setup.sh 'required packages' ['optional packages']"
  exit 2
fi
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then on_debian "$1" "${2:-}"; else elsewhere "$1"; fi
