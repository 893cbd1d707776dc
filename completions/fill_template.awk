# Reads the table of read_help.awk, then prints the template of a shell with what follows from the table
# for each line @part@. In zsh, `values` are what each command takes; in bash and fish, where commands that
# take the same share a line, what options take. `options` of bash are their names, and `summaries`
# what fish and zsh say of the commands.
BEGIN { FS = "\t" }

# `value` with each `from` in it as `to`; neither is a pattern.
function replaced(value, from, to,    at, done) {
  while (at = index(value, from)) {
    done = done substr(value, 1, at - 1) to
    value = substr(value, at + length(from))
  }
  return done value
}

# Whether another argument of the command comes before this one. Only zsh tells them apart.
function is_later_argument(row) {
  return is_argument[row] && is_argument[row - 1] && command[row] == command[row - 1]
}

FNR == NR && $2 == "command" {
  commands = commands (commands == "" ? "" : " ") $3
  summary[$3] = $7
}
FNR == NR && $2 != "command" {
  command[++rows] = $1
  is_argument[rows] = $2 == "argument"
  names[rows] = $3
  value[rows] = $4
  kind[rows] = $5
  words[rows] = $6
  # An entry of a menu has no room for more than the first statement, and lists its words elsewhere.
  describes[rows] = $7
  if ($7 !~ /^[a-z]+: /) sub($6 == "" ? "(; |[.] ).*" : "(; |[.] |: ).*", "", describes[rows])
}
FNR == NR { next }

/@(models|platforms|commands)@/ {
  sub(/@models@/, models)
  sub(/@platforms@/, platforms)
  sub(/@commands@/, commands)
}
/^@[a-z]+@$/ {
  part = substr($0, 2, length($0) - 2)
  if (shell == "bash") fill_bash(part)
  else if (shell == "fish") fill_fish(part)
  else fill_zsh(part)
  next
}
{ print }

function fill_bash(part,    list, count, i, j, row, key, taken, order, patterns, sets) {
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

function fish_quoted(text) {
  return "'" replaced(replaced(text, "\\", "\\\\"), "'", "\\'") "'"
}

# How fish completes a value.
function fish_value(kind, words) {
  if (kind == "any") return " -x"
  if (kind == "files") return " -r -F"
  if (kind == "folders") return " -x -a '(__fish_complete_directories)'"
  if (kind == "words") return " -x -a '" words "'"
  if (kind == "names") return " -r -F -a \"" words "\""
  if (kind == "list") return " -x -a '(__poet_solve_list " words ")'"
  if (kind == "names-list") return " -r -F -a \"(__poet_solve_list " words ")\""
}

function fill_fish(part,    list, count, i, row, key, order, having, sets) {
  if (part == "summaries") {
    count = split(commands, list, " ")
    for (i = 1; i <= count; i++) {
      print "complete -c poet-solve -n '__poet_solve_at none' -a " list[i] " -d " fish_quoted(summary[list[i]])
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
    key = key fish_value(kind[row], words[row])
    if (is_argument[row]) sub(/ -r/, "", key)
    else key = key " -d " fish_quoted(describes[row])
    if (!(key in having)) order[++sets] = key
    having[key] = having[key] " " command[row]
  }
  for (i = 1; i <= sets; i++) {
    print "complete -c poet-solve -n '__poet_solve_at" having[order[i]] "'" order[i]
  }
}

function zsh_quoted(text) {
  return "'" replaced(text, "'", "'\\''") "'"
}

# `text` with a backslash before each of these characters.
function zsh_escaped(text, characters,    i, character) {
  text = replaced(text, "\\", "\\\\")
  for (i = 1; i <= length(characters); i++) {
    character = substr(characters, i, 1)
    text = replaced(text, character, "\\" character)
  }
  return text
}

# How zsh completes a value: an action of _arguments.
function zsh_value(kind, words) {
  if (kind == "any") return " "
  if (kind == "files") return "_files"
  if (kind == "folders") return "_files -/"
  if (kind == "words") return "(" replaced(words, ":", "\\:") ")"
  # After a space, _arguments adds no words of its own.
  if (kind == "names") return " _poet_solve_names " words
  if (kind == "names-list") return " _poet_solve_list " words
  return "_values -s , word " words
}

function fill_zsh(part,    list, count, i, j, row, order, several) {
  count = split(commands, order, " ")
  for (i = 1; i <= count; i++) {
    if (part == "summaries") {
      print "    " zsh_quoted(order[i] ":" summary[order[i]])
      continue
    }
    print "    " order[i] ") specifications=("
    for (row = 1; row <= rows; row++) {
      if (command[row] != order[i]) continue
      if (is_argument[row]) {
        several = value[row] ~ /\.\.\.$/ ? "*" : ""
        print "      " zsh_quoted(several ":" value[row] ":" zsh_value(kind[row], words[row]))
        continue
      }
      # Options of this form say something about one of several things.
      several = value[row] ~ /=/ || kind[row] == "names-list" ? "*" : ""
      split(names[row], list, " ")
      for (j = 1; j in list; j++) {
        print "      " zsh_quoted(several list[j] (kind[row] == "flag" ? "" : "=") "[" zsh_escaped(describes[row], "[]") "]" \
          (kind[row] == "flag" ? "" : ":" zsh_escaped(value[row], ":") ":" zsh_value(kind[row], words[row])))
      }
    }
    print "    ) ;;"
  }
}
