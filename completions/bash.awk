# options: the options of each command. values: what each option and argument takes.
function fill(part,    list, count, i, j, row, key, taken, order, patterns, sets) {
  if (part == "options") {
    for (i = 1; i <= rows; i++) {
      if (!is_argument[i]) list[command[i]] = list[command[i]] " " names[i]
    }
    count = split(commands, order, " ")
    for (i = 1; i <= count; i++) {
      print "    " order[i] ") echo '" substr(list[order[i]], 2) "' ;;"
    }
    return
  }
  for (row = 1; row <= rows; row++) {
    if (kind[row] == "flag" || is_later_argument(row)) continue
    taken = kind[row] (words[row] == "" ? "" : " " words[row])
    if (!(taken in patterns)) order[++sets] = taken
    count = is_argument[row] ? 1 : split(names[row], list, " ")
    if (is_argument[row]) list[1] = ""
    for (j = 1; j <= count; j++) patterns[taken] = patterns[taken] "|" command[row] ":" list[j]
  }
  for (i = 1; i <= sets; i++) {
    print "    " substr(patterns[order[i]], 2) ")\n      echo \"" order[i] "\" ;;"
  }
}
