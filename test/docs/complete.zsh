# Usage: complete.zsh FOLDER LINE presses Tab at the end of a line, in a real zsh with a terminal of its own, with the
# completion function from a folder. Prints each offer as `word WORD`, then `line LINE` as it is after Tab.
zmodload zsh/zpty
export GPUCTL_COMPLETIONS=$1 OFFERED=$(mktemp)
zpty shell "zsh -f -i"
zpty -w shell "source ${(q)0:A:h}/complete-inside.zsh"
zpty -r shell said "*shell ready*"
zpty -n -w shell "$2"$'\t'
zpty -r shell said "*offers written*"
zpty -d shell
cat $OFFERED
rm -f $OFFERED
