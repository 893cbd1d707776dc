# --help of `command` as rows of the table that the completions have. Each has, between tabs: the command;
# what the row is about (option, argument, command); its names; what stands for its value; how that is
# completed; the words for it; what a menu says of it. A dash stands for nothing, as shells lose empty columns.
#
# The value is completed by its name in --help and by the words that the description has for it:
#   a|b|c        these words
#   NAME|FILE    what is built in, and files
#   LIST         words with commas between them; what is built in and files, if its description begins so
#   FILE, DIR    files, directories
# A description names words in two ways: 'what it is: a, b or c', and 'a: what a does; b: what b does'.

# The words in a description, with a space before each.
function words_in(description,    words, clauses, items, count, i, j) {
  gsub(/ *\([^)]*\)/, "", description)
  split(description, clauses, /; |\. /)
  for (i = 1; i in clauses; i++) {
    if (match(clauses[i], /^[a-z0-9_-]+: /)) {
      words = words " " substr(clauses[i], 1, RLENGTH - 2)
    } else if (match(clauses[i], /: /)) {
      count = split(substr(clauses[i], RSTART + 2), items, /, or |, | or | and /)
      for (j = 1; j <= count; j++) {
        if (items[j] ~ /^[a-z0-9_-]+(:N)?$/) words = words " " items[j]
      }
    }
  }
  gsub(/:N/, ":", words)
  return words
}

# What is built in, for an option or argument of this name.
function built_in(name) {
  return tolower(name) ~ /model/ ? models : platforms
}

function write(    parts, count, i, names, value, kind, words) {
  if (about == "") return
  count = split(entry, parts, ", ")
  if (split(parts[count], last, " ") == 2) {
    parts[count] = last[1]
    value = last[2]
  }
  for (i = 1; i <= count; i++) names = names (i > 1 ? " " : "") parts[i]
  if (about == "argument") {
    value = names (names in several ? "..." : "")
    kind = description ~ /^built-in/ ? "names" : "files"
    if (kind == "names") words = built_in(names)
  } else if (about == "option") {
    if (value == "") kind = "flag"
    else if (value ~ /FILE/) kind = value ~ /NAME\|/ ? "names" : "files"
    else if (value == "DIR") kind = "folders"
    else if (value == "LIST") kind = description ~ /^built-in/ ? "names-list" : "list"
    else if (value ~ /^[a-z0-9-]+\|/) words = " " value
    else words = words_in(description)
    gsub(/\|/, " ", words)
    if (kind == "list") words = words_in(description)
    if (kind == "names-list") words = " all"
    if (kind == "names" || kind == "names-list") words = words built_in(names)
    if (kind == "") kind = words == "" ? "any" : "words"
    if (kind == "list" && words == "") kind = "any"
    # A menu has no room for more than the first statement, and lists words elsewhere.
    if (description !~ /^[a-z]+: /) sub(words == "" ? "(; |[.] ).*" : "(; |[.] |: ).*", "", description)
  }
  print command "\t" about "\t" names "\t" (value == "" ? "-" : value) "\t" (kind == "" ? "-" : kind) "\t" \
    (words == "" ? "-" : substr(words, 2)) "\t" description
  about = ""
}

/^Usage: / { for (i = 1; i <= NF; i++) if (sub(/\.\.\.$/, "", $i)) several[$i] }
/^[^ ]/ || /^$/ { write() }
/^[^ ].*:$/ { section = $1 }
/^  [^ ]/ {
  write()
  about = section == "Arguments:" ? "argument" : section == "Commands" ? "command" : $1 ~ /^-/ ? "option" : ""
  entry = substr($0, 3)
  description = ""
  if (match(entry, /  +/)) {
    description = substr(entry, RSTART + RLENGTH)
    entry = substr(entry, 1, RSTART - 1)
  }
}
/^   / {
  sub(/^ +/, "")
  description = description (description == "" ? "" : " ") $0
}
END { write() }
