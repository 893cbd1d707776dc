#!/usr/bin/env bash
# Tries scripts/examples/slurm_sweep.sh on a Slurm of one node that it starts on this machine and stops
# again. Nothing is installed, and nothing is left behind.
#   tests/cli/try_slurm.sh POET-SOLVE
# Exit status: 0 the rows are those of a plain sweep; 1 they are not; 77 there is no Slurm to try it on
# (Debian: slurm-wlm, munge).
# shellcheck disable=SC2317,SC2329  # traps and conditions call functions
set -euo pipefail
PATH=$PATH:/usr/sbin

POET_SOLVE=$(realpath "$1")
export POET_SOLVE
script=$(realpath "$(dirname "$0")/../../scripts/examples/slurm_sweep.sh")

skip() {
  echo "skipped: $*"
  exit 77
}
for program in munged slurmctld slurmd sbatch scontrol squeue scancel; do
  command -v $program >/dev/null || skip "$program is not installed (Debian: slurm-wlm, munge)"
done

work=$(mktemp -d)
export SLURM_CONF=$work/slurm.conf
daemons=()
stop() {
  [ ${#daemons[@]} -lt 3 ] || scancel --user="$(id -un)" 2>/dev/null || true
  # In this order: the node's jobs end before the node, and all talk by way of munged, the first.
  for ((d = ${#daemons[@]} - 1; d >= 0; --d)); do
    kill "${daemons[d]}" 2>/dev/null || true
    wait "${daemons[d]}" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

# start NAME COMMAND...: in the background, and not for ever, should this script be killed.
start() {
  local name=$1
  shift
  timeout --kill-after=5 120 "$@" >"$work/$name.out" 2>&1 </dev/null &
  daemons+=($!)
}
# within SECONDS COMMAND...: whether it succeeds in this time.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}
free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 10000))
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo $port
}

mkdir -m 700 "$work/state" "$work/spool" "$work/munge"
head -c 128 /dev/urandom >"$work/munge.key"
chmod 600 "$work/munge.key"
cat >"$SLURM_CONF" <<CONF
ClusterName=trial
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MaxArraySize=5
KillWait=2
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=5 State=UP
CONF

start munged munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge/socket" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed"
within 20 test -S "$work/munge/socket" || skip "munged does not start: $(tail -n 3 "$work/munged.out")"
start slurmctld slurmctld -D
within 20 scontrol ping || skip "slurmctld does not start: $(tail -n 3 "$work/slurmctld.out")"
start slurmd slurmd -D -N node
is_idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }
within 20 is_idle || skip "slurmd does not start: $(tail -n 3 "$work/slurmd.out")"

# Seven points in five tasks. Two are infeasible, one crashes in the second run, and the folder's name
# needs quotes.
cd "$work"
grid=(--models linear --platforms m4 --ram-budget '30%,40%,44%,60%,80%,90%,100%' --runtime-budget 2
  --gap 0)
failed=0
expect() {
  local what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
run() {
  local status=0
  timeout 60 "$script" --wait "$1" "${grid[@]}" -- --time=1 || status=$?
  cat "$1/collect.log" "$1"/logs/*
  return $status
}
is_no_worse() { "$POET_SOLVE" compare --quiet --rel-tol 1e-9 "$@"; }
problems() { sed 's/"requested_gap".*//' "$1"; }

"$POET_SOLVE" sweep "${grid[@]}" --quiet >plain.jsonl
expect "the job array ends with 0" run "it's a run"
expect "its rows have the points and statuses of a plain sweep" \
  diff <(problems plain.jsonl) <(problems "it's a run/rows.jsonl")
expect "none needs more energy" is_no_worse plain.jsonl "it's a run/rows.jsonl"
expect "none needs less" is_no_worse "it's a run/rows.jsonl" plain.jsonl

# The program as before, but it is killed at the point with 4449 bytes.
cat >crashing <<CRASHING
#!/bin/bash
[[ "\$*" != *' 4449 '* ]] || kill -KILL \$\$
exec -a "\$0" $(printf '%q' "$POET_SOLVE") "\$@"
CRASHING
chmod +x crashing
POET_SOLVE=$work/crashing
status=0
run crashed || status=$?
expect "a run with a crash ends with 1; found $status" [ $status -eq 1 ]
expect "the crash is a row" grep -q '"point":3,"status":"failed"' crashed/rows.jsonl
expect "the other points have theirs" [ "$(grep -Ec '"status":"(optimal|infeasible)"' crashed/rows.jsonl)" -eq 6 ]
exit $failed
