#!/usr/bin/env bash
# Fails when a training step needs more energy than it did: for the continuous integration of a
# project whose models are trained with poet-solve. The baseline is a file in that project.
#
#   check_energy.sh [--update] BASELINE SWEEP-ARGUMENTS...
#
#   check_energy.sh --update ci/energy.jsonl --models net.json --platforms m4 \
#                   --ram-budget 25%,50% --runtime-budget 1.5     # writes the baseline
#   check_energy.sh ci/energy.jsonl --models net.json ...         # holds the project to it
#
# Exit status: 0 nothing is worse; 5 something is, a point that the baseline has is missing, or its
# graph has changed; else what poet-solve ended with. POET_SOLVE names the program, SUMMARY a file to
# which the comparison is added as Markdown. ON_CHANGED_GRAPH=report lets graphs change, and so do
# LIMITS, options of compare such as LIMITS="--max-energy-increase 5% --max-budget-increase 0%".
#
# Solves are --effort fast, unless the arguments say otherwise: they end after a given amount of work
# and not by the clock, so that two machines find the same.
set -euo pipefail

poet_solve=${POET_SOLVE:-poet-solve}
update=false
if [ "${1:-}" = --update ]; then
  update=true
  shift
fi
if [ $# -lt 2 ]; then
  echo "usage: check_energy.sh [--update] BASELINE SWEEP-ARGUMENTS..." >&2
  exit 2
fi
baseline=$1
shift

new=$(mktemp)
trap 'rm -f "$new"' EXIT

# A point without a verdict (4) or proof (5) is a finding only if the baseline has one.
status=0
effort=(--effort fast)
case " $* " in *" --effort"[\ =]*) effort=() ;; esac
"$poet_solve" sweep "$@" "${effort[@]}" >"$new" || status=$?
case $status in
  0 | 4 | 5) ;;
  *) exit "$status" ;;
esac

if $update; then
  cp "$new" "$baseline"
  echo "$baseline: written; look at the difference before you commit it" >&2
  exit 0
fi

read -r -a limits <<<"${LIMITS:-}"
on_changed_graph=fail
if [ ${#limits[@]} -gt 0 ]; then on_changed_graph=report; fi
compare=("$poet_solve" compare --on-changed-graph "${ON_CHANGED_GRAPH:-$on_changed_graph}" "${limits[@]}")
if [ -n "${SUMMARY:-}" ]; then
  "${compare[@]}" --markdown "$baseline" "$new" >>"$SUMMARY"
else
  "${compare[@]}" "$baseline" "$new"
fi
