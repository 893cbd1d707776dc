#!/usr/bin/env bash
# Runs a sweep on a Slurm cluster: a job array with a task per point, and a job after it that collects
# the rows.
#
#   slurm_sweep.sh [--at-once N] [--wait] FOLDER SWEEP-ARGUMENTS... [-- SBATCH-OPTIONS...]
#
#   slurm_sweep.sh runs/bert --models bert --platforms m0,m4,a72 --ram-budget 10%..100%:10 \
#                  --runtime-budget 1.5,3 --csv bert.csv -- --partition=short --time=20
#
# FOLDER must be new, and on a file system that all nodes share. The script puts these files there:
#   rows.jsonl       the rows of the sweep
#   collect.log      the table of the points, and the messages of the job that collects
#   schedules/       a schedule file per point
#   commands         a line per point: what a task runs
#   point.sh         the job of the array; collect.sh, the job after it
#   logs/            messages of the points, a file per task of the array
#
# --at-once N   at most N tasks run at the same time
# --wait        returns when the rows are there, with the exit status of `sweep --collect`
#
# A task ends with 0 if its point has an answer, and "infeasible" is one. It ends with the status of
# poet-solve if that crashed or was killed. The rows are collected in either case: a point without a file
# becomes a row with the status `failed`. To run task 7 again, whose messages are in logs/7, and collect anew:
#   sbatch --wait --array=7 FOLDER/point.sh; sbatch FOLDER/collect.sh
#
# Exit status: 0 submitted, or with --wait collected; 2 bad usage; else what poet-solve or sbatch ended with.
# POET_SOLVE names the program, which all nodes must find under this name.
set -euo pipefail

poet_solve=${POET_SOLVE:-poet-solve}

usage_error() {
  echo "slurm_sweep.sh: $1" >&2
  echo "usage: slurm_sweep.sh [--at-once N] [--wait] FOLDER SWEEP-ARGUMENTS... [-- SBATCH-OPTIONS...]" >&2
  exit 2
}

at_once='' wait=()
while [ $# -gt 0 ]; do
  case $1 in
    --at-once)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage_error "--at-once: found '${2:-}', expected a number of tasks"
      at_once=%$2
      shift 2
      ;;
    --wait)
      wait=(--wait)
      shift
      ;;
    -h | --help)
      sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0"
      exit 0
      ;;
    -*) usage_error "found '$1', expected --at-once, --wait or the folder of this sweep" ;;
    *) break ;;
  esac
done
[ $# -ge 1 ] || usage_error "found no folder, expected one for the files of this sweep"
folder=$1
shift
sweep=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --output | --output=* | --schedules | --schedules=* | --dry-run | --collect | --collect=*)
      usage_error "found $1, which this script sets itself: everything goes to $folder"
      ;;
    -h | --help | --version) usage_error "found $1, expected a grid; poet-solve sweep --help shows its options" ;;
  esac
  sweep+=("$1")
  shift
done
[ $# -eq 0 ] || shift
[ ${#sweep[@]} -gt 0 ] || usage_error "found no arguments of a sweep after the folder '$folder'"
# A line of `commands` is a point.
[[ $folder != *$'\n'* ]] || usage_error "$folder: found a line break, expected a name without one"
if [ -e "$folder" ] && [ -n "$(ls -A "$folder")" ]; then
  usage_error "$folder: found files in it, expected a new folder, so that no other sweep is collected"
fi
command -v sbatch >/dev/null || {
  echo "slurm_sweep.sh: found no sbatch; run this where jobs are submitted to Slurm" >&2
  exit 2
}

# The grid is checked here, before anything is written or submitted.
commands=$("$poet_solve" sweep "${sweep[@]}" --schedules "$folder/schedules" --dry-run --quiet)
points=$(wc -l <<<"$commands")
mkdir -p "$folder/schedules" "$folder/logs"
printf '%s\n' "$commands" >"$folder/commands"

# A task takes every tasks-th line, so that a grid may have more points than Slurm lets an array have.
limit=$(scontrol show config 2>/dev/null | awk '$1 == "MaxArraySize" { print $3 }' || true)
tasks=$((points < ${limit:-1001} ? points : ${limit:-1001}))

here=$(printf '%q' "$PWD")
quoted=$(printf '%q' "$folder")
cat >"$folder/point.sh" <<JOB
#!/bin/bash
#SBATCH --job-name=poet-point --output=/dev/null
cd $here && exec 2>$quoted/logs/"\$SLURM_ARRAY_TASK_ID" || exit 1
failed=0
while IFS= read -r command <&3; do
  status=0
  eval "\$command" >/dev/null || status=\$?
  case \$status in
    0 | 3 | 4 | 5) ;;  # a schedule, a proof that there is none, or a document that says what is missing
    *)
      echo "status \$status of: \$command" >&2
      failed=\$status
      ;;
  esac
done 3< <(sed -n "\$((SLURM_ARRAY_TASK_ID + 1))~${tasks}p" $quoted/commands)
exit \$failed
JOB
cat >"$folder/collect.sh" <<JOB
#!/bin/bash
#SBATCH --job-name=poet-collect --output=/dev/null
cd $here && exec 2>$quoted/collect.log || exit 1
exec $(printf '%q ' "$poet_solve" sweep --output "$folder/rows.jsonl" "${sweep[@]}" --collect "$folder/schedules")
JOB

array=$(sbatch --parsable --array="0-$((tasks - 1))$at_once" "$@" "$folder/point.sh")
array=${array%%;*}  # on some clusters followed by the cluster's name
echo "slurm_sweep.sh: $points points in the $tasks tasks of job $array; rows come into $folder" >&2
# afterany, not afterok: a task that was killed is a row as well.
status=0
sbatch "${wait[@]}" --dependency="afterany:$array" "$@" "$folder/collect.sh" >&2 || status=$?
exit $status
