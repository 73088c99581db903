#!/bin/bash
# test-launch.sh: processes that a launcher has started and that do not see each other are refused before any
# work; one process, and ranks that do, are not, whatever else the environment says. TAP.
# SPDX-License-Identifier: BSD-2-Clause
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../record/tap.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
program=$(realpath "${CONSTELLA:-build/constella}") folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
for name in ${!SLURM_*} ${!PMI*} ${!OMPI_COMM_WORLD_*} ${!FLUX_*} ${!JSM_*} ${!PALS_*}; do unset "$name"; done
cp "$here/small.yaml" study.yaml

# run NAME=VALUE... [mpirun ...]
run() {
  rm -f study.h5
  env "$@" "$program" run study.yaml --progress none >out 2>err
  status=$?
}
# refused LAUNCHER NAME=VALUE...
refused() {
  run "${@:2}"
  is "${*:2}: exit status, no file" "$status $(ls study.h5 2>/dev/null)" "2 "
  has "${*:2}: who has started what" "$(cat err)" "$1 has started 4 processes (${2%%=*}) that do not see each other"
}
accepted() {
  run "$@"
  is "$*: runs" "$status $(cat out)" "0 study.h5: complete, no trajectory failed"
}

refused srun SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0
refused srun SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 PMIX_RANK=0 # srun --mpi=pmix with an MPI that has no PMIx
refused "mpiexec or srun" PMI_SIZE=4 PMI_RANK=0
refused "mpirun of Open MPI" OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0
refused "flux run" FLUX_JOB_SIZE=4 FLUX_TASK_RANK=0
refused jsrun JSM_NAMESPACE_SIZE=4 JSM_NAMESPACE_RANK=0
refused "mpiexec of PALS" PALS_LOCAL_SIZE=4 PALS_RANKID=0
has "which lets each run a study of its own" "$(cat err)" "CONSTELLA_ALONE=1 lets each run a study of its own"
for other in "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1" "PMI_SIZE=4 PMI_RANK=3" "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=2"; do
  # shellcheck disable=SC2086
  run $other
  is "$other: exit status, and the first one speaks for all" "$status $(cat out err)" "2 "
done

accepted A=1
accepted SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 PMIX_RANK=2 CONSTELLA_ALONE=1 # one of four serial studies under one srun
accepted OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 CONSTELLA_ALONE=1
accepted SLURM_NTASKS=4 SLURM_JOB_ID=1 SLURM_PROCID=0 # alone inside a batch script
accepted SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0
accepted SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 mpirun -n 1 # srun has started mpirun's daemons
accepted SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 mpirun -n 2
accepted PMI_SIZE=4 mpirun -n 2
# Where /dev/shm is small, ranks of one node talk over TCP.
shm='mount --make-rprivate / && mount -t tmpfs -o size=1m tmpfs /dev/shm && exec env "$@"'
if unshare -m true 2>/dev/null; then
  rm -f study.h5
  env -u OMPI_MCA_btl timeout 120 unshare -m bash -c "$shm" - mpirun -n 2 "$program" run study.yaml --progress none >out 2>err
  is "a /dev/shm of 1 MiB: runs" "$? $(cat out)" "0 study.h5: complete, no trajectory failed"
else
  verdict 0 "a /dev/shm of 1 MiB # SKIP no own mounts"
fi
# Parameters of PMIx are no launcher: a process alone starts no server of Open MPI.
mkdir server
printf '#!/bin/sh\ntouch "%s/started"\nexit 1\n' "$folder/server" >server/orted
chmod +x server/orted
accepted PMIX_MCA_gds=hash OPAL_BINDIR="$folder/server"
is "PMIX_MCA_gds: no server" "$(ls server)" "orted"
# The settings for a fast start of a single process do not replace existing ones of Open MPI.
if ldd "$program" | grep -q libmpi.so; then
  run OMPI_MCA_pml=none-of-these
  is "OMPI_MCA_pml=none-of-these: stays, and MPI refuses it" "$((status != 0)) $(ls study.h5 2>/dev/null)" "1 "
  # Its MPI overwrites no code of the C library, which threads may be executing, but for what UCX overwrites when it
  # is loaded, before there are threads (with Open MPI 5).
  dirty='/^[0-9a-f]+-/ { code = /r-xp.*libc\.so/ } code && /^Private_Dirty/ { n += $2 } END { print n + 0 }'
  library=$(ldd "$program" | awk '/libmpi.so/ { print $3 }')
  loaded=$(/usr/bin/python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(open("/proc/self/smaps").read())' "$library" | awk "$dirty")
  sed -i 's/^end:.*/end: 1e9/' study.yaml
  rm -f study.h5
  "$program" run study.yaml --progress none >out 2>err &
  for ((i = 0; i < 3000; i++)); do [ -e study.h5 ] && break; sleep 0.1; done
  overwritten=$(awk "$dirty" "/proc/$!/smaps")
  is "one process: kibibytes of the C library's code that were overwritten" "$overwritten" "${loaded:-0}"
  { kill -KILL $!; wait $!; } 2>/dev/null
  rm -f study.h5*
  cp "$here/small.yaml" study.yaml
fi
mkdir own
accepted TMPDIR="$folder/own"
is "the session's folder is removed" "$(ls own)" ""
accepted TMPDIR="$folder/nowhere"
is "a missing TMPDIR stays missing" "$(ls -d nowhere 2>&1 >/dev/null | wc -l)" 1
accepted TMPDIR="$folder/study.yaml"
accepted TMPDIR=/proc
run TMPDIR="$folder/$(printf '%04000d' 0)"
is "a TMPDIR of more than 4000 characters: runs" "$status $(cat out)" "0 study.h5: complete, no trajectory failed"
done_testing
