# Usage: complete.zsh FOLDER LINE DUMP
# Presses Tab at the end of a line in an interactive zsh with the completion function from a folder. Prints each
# completion as `word WORD`, then the line after completion as `line LINE`. zsh stores the list of completion functions
# in the file DUMP if it does not exist, because looking for them takes a second.
zmodload zsh/zpty
export GPUCTL_COMPLETIONS=$1 DUMP=$3 OFFERED=$(mktemp)
zpty shell "zsh -f -i"
zpty -w shell "source ${(q)0:A:h}/complete-inside.zsh"
zpty -r shell output "*shell ready*"
zpty -n -w shell "$2"$'\t'
zpty -r shell output "*offers written*"
zpty -d shell
cat $OFFERED
rm -f $OFFERED
