function quoted(text) {
  return "'" replaced(text, "'", "'\\''") "'"
}

# `text` with a backslash before each of these characters.
function escaped(text, characters,    i, character) {
  text = replaced(text, "\\", "\\\\")
  for (i = 1; i <= length(characters); i++) {
    character = substr(characters, i, 1)
    text = replaced(text, character, "\\" character)
  }
  return text
}

# The action of _arguments for a value.
function action(kind, words) {
  if (kind == "any") return " "
  if (kind == "files") return "_files"
  if (kind == "folders") return "_files -/"
  if (kind == "words") return "(" replaced(words, ":", "\\:") ")"
  # After a space, _arguments adds no words of its own.
  if (kind == "names") return " _poet_solve_names " words
  if (kind == "names-list") return " _poet_solve_list " words
  return "_values -s , word " words
}

# summaries: the commands. values: every option and argument of each.
function fill(part,    list, count, i, j, row, order, several) {
  count = split(commands, order, " ")
  for (i = 1; i <= count; i++) {
    if (part == "summaries") {
      print "    " quoted(order[i] ":" summary[order[i]])
      continue
    }
    print "    " order[i] ") specifications=("
    for (row = 1; row <= rows; row++) {
      if (command[row] != order[i]) continue
      if (is_argument[row]) {
        several = value[row] ~ /\.\.\.$/ ? "*" : ""
        print "      " quoted(several ":" value[row] ":" action(kind[row], words[row]))
        continue
      }
      # Options of this form say something about one of several things.
      several = value[row] ~ /=/ || kind[row] == "names-list" ? "*" : ""
      split(names[row], list, " ")
      for (j = 1; j in list; j++) {
        print "      " quoted(several list[j] (kind[row] == "flag" ? "" : "=") "[" escaped(describes[row], "[]") "]" \
          (kind[row] == "flag" ? "" : ":" escaped(value[row], ":") ":" action(kind[row], words[row])))
      }
    }
    print "    ) ;;"
  }
}
