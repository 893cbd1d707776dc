# fish fish.sh SCRIPT WORD...: what SCRIPT completes the last word to, one a line.
source $argv[1]; or exit 1
complete -C "poet-solve $argv[2..]" | string replace -r '\t.*' ''
exit 0
