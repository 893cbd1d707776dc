#compdef poet-solve
# Completion of poet-solve for zsh.

_poet_solve_models=(bert linear resnet18 resnet18_cifar resnet50 transformer vgg16 vgg16_cifar)
_poet_solve_platforms=(a72 a72nocache esp32s3 jetsontx2 m0 m4 rp2040 rpi5 stm32f746 stm32h743)

_poet_solve_methods=(keep-all chen-sqrt chen-greedy treeverse page-all capuchin-like dtr-like checkmate paging-only pofo poet)

_poet_solve_model() { _alternative "names:name:($_poet_solve_models)" 'files:file:_files' }
_poet_solve_platform() { _alternative "names:name:($_poet_solve_platforms)" 'files:file:_files' }
_poet_solve_list_of_models() { _values -s , models all $_poet_solve_models }
_poet_solve_list_of_platforms() { _values -s , platforms all $_poet_solve_platforms }
_poet_solve_list_of_methods() { _values -s , methods all $_poet_solve_methods }
_poet_solve_list_of_techniques() { _values -s , techniques both remat paging none }

_poet_solve_common=(
  '-h[show this text]' '--help[show this text]' '--version[show the version]'
  '-q[only errors on stderr]' '--quiet[only errors on stderr]'
  '-v[more on stderr]' '--verbose[more on stderr]'
  '--log-file=[write the log there as well]:FILE:_files')

_poet_solve_settings=(
  '--ram-budget=[bytes, 256K, 60%; ranges for sweep]:SIZE:(min chip)'
  '--runtime-budget=[1.5x, 12.5s; ranges for sweep]:T: '
  '--paging-time=[what the time of transfers counts for]:time:(free blocking overlapped)'
  '--storage-budget=[most bytes of copies in secondary storage]:SIZE: '
  '--page-out-budget=[most bytes written to secondary storage in a step]:SIZE: '
  '--batch-size=[batch size of a model with a batch dimension]:N: '
  '--backward=[the backward pass of a model of layers]:backward:(exact poet-chain)'
  '--alignment=[round the tensors of an exact graph up to a multiple of this]:BYTES:(4 8 16 32)'
  "--mem-power-scale=[factor on the platform's memory power]:X: "
  '--effort=[how hard to try]:effort:(fast default proof)'
  '--gap=[stop at this relative gap]:REL: '
  '--time-limit-s=[wall clock of a solve, in seconds]:S: '
  "--memory-limit=[memory of the solver's processes together]:SIZE: "
  '--solve-threads=[processes per solve]:N: '
  '--seed=[seed of the search]:N: '
  '--require-optimal[exit 5 if a schedule is not proven within the gap]'
  '--output=[write the result there, whole or not at all]:FILE:_files')

_poet_solve_solve=(
  '--model=[built-in model or model file]:NAME|FILE:_poet_solve_model'
  '--platform=[built-in platform or platform file]:NAME|FILE:_poet_solve_platform'
  '--objective=[what a schedule has least of]:objective:(energy runtime ram)'
  '--paging[allow paging to storage]' '--no-paging[forbid paging to storage]'
  '--remat[allow recomputation]' '--no-remat[forbid recomputation]'
  '--replace[a run without a schedule may replace one in --output]' '--compact[JSON on one line]'
  '--plot-directory=[write pictures into this directory]:DIR:_files -/'
  '--count-parameters[the RAM budget holds parameters as well]'
  '--export-model=[write the MILP as .mps or .lp]:FILE:_files'
  '--no-solve[end after --export-model]'
  '--warm-start=[a schedule file to start from]:FILE:_files'
  '--print-graph-info[table of the nodes on stderr]'
  "--print-power-costs[table of each node's energy and time]"
  '--list-models[built-in models, with their sizes]'
  '--list-platforms[built-in platforms, with their figures]'
  '--list-ops[ops of model files, with their attributes]'
  '--json[lists as JSON]')

_poet_solve_import_solution=(
  '--exported=[the model that the other solver read]:FILE:_files'
  '--model=[built-in model or model file]:NAME|FILE:_poet_solve_model'
  '--platform=[built-in platform or platform file]:NAME|FILE:_poet_solve_platform'
  '--ram-budget=[bytes, 256K, 60%]:SIZE:(chip)'
  '--runtime-budget=[1.5x, 12.5s]:T: '
  '--paging-time=[what the time of transfers counts for]:time:(free blocking overlapped)'
  '--storage-budget=[most bytes of copies in secondary storage]:SIZE: '
  '--page-out-budget=[most bytes written to secondary storage in a step]:SIZE: '
  '--batch-size=[batch size of a model with a batch dimension]:N: '
  '--backward=[the backward pass of a model of layers]:backward:(exact poet-chain)'
  '--alignment=[round the tensors of an exact graph up to a multiple of this]:BYTES:(4 8 16 32)'
  "--mem-power-scale=[factor on the platform's memory power]:X: "
  '--paging[allow paging to storage]' '--no-paging[forbid paging to storage]'
  '--remat[allow recomputation]' '--no-remat[forbid recomputation]'
  '--gap=[call it optimal within this relative gap]:REL: '
  '--output=[write the schedule there, whole or not at all]:FILE:_files'
  '--compact[JSON on one line]')

