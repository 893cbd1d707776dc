# zsh zsh.sh SCRIPT LINE...: each line as it is when <tab> has been pressed at its end. Only an
# interactive shell completes, so there is one on a terminal of its own.
zmodload zsh/zpty || exit 1
zpty inner zsh -f -i
zpty -w inner "PS1= PS2= RPS1=; stty -echo; autoload -Uz compinit; compinit -D -u; source ${(q)1}"
zpty -w inner 'shown() { print -r -- "<<<$BUFFER>>>"; BUFFER= }; zle -N shown; bindkey "^X" shown'
zpty -w inner 'bindkey "^I" complete-word; unsetopt list_beep auto_list; print inner-is-ready'
while zpty -r inner line; do [[ $line == inner-is-ready* ]] && break; done
shift
for typed; do
  zpty -w -n inner "$typed"$'\t\C-X'
  zpty -r -m inner line '*<<<*>>>*'
  print -r -- ${${line##*<<<}%%>>>*}
done
zpty -d inner
