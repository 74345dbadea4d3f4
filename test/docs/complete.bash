# Usage: complete.bash SCRIPT LINE WORD...
# Prints the completions that the script offers at the end of the line, one per line. The words are the line as bash
# splits it.
set -u
source "$1"
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_gpuctl
printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}
