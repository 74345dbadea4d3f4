# Sourced by an interactive zsh with GPUCTL_COMPLETIONS, DUMP and OFFERED set. Tab writes the completions to the file
# OFFERED, one per line, then the command line after completion, and prints "offers written".
PROMPT= RPROMPT=
fpath=($GPUCTL_COMPLETIONS $fpath)
autoload -Uz compinit
compinit -C -u -d $DUMP
zstyle ":completion:*" insert-tab false
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a __offered
    builtin compadd -A __offered "$@"
    (( $#__offered )) && print -rl -- "word "$^__offered >> $OFFERED
  fi
  builtin compadd "$@"
}
press-tab() {
  zle complete-word
  print -r -- "line $BUFFER" >> $OFFERED
  print "offers ""written"
}
zle -N press-tab
bindkey "^I" press-tab
print "shell ""ready"
