#!/bin/bash
# slurm-box.sh: a private Slurm of one node for tests: on the loopback, without munge, systemd, cgroups or
# root, all of it in one folder.
#
#   tests/cluster/slurm-box.sh start FOLDER [CPUS]    # returns when the node takes jobs; prints nothing
#   export SLURM_CONF=FOLDER/slurm.conf
#   tests/cluster/slurm-box.sh stop FOLDER            # kills jobs, ends daemons; harmless when nothing runs
#
# Jobs of the partition `urgent` preempt those of `spare`, which have as long as they need to end; nothing touches
# those of `main`, the default. Exit:
# 0; 1 with the ends of the logs when it does not come up; 2 for wrong arguments.
# SPDX-License-Identifier: BSD-2-Clause
set -euo pipefail
PATH=$PATH:/usr/sbin

usage() {
  echo 'usage: slurm-box.sh start FOLDER [CPUS] | stop FOLDER' >&2
  exit 2
}

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo $port
}

# Only jobs of urgent preempt, and only those of spare: were main above spare, a waiting job of main would
# preempt a requeued one again.
# cred_expire is also the delay before a requeued job may start again; 5 is the smallest allowed value.
configuration() {
  local host user
  host=$(hostname -s) user=$(id -un)
  cat <<END
ClusterName=box
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmctldPort=$1
SlurmdPort=$2
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
TmpFS=$folder/tmp
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
JobRequeue=1
SlurmdParameters=config_overrides
EnforcePartLimits=ALL
MailProg=/bin/true
KillWait=3000
MessageTimeout=100
BatchStartTimeout=3000
UnkillableStepTimeout=3000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP PriorityTier=1 PreemptMode=OFF
PartitionName=spare Nodes=$host State=UP PriorityTier=1 GraceTime=3000
PartitionName=urgent Nodes=$host State=UP PriorityTier=2 PreemptMode=OFF
END
}

start() {
  mkdir -p "$folder"/{state,spool,tmp}
  configuration "$(free_port)" "$(free_port)" >"$folder/slurm.conf"
  echo 'CgroupPlugin=cgroup/v1' >"$folder/cgroup.conf"
  slurmctld -c -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" -N "$(hostname -s)" || return 1
  for _ in {1..3000}; do
    [[ $(sinfo -h -p main -o %t 2>/dev/null) != idle ]] || return 0
    sleep 0.1
  done
  return 1
}

# within SECONDS COMMAND...: whether it succeeds within this time.
within() {
  local end=$((SECONDS + $1 + 1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}
no_jobs() { [[ -z $(squeue -h 2>/dev/null) ]]; }
gone() { ! kill -0 "$@" 2>/dev/null; }

# A slurmstepd without its slurmctld would wait long for it; each works in the folder.
end_steps() {
  local process
  for process in $(pgrep -x slurmstepd); do
    [[ $(readlink "/proc/$process/cwd") != "$folder"* ]] || kill -9 "$process" 2>/dev/null || true
  done
}

# This must end within the five seconds of a test after its timeout: jobs get no time to end.
stop() {
  local daemons=() jobs=()
  mapfile -t daemons < <(cat "$folder"/slurm*.pid 2>/dev/null)
  ((${#daemons[@]})) || return 0
  # shellcheck disable=SC2046  # one word per job
  scancel $(squeue -h -o %A 2>/dev/null) 2>/dev/null || true
  mapfile -t jobs < <(scontrol listpids 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { print $1 }')
  ((${#jobs[@]} == 0)) || kill -9 "${jobs[@]}" 2>/dev/null || true
  within 1 no_jobs || true
  kill "${daemons[@]}" 2>/dev/null || true
  end_steps
  within 1 gone "${daemons[@]}" || kill -9 "${daemons[@]}" 2>/dev/null || true
}

(($# >= 2)) || usage
folder=$(realpath -m "$2") cpus=${3:-4}
export SLURM_CONF=$folder/slurm.conf
case $1 in
start) start || { tail -n 5 "$folder"/*.log >&2; stop; exit 1; } ;;
stop) stop ;;
*) usage ;;
esac
