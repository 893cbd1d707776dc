# bash bash.sh SCRIPT WORD...: what SCRIPT completes the last word to, one a line.
source "$1" || exit 1
shift
COMP_WORDS=(poet-solve "$@")
COMP_CWORD=$#
_poet_solve
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
