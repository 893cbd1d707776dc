# Reads the table of read_help.awk, then prints a template with a part of its shell for each line
# @part@. The shell's own file has fill(part), which prints it.
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
  fill(substr($0, 2, length($0) - 2))
  next
}
{ print }
