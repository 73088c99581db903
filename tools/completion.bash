# Completion of constella's command lines for bash: commands, options, values, names from the catalogue,
# files.
# SPDX-License-Identifier: BSD-2-Clause

# By command: its arguments and options, one per line: STUDY, --resume, -o FILE, --format text|csv.
declare -gA _constella_forms=(
@COMMANDS@
)

# The words that may stand for PLACE: a choice a|b|c, a name, or a file.
_constella_values() {   # PROGRAM PLACE WORD
  local list
  case $2 in
    'NAME|FILE') compgen -W "$("$1" list systems 2>/dev/null | awk '{ print $1 }')" -- "$3"; _constella_values "$1" STUDY "$3" ;;
    *[a-z]'|'*) compgen -W "${2//|/ }" -- "$3" ;;
    NAME) for list in systems methods schemes studies; do compgen -W "$("$1" list "$list" 2>/dev/null | awk '{ print $1 }')" -- "$3"; done
      compgen -W 'study system' -- "$3" ;;
    KIND) compgen -W "$("$1" list figures 2>/dev/null | awk '{ print $1 }')" -- "$3" ;;
    STUDY) compgen -f -X '!*.y?(a)ml' -- "$3"; compgen -d -- "$3" ;;
    FILE) compgen -f -X '!*.@(yaml|yml|h5)' -- "$3"; compgen -d -- "$3" ;;
    *) compgen -f -- "$3" ;;
  esac
}

# The place that WORD fills: the value of the option before it, else the next argument; nothing where WORD is
# an option.
_constella_place() {   # FORMS WORD WORD-BEFORE POSITION
  local form arguments=()
  while IFS= read -r form; do
    if [[ $form == "$3 "* ]]; then echo "${form#* }"; return; fi
    [[ $form == -* ]] || arguments+=("$form")
  done <<<"$1"
  [[ $2 == -* ]] || echo "${arguments[$4]-}"
}

_constella() {   # PROGRAM WORD WORD-BEFORE
  local forms="${_constella_forms[${COMP_WORDS[1]}]-}" place i given=0 before
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${!_constella_forms[*]} help --help --version" -- "$2")
    return
  fi
  if [[ ${COMP_WORDS[1]} == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${!_constella_forms[*]} all" -- "$2")
    return
  fi
  # Words before this one that are neither options nor their values are arguments.
  for ((i = 2; i < COMP_CWORD; i++)); do
    before=${COMP_WORDS[i - 1]}
    [[ ${COMP_WORDS[i]} == -* || ($before == -* && $'\n'$forms == *$'\n'"$before "*) ]] || given=$((given + 1))
  done
  place=$(_constella_place "$forms" "$2" "$3" "$given")
  if [[ $place ]]; then
    mapfile -t COMPREPLY < <(shopt -s extglob; _constella_values "$1" "$place" "$2")
    compopt -o filenames 2>/dev/null
  else
    mapfile -t COMPREPLY < <(compgen -W "$(grep -o -e '^--\?[a-z][a-z-]*' <<<"$forms") --help" -- "$2")
  fi
}
complete -F _constella constella
