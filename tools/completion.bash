# What constella takes after its name, to bash: commands, options and their values, names of the catalogue, files.
# SPDX-License-Identifier: BSD-2-Clause
declare -gA _constella_arguments=(
@COMMANDS@
)

# What may stand for PLACE, an argument as `constella help` writes it: a choice a|b|c, a NAME of what there is, or a file.
_constella_values() {   # PROGRAM PLACE WORD
  local list
  case $2 in
    'NAME|FILE') compgen -W "$("$1" list systems 2>/dev/null | awk '{ print $1 }')" -- "$3"; _constella_values "$1" STUDY "$3" ;;
    *[a-z]'|'*) compgen -W "${2//|/ }" -- "$3" ;;
    NAME) for list in systems methods schemes; do compgen -W "$("$1" list "$list" 2>/dev/null | awk '{ print $1 }')" -- "$3"; done ;;
    STUDY) compgen -f -X '!*.y?(a)ml' -- "$3"; compgen -d -- "$3" ;;
    FILE) compgen -f -X '!*.@(yaml|yml|h5)' -- "$3"; compgen -d -- "$3" ;;
    *) compgen -f -- "$3" ;;
  esac
}

_constella() {   # PROGRAM WORD WORD-BEFORE
  local arguments="${_constella_arguments[${COMP_WORDS[1]}]-}" option='' place=''
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${!_constella_arguments[*]} help --help --version" -- "$2")
    return
  fi
  # `-o FILE` and `--format text|csv` take what follows them; the first word of the rest is the argument that all need.
  option=${arguments#*"[$3 "}
  if [[ $3 == -* && $option != "$arguments" ]]; then place=${option%%[] ]*}
  elif [[ $2 != -* ]]; then place=${arguments%% *}
  fi
  if [[ $place ]]; then
    mapfile -t COMPREPLY < <(shopt -s extglob; _constella_values "$1" "$place" "$2")
    compopt -o filenames 2>/dev/null
  else
    mapfile -t COMPREPLY < <(compgen -W "$(grep -o -e '--\?[a-z][a-z-]*' <<<"$arguments")" -- "$2")
  fi
}
complete -F _constella constella