_poet_solve_network=(
  '--loss=[what an ONNX network is trained for]:LOSS:(cross_entropy mse)'
  '--trainable=[the layers of an ONNX network that train]:WHICH:(all last\:)'
  '*--custom=[a custom layer for an op of ONNX]:OP=FLOPS: '
  '*--shape=[the extents of an input of an ONNX network]:N,N...: ')

_poet_solve_info=(
  '--platform=[built-in platform or platform file]:NAME|FILE:_poet_solve_platform'
  '--batch-size=[batch size of a model with a batch dimension]:N: '
  '--backward=[the backward pass of a model of layers]:backward:(exact poet-chain)'
  '--alignment=[round the tensors of an exact graph up to a multiple of this]:BYTES:(4 8 16 32)'
  '--json[the figures as JSON]'
  '--output=[write them there, whole or not at all]:FILE:_files')

_poet_solve_sweep=(
  '*--models=[models and model files]:LIST:_poet_solve_list_of_models'
  '*--model=[models and model files]:LIST:_poet_solve_list_of_models'
  '*--platforms=[platforms and platform files]:LIST:_poet_solve_list_of_platforms'
  '*--platform=[platforms and platform files]:LIST:_poet_solve_list_of_platforms'
  '--techniques=[what schedules may use]:LIST:_poet_solve_list_of_techniques'
  '--min-ram[find the smallest RAM budget]'
  '--jobs=[points solved at the same time]:N: '
  '--resume=[go on with the sweep that was to write this file]:FILE:_files'
  '--dry-run[print the single solves as commands]'
  '--baselines[run other methods with every budget]'
  '--methods=[the methods to run]:LIST:_poet_solve_list_of_methods'
  '--collect=[take the results of those commands from here]:DIR:_files -/'
  '--format=[of --output or stdout]:format:(jsonl csv)'
  '--csv=[write a table there as well]:FILE:_files'
  '--plot=[write the curves there as SVG]:FILE:_files'
  '--schedules=[write schedule files into this directory]:DIR:_files -/')

_poet_solve_baselines=(
  '*--models=[models and model files]:LIST:_poet_solve_list_of_models'
  '*--model=[models and model files]:LIST:_poet_solve_list_of_models'
  '*--platforms=[platforms and platform files]:LIST:_poet_solve_list_of_platforms'
  '*--platform=[platforms and platform files]:LIST:_poet_solve_list_of_platforms'
  '--methods=[the methods to run]:LIST:_poet_solve_list_of_methods'
  '--paging[allow paging to storage]' '--no-paging[forbid paging to storage]'
  '--remat[allow recomputation]' '--no-remat[forbid recomputation]'
  '--schedules=[write schedule files into this directory]:DIR:_files -/')

_poet_solve_simulate=(
  '--model=[the model that the stages are for]:NAME|FILE:_poet_solve_model'
  '--platform=[the platform of the model]:NAME|FILE:_poet_solve_platform'
  '--batch-size=[batch size of a model with a batch dimension]:N: '
  '--backward=[the backward pass of a model of layers]:backward:(exact poet-chain)'
  '--alignment=[round the tensors of an exact graph up to a multiple of this]:BYTES:(4 8 16 32)'
  '--ram-budget=[bytes, 256K, 60%]:SIZE:(chip)'
  '--runtime-budget=[1.5x, 12.5s]:T: '
  '--output=[write the JSON there, whole or not at all]:FILE:_files'
  '--compact[JSON on one line]')

_poet_solve_plot=(
  '--output=[write the picture there]:FILE:_files'
  '--width=[lay the picture out for this width on paper]:MM:(84mm 174mm)'
  '--no-title[leave out what a caption says]'
  '--format=[what to write]:format:(svg pdf)'
  '--lanes=[the tensors that have a lane]:lanes:(all forward changed none)'
  '--x-axis=[what a schedule is drawn over]:axis:(computation time energy)'
  '--theme=[the colours]:theme:(auto light dark)')

_poet_solve_place=(
  '--capacity=[what the offsets have to fit]:BYTES: '
  '--alignment=[offsets are multiples of this]:N:(4 8 16 32)'
  '--no-moves[move no tensor; solve again in less RAM if need be]'
  '--csv[write the lifetimes of a schedule as a table]'
  '--time-limit-s=[wall clock of the search, in seconds]:S: '
  '--output=[write the result there, whole or not at all]:FILE:_files'
  '--compact[JSON on one line]')

