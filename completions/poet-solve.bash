# Completion of poet-solve for bash; works without the package bash-completion.

_poet_solve_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

# The last element of a list with commas, none that is there already.
_poet_solve_list() {
  local done= choice left=
  [[ $word == *,* ]] && done=${word%,*},
  for choice in $1; do
    [[ ,$done == *,$choice,* ]] || left+=" $choice"
  done
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$left" -- "${word##*,}")
  compopt -o nospace 2>/dev/null
}

_poet_solve_files() {
  local found
  mapfile -t found < <(compgen -f -- "$word")
  COMPREPLY+=("${found[@]}")
  compopt -o filenames 2>/dev/null
}

_poet_solve_folders() {
  mapfile -t COMPREPLY < <(compgen -d -- "$word")
  compopt -o filenames 2>/dev/null
}

# Completes the value of `option`; fails if it takes none.
_poet_solve_value() {
  case $command:$option in
    sweep:--models|sweep:--model|baselines:--models|baselines:--model) _poet_solve_list "all $models"; _poet_solve_files ;;
    sweep:--platforms|sweep:--platform|baselines:--platforms|baselines:--platform) _poet_solve_list "all $platforms"; _poet_solve_files ;;
    sweep:--techniques) _poet_solve_list 'both remat paging none' ;;
    sweep:--methods|baselines:--methods) _poet_solve_list "all $methods" ;;
    sweep:--format) _poet_solve_words 'jsonl csv' ;;
    plot:--width) _poet_solve_words '84mm 174mm' ;;
    plot:--format) _poet_solve_words 'svg pdf' ;;
    plot:--lanes) _poet_solve_words 'all forward changed none' ;;
    plot:--x-axis) _poet_solve_words 'computation time energy' ;;
    plot:--theme) _poet_solve_words 'auto light dark' ;;
    sweep:--resume|sweep:--csv|sweep:--plot) _poet_solve_files ;;
    sweep:--collect|sweep:--schedules|baselines:--schedules) _poet_solve_folders ;;
    solve:--model|import-solution:--model|verify:--model|simulate:--model|run:--model|export:--model|fit:--model) _poet_solve_words "$models"; _poet_solve_files ;;
    solve:--platform|import-solution:--platform|info:--platform|verify:--platform|simulate:--platform)
      _poet_solve_words "$platforms"; _poet_solve_files ;;
    import:--loss|solve:--loss|info:--loss) _poet_solve_words 'cross_entropy mse' ;;
    import:--trainable|solve:--trainable|info:--trainable) _poet_solve_words 'all last:' ;;
    *:--custom|*:--shape) ;;
    solve:--objective) _poet_solve_words 'energy runtime ram' ;;
    solve:--plot-directory|run:--profile|fit:--output) _poet_solve_folders ;;
    solve:--export-model|solve:--warm-start|import-solution:--exported|run:--storage|run:--parameters|run:--input|run:--target) _poet_solve_files ;;
    export:--format) _poet_solve_words 'c tflm csv' ;;
    export:--output) _poet_solve_folders ;;
    compare:--on-changed-graph) _poet_solve_words 'report fail' ;;
    *:--backward) _poet_solve_words 'exact poet-chain' ;;
    *:--alignment) _poet_solve_words '4 8 16 32' ;;
    solve:--effort|sweep:--effort|baselines:--effort) _poet_solve_words 'fast default proof' ;;
    *:--output|*:--log-file) _poet_solve_files ;;
    place:--capacity) ;;
    import-solution:--ram-budget|simulate:--ram-budget) _poet_solve_words 'chip' ;;
    *:--paging-time) _poet_solve_words 'free blocking overlapped' ;;
    *:--ram-budget) _poet_solve_words 'min chip' ;;
    *:--runtime-budget|*:--batch-size|*:--mem-power-scale|*:--gap|*:--seed) ;;
    *:--storage-budget|*:--page-out-budget|*:--memory-limit) ;;
    *:--time-limit-s|*:--solve-threads|*:--jobs|*:--rel-tol|*:--steps|*:--ticks-per-second) ;;
    *) return 1 ;;
  esac
  return 0
}

