function quoted(text) {
  return "'" replaced(replaced(text, "\\", "\\\\"), "'", "\\'") "'"
}

# The arguments of `complete` for a value.
function completes(kind, words) {
  if (kind == "any") return " -x"
  if (kind == "files") return " -r -F"
  if (kind == "folders") return " -x -a '(__fish_complete_directories)'"
  if (kind == "words") return " -x -a '" words "'"
  if (kind == "names") return " -r -F -a \"" words "\""
  if (kind == "list") return " -x -a '(__poet_solve_list " words ")'"
  if (kind == "names-list") return " -r -F -a \"(__poet_solve_list " words ")\""
}

# summaries: the commands. values: every option and argument, with the commands that have it.
function fill(part,    list, count, i, row, key, order, having, sets) {
  if (part == "summaries") {
    count = split(commands, list, " ")
    for (i = 1; i <= count; i++) {
      print "complete -c poet-solve -n '__poet_solve_at none' -a " list[i] " -d " quoted(summary[list[i]])
    }
    return
  }
  for (row = 1; row <= rows; row++) {
    if (is_later_argument(row)) continue
    key = ""
    count = is_argument[row] ? 0 : split(names[row], list, " ")
    for (i = 1; i <= count; i++) {
      key = key (list[i] ~ /^--/ ? " -l " substr(list[i], 3) : " -s " substr(list[i], 2))
    }
    key = key completes(kind[row], words[row])
    if (is_argument[row]) sub(/ -r/, "", key)
    else key = key " -d " quoted(describes[row])
    if (!(key in having)) order[++sets] = key
    having[key] = having[key] " " command[row]
  }
  for (i = 1; i <= sets; i++) {
    print "complete -c poet-solve -n '__poet_solve_at" having[order[i]] "'" order[i]
  }
}
