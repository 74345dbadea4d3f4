# Usage: complete.bash SCRIPT WORD... prints what the script offers for the last word, one a line.
set -u
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_gpuctl
printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}
