# Usage: complete.bash SCRIPT LINE WORD... prints what the script offers at the end of the line, one a line. The words
# are those that bash makes of the line.
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