_poet_solve_options() {
  local common='-h --help --version -q --quiet -v --verbose --log-file'
  local settings='--ram-budget --runtime-budget --paging-time --storage-budget
    --page-out-budget --batch-size --backward --alignment --mem-power-scale --effort --gap --time-limit-s
    --memory-limit --solve-threads --seed --require-optimal --output'
  case $command in
    import) echo "--loss --trainable --custom --shape --output $common" ;;
    solve) echo "--loss --trainable --custom --shape --model --platform --objective --count-parameters --paging --no-paging --remat --no-remat $settings --replace --compact
      --plot-directory --export-model --no-solve --warm-start --print-graph-info --print-power-costs --list-models
      --list-platforms --list-ops --json $common" ;;
    import-solution) echo "--exported --model --platform --ram-budget --runtime-budget --paging-time
      --storage-budget --page-out-budget --batch-size --backward --alignment
      --mem-power-scale --paging --no-paging --remat --no-remat --gap --output --compact $common" ;;
    info) echo "--loss --trainable --custom --shape --platform --batch-size --backward --alignment --json --output $common" ;;
    sweep) echo "--models --model --platforms --platform --techniques --min-ram $settings --jobs
      --resume --dry-run --collect --baselines --methods --format --csv --plot --schedules $common" ;;
    baselines) echo "--models --model --platforms --platform --methods --paging --no-paging --remat --no-remat $settings --schedules $common" ;;
    plot) echo "--output --width --no-title --format --lanes --x-axis --theme $common" ;;
    verify) echo "--model --platform $common" ;;
    simulate) echo "--model --platform --batch-size --backward --alignment --ram-budget --runtime-budget --output --compact $common" ;;
    place) echo "--capacity --alignment --no-moves --csv --time-limit-s --output --compact $common" ;;
    run) echo "--model --steps --seed --parameters --input --target --storage --fsync --check --profile --output $common" ;;
    fit) echo "--model --ticks-per-second --output $common" ;;
    export) echo "--model --output --format --seed --force $common" ;;
    compare) echo "--rel-tol --on-changed-graph --json --markdown $common" ;;
  esac
}

# --models and --platforms of sweep and baselines take several words: what they are of is the last option.
_poet_solve_option_of_list() {
  local at
  for ((at = COMP_CWORD - 1; at > 0; at--)); do
    [[ ${COMP_WORDS[at]} == --* ]] || continue
    case ${COMP_WORDS[at]} in
      --models|--model|--platforms|--platform) option=${COMP_WORDS[at]} ;;
    esac
    return
  done
}

_poet_solve() {
  local models='bert linear resnet18 resnet18_cifar resnet50 transformer vgg16 vgg16_cifar'
  local methods='keep-all chen-sqrt chen-greedy treeverse page-all capuchin-like dtr-like checkmate paging-only pofo poet'
  local platforms='a72 a72nocache esp32s3 jetsontx2 m0 m4 rp2040 rpi5 stm32f746 stm32h743'
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  # The command is the first word but for what every command has. Bash splits words at '='.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -q|--quiet|-v|--verbose) ;;
      --log-file)
        [[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i++))
        ((i++)) ;;
      solve|import|import-solution|info|verify|plot|simulate|place|run|export|fit|sweep|baselines|compare) command=${COMP_WORDS[i]}; break ;;
      *) command=solve; break ;;
    esac
  done
  if [[ $word == '=' ]]; then
    word=
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ ($command == sweep || $command == baselines) && $option != -* && $word != -* ]] && _poet_solve_option_of_list
  local first=
  [[ -z $command ]] && first=yes command=solve
  _poet_solve_value && return
  if [[ $word == -* ]]; then
    _poet_solve_words "$(_poet_solve_options)"
  elif [[ -n $first ]]; then
    _poet_solve_words 'solve import import-solution info verify plot simulate place run export fit sweep baselines compare'
  elif [[ $command == info ]]; then
    _poet_solve_words "$models"
    _poet_solve_files
  elif [[ $command == verify || $command == plot || $command == simulate || $command == run || $command == fit ||
      $command == export || $command == compare || $command == import-solution || $command == import || $command == place ]]; then
    _poet_solve_files
  fi
}

complete -F _poet_solve poet-solve