_poet_solve_run=(
  '--model=[the model that the schedule was solved for]:NAME|FILE:_poet_solve_model'
  '--steps=[training steps, all with the same data]:N: '
  '--seed=[seed of parameters and data]:N: '
  '--parameters=[take all parameters from this .npz file]:FILE:_files'
  '*--input=[take an input from this file]:FILE:_files'
  '*--target=[take what the loss is compared with from this file]:FILE:_files'
  '--storage=[page to this file or device]:FILE:_files'
  '--fsync[each page-out waits until the device has it]'
  '--check[fill memory that is not in use with signalling NaNs]'
  '--profile=[write measured costs there]:DIR:_files -/'
  '--output=[write the JSON there, whole or not at all]:FILE:_files')

_poet_solve_export=(
  '--model=[the model that the schedule was solved for]:NAME|FILE:_poet_solve_model'
  '--output=[write the files into this directory]:DIR:_files -/'
  '--format=[C sources or tables of offsets]:format:(c tflm csv)'
  '--seed=[seed of parameters that are not trained]:N: '
  '--force[even if the directory holds other files]')

_poet_solve_fit=(
  '--model=[the model that the schedule was solved for]:NAME|FILE:_poet_solve_model'
  '--ticks-per-second=[the clock of the board]:HZ: '
  '--output=[write model.json and platform.json there]:DIR:_files -/')

_poet_solve_compare=(
  '--rel-tol=[energies this close are equal]:REL: '
  '--on-changed-graph=[what becomes of a model with another graph]:what:(report fail)'
  '--json[the findings as JSON on stdout]'
  '--markdown[the findings as Markdown on stdout]')

_poet_solve_commands() {
  local -a commands=(
    'solve:solve one problem; may be left out'
    'import:turn a network in an ONNX file into a model file'
    "import-solution:turn another solver's solution into a schedule"
    'info:show what a model comes to'
    'verify:replay schedule files against the rules'
    'plot:draw a schedule, or the curves of a sweep'
    'simulate:replay stages written by hand'
    'place:find an offset in RAM for every tensor'
    'run:run a schedule on real tensors'
    'export:write a schedule as C for a device'
    'fit:fit a model and a platform to what a board measured'
    'sweep:solve a grid of problems in one go'
    'baselines:run the methods of other papers, for comparison'
    'compare:report what became worse or better')
  _describe command commands
}

_poet_solve() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  # Without a command, the options are those of solve.
  _arguments -C -s $_poet_solve_common $_poet_solve_settings $_poet_solve_solve $_poet_solve_network \
    '1:command:_poet_solve_commands' '*::argument:->command'
  [[ $state == command ]] || return
  case $words[1] in
    import)
      _arguments -s $_poet_solve_common $_poet_solve_network \
        '--output=[write the model there]:FILE:_files' ':NETWORK:_files' ;;
    solve)
      _arguments -s $_poet_solve_common $_poet_solve_settings $_poet_solve_solve $_poet_solve_network ;;
    import-solution)
      _arguments -s $_poet_solve_common $_poet_solve_import_solution ':SOLUTION:_files' ;;
    info) _arguments -s $_poet_solve_common $_poet_solve_info $_poet_solve_network ':MODEL:_poet_solve_model' ;;
    sweep) _arguments -s $_poet_solve_common $_poet_solve_settings $_poet_solve_sweep ;;
    baselines) _arguments -s $_poet_solve_common $_poet_solve_settings $_poet_solve_baselines ;;
    plot)
      _arguments -s $_poet_solve_common $_poet_solve_plot ':FILE:_files' ;;
    verify)
      _arguments -s $_poet_solve_common \
        '--model=[check that the schedules are about this model]:NAME|FILE:_poet_solve_model' \
        '--platform=[and about this platform]:NAME|FILE:_poet_solve_platform' '*:FILE:_files' ;;
    simulate) _arguments -s $_poet_solve_common $_poet_solve_simulate ':FILE:_files' ;;
    place) _arguments -s $_poet_solve_common $_poet_solve_place ':FILE:_files' ;;
    run) _arguments -s $_poet_solve_common $_poet_solve_run ':SCHEDULE:_files' ;;
    export) _arguments -s $_poet_solve_common $_poet_solve_export ':SCHEDULE:_files' ;;
    fit)
      _arguments -s $_poet_solve_common $_poet_solve_fit ':TICKS:_files' ':SCHEDULE:_files' ;;
    compare)
      _arguments -s $_poet_solve_common $_poet_solve_compare ':BASELINE:_files' ':NEW:_files' ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _poet_solve "$@"
else
  compdef _poet_solve poet-solve
fi
