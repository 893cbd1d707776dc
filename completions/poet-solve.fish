# Completion of poet-solve for fish.

# Whether the line is for one of these commands. The command is the first word but for what every
# command has; any other first word means solve.
function __poet_solve_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case -q --quiet -v --verbose '--log-file=*'
            case --log-file
                set is_value 1
            case solve import import-solution info verify plot simulate place run export fit sweep baselines compare
                contains $word $argv
                return
            case '*'
                contains solve $argv
                return
        end
    end
    contains solve $argv; or contains first $argv
end

# The elements of a list with commas, none that is there already.
function __poet_solve_list
    set -l done (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    for word in $argv
        string match -q "*,$word,*" ",$done"; or echo $done$word
    end
end

function __poet_solve_none_yet
    __poet_solve_at first
end

# __poet_solve_option COMMANDS COMPLETE-OPTION...
function __poet_solve_option
    complete -c poet-solve -n "__poet_solve_at $argv[1]" $argv[2..]
end

set -l models bert linear resnet18 resnet18_cifar resnet50 transformer vgg16 vgg16_cifar
set -l platforms a72 a72nocache esp32s3 jetsontx2 m0 m4 rp2040 rpi5 stm32f746 stm32h743
set -l methods keep-all chen-sqrt chen-greedy treeverse page-all capuchin-like dtr-like checkmate paging-only pofo poet
set -l all solve import import-solution info verify plot simulate place run export fit sweep baselines compare

complete -c poet-solve -f

complete -c poet-solve -n __poet_solve_none_yet -a solve -d 'solve one problem; may be left out'
complete -c poet-solve -n __poet_solve_none_yet -a import -d 'turn a network in an ONNX file into a model file'
complete -c poet-solve -n __poet_solve_none_yet -a import-solution -d 'turn another solver\'s solution into a schedule'
complete -c poet-solve -n __poet_solve_none_yet -a info -d 'show what a model comes to'
complete -c poet-solve -n __poet_solve_none_yet -a verify -d 'replay schedule files against the rules'
complete -c poet-solve -n __poet_solve_none_yet -a plot -d 'draw a schedule, or the curves of a sweep'
complete -c poet-solve -n __poet_solve_none_yet -a simulate -d 'replay stages written by hand'
complete -c poet-solve -n __poet_solve_none_yet -a place -d 'find an offset in RAM for every tensor'
complete -c poet-solve -n __poet_solve_none_yet -a run -d 'run a schedule on real tensors'
complete -c poet-solve -n __poet_solve_none_yet -a export -d 'write a schedule as C for a device'
complete -c poet-solve -n __poet_solve_none_yet -a fit -d 'fit a model and a platform to what a board measured'
complete -c poet-solve -n __poet_solve_none_yet -a sweep -d 'solve a grid of problems in one go'
complete -c poet-solve -n __poet_solve_none_yet -a baselines -d 'run the methods of other papers, for comparison'
complete -c poet-solve -n __poet_solve_none_yet -a compare -d 'report what became worse or better'

__poet_solve_option "$all" -s h -l help -d 'show this text'
__poet_solve_option "$all" -l version -d 'show the version'
__poet_solve_option "$all" -s q -l quiet -d 'only errors on stderr'
__poet_solve_option "$all" -s v -l verbose -d 'more on stderr'
__poet_solve_option "$all" -l log-file -r -F -d 'write the log there as well'
__poet_solve_option 'import import-solution info verify plot simulate place run export fit compare' -F
__poet_solve_option info -a "$models"

__poet_solve_option 'solve import-solution verify simulate run export fit' -l model -r -F -a "$models" -d 'built-in model or model file'
__poet_solve_option 'solve import-solution info verify simulate' -l platform -r -F -a "$platforms" -d 'built-in platform or platform file'
__poet_solve_option 'solve import-solution' -l objective -x -a 'energy runtime ram' -d 'what a schedule has least of'
__poet_solve_option 'solve baselines' -l paging -d 'allow paging to storage'
__poet_solve_option 'solve import-solution baselines' -l no-paging -d 'forbid paging to storage'
__poet_solve_option 'solve import-solution baselines' -l remat -d 'allow recomputation'
__poet_solve_option 'solve import-solution baselines' -l no-remat -d 'forbid recomputation'
__poet_solve_option 'import solve info' -l loss -x -a 'cross_entropy mse' -d 'what an ONNX network is trained for'
__poet_solve_option 'import solve info' -l trainable -x -a 'all last:' -d 'the layers of an ONNX network that train'
__poet_solve_option 'import solve info' -l custom -x -d 'OP=FLOPS: a custom layer for an op of ONNX'
__poet_solve_option 'import solve info' -l shape -x -d 'the extents of an input of an ONNX network'
__poet_solve_option import -l output -r -F -d 'write the model there'
__poet_solve_option solve -l replace -d 'a run without a schedule may replace one in --output'
__poet_solve_option 'solve import-solution simulate place' -l compact -d 'JSON on one line'
__poet_solve_option solve -l plot-directory -x -a '(__fish_complete_directories)' -d 'write pictures into this directory'
__poet_solve_option solve -l count-parameters -d 'the RAM budget holds parameters as well'
__poet_solve_option solve -l export-model -r -F -d 'write the MILP as .mps or .lp'
__poet_solve_option import-solution -l exported -r -F -d 'the model that the other solver read'
__poet_solve_option solve -l no-solve -d 'end after --export-model'
__poet_solve_option solve -l warm-start -r -F -d 'a schedule file to start from'
__poet_solve_option solve -l print-graph-info -d 'table of the nodes on stderr'
__poet_solve_option solve -l print-power-costs -d 'table of each node\'s energy and time'
__poet_solve_option solve -l list-models -d 'built-in models, with their sizes'
__poet_solve_option solve -l list-platforms -d 'built-in platforms, with their figures'
__poet_solve_option solve -l list-ops -d 'ops of model files, with their attributes'
__poet_solve_option 'solve info' -l json -d 'lists or figures as JSON'

__poet_solve_option 'sweep baselines' -l models -l model -r -F -a "(__poet_solve_list all $models)" -d 'models and model files'
__poet_solve_option 'sweep baselines' -l platforms -l platform -r -F -a "(__poet_solve_list all $platforms)" -d 'platforms and platform files'
__poet_solve_option sweep -l techniques -x -a '(__poet_solve_list both remat paging none)' -d 'what schedules may use'
__poet_solve_option sweep -l min-ram -d 'find the smallest RAM budget'
__poet_solve_option sweep -l jobs -x -d 'points solved at the same time'
__poet_solve_option sweep -l resume -r -F -d 'go on with the sweep that was to write this file'
__poet_solve_option sweep -l dry-run -d 'print the single solves as commands'
__poet_solve_option sweep -l collect -x -a '(__fish_complete_directories)' -d 'take the results of those commands from here'
__poet_solve_option sweep -l baselines -d 'run other methods with every budget'
__poet_solve_option 'sweep baselines' -l methods -x -a "(__poet_solve_list all $methods)" -d 'the methods to run'
__poet_solve_option sweep -l format -x -a 'jsonl csv' -d 'of --output or stdout'
__poet_solve_option plot -l width -x -a '84mm 174mm' -d 'lay the picture out for this width on paper'
__poet_solve_option plot -l no-title -d 'leave out what a caption says'
__poet_solve_option plot -l format -x -a 'svg pdf' -d 'what to write'
__poet_solve_option plot -l lanes -x -a 'all forward changed none' -d 'the tensors that have a lane'
__poet_solve_option plot -l x-axis -x -a 'computation time energy' -d 'what a schedule is drawn over'
__poet_solve_option plot -l theme -x -a 'auto light dark' -d 'the colours'
__poet_solve_option sweep -l csv -r -F -d 'write a table there as well'
__poet_solve_option sweep -l plot -r -F -d 'write the curves there as SVG'
__poet_solve_option 'sweep baselines' -l schedules -x -a '(__fish_complete_directories)' -d 'write schedule files into this directory'

__poet_solve_option 'import-solution simulate' -l ram-budget -x -a chip -d 'bytes, 256K, 60%'
__poet_solve_option 'solve sweep baselines' -l ram-budget -x -a 'min chip' -d 'bytes, 256K, 60%; ranges for sweep'
__poet_solve_option 'solve import-solution sweep baselines simulate' -l runtime-budget -x -d '1.5x, 12.5s; ranges for sweep'
__poet_solve_option 'solve import-solution sweep baselines' -l paging-time -x -a 'free blocking overlapped' -d 'what the time of transfers counts for'
__poet_solve_option 'solve import-solution sweep baselines' -l storage-budget -x -d 'most bytes of copies in secondary storage'
__poet_solve_option 'solve import-solution sweep baselines' -l page-out-budget -x -d 'most bytes written to secondary storage in a step'
__poet_solve_option 'solve import-solution info sweep baselines simulate' -l batch-size -x -d 'batch size of a model with a batch dimension'
__poet_solve_option 'solve import-solution info sweep baselines simulate' -l backward -x -a 'exact poet-chain' -d 'the backward pass of a model of layers'
__poet_solve_option 'solve import-solution info sweep baselines simulate' -l alignment -x -a '4 8 16 32' -d 'round the tensors of an exact graph up to a multiple of this'
__poet_solve_option 'solve import-solution sweep baselines' -l mem-power-scale -x -d 'factor on the platform\'s memory power'
__poet_solve_option 'solve sweep baselines' -l effort -x -a 'fast default proof' -d 'how hard to try'
__poet_solve_option 'solve import-solution sweep baselines' -l gap -x -d 'stop at this relative gap'
__poet_solve_option 'solve sweep baselines place' -l time-limit-s -x -d 'wall clock of a solve or search, in seconds'
__poet_solve_option 'solve sweep baselines' -l memory-limit -x -d 'memory of the solver\'s processes together'
__poet_solve_option 'solve sweep baselines' -l solve-threads -x -d 'processes per solve'
__poet_solve_option 'solve sweep baselines' -l seed -x -d 'seed of the search'
__poet_solve_option run -l seed -x -d 'seed of parameters and data'
__poet_solve_option 'solve sweep baselines' -l require-optimal -d 'exit 5 if a schedule is not proven within the gap'
__poet_solve_option 'solve import-solution info sweep baselines plot simulate place run' -l output -r -F -d 'write the result there'

__poet_solve_option place -l capacity -x -d 'what the offsets have to fit'
__poet_solve_option place -l alignment -x -a '4 8 16 32' -d 'offsets are multiples of this'
__poet_solve_option place -l no-moves -d 'move no tensor; solve again in less RAM if need be'
__poet_solve_option place -l csv -d 'write the lifetimes of a schedule as a table'

__poet_solve_option run -l steps -x -d 'training steps, all with the same data'
__poet_solve_option run -l parameters -r -F -d 'take all parameters from this .npz file'
__poet_solve_option run -l input -r -F -d 'take an input from this file'
__poet_solve_option run -l target -r -F -d 'take what the loss is compared with from this file'
__poet_solve_option run -l profile -x -a '(__fish_complete_directories)' -d 'write measured costs there'
__poet_solve_option fit -l ticks-per-second -x -d 'the clock of the board'
__poet_solve_option fit -l output -x -a '(__fish_complete_directories)' -d 'write model.json and platform.json there'
__poet_solve_option run -l storage -r -F -d 'page to this file or device'
__poet_solve_option run -l fsync -d 'each page-out waits until the device has it'
__poet_solve_option run -l check -d 'fill memory that is not in use with signalling NaNs'

__poet_solve_option export -l output -x -a '(__fish_complete_directories)' -d 'write the files into this directory'
__poet_solve_option export -l format -x -a 'c tflm csv' -d 'C sources or tables of offsets'
__poet_solve_option export -l seed -x -d 'seed of parameters that are not trained'
__poet_solve_option export -l force -d 'even if the directory holds other files'

__poet_solve_option compare -l rel-tol -x -d 'energies this close are equal'
__poet_solve_option compare -l on-changed-graph -x -a 'report fail' -d 'what becomes of a model with another graph'
__poet_solve_option compare -l json -d 'the findings as JSON on stdout'
__poet_solve_option compare -l markdown -d 'the findings as Markdown on stdout'

functions -e __poet_solve_option
