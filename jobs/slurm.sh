#!/bin/bash
# A study on a Slurm cluster:   sbatch jobs/slurm.sh jobs/million-pendula.yaml
#
# Copy it and change the lines below. One rank a core; Constella does not use threads. --mpi=pmix starts the ranks as one MPI job
# (Open MPI; `srun --mpi=list` tells what the cluster has). open-mode=append keeps the log when a job is requeued.
#SBATCH --job-name=constella
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append

set -euo pipefail
study=${1:?usage: sbatch jobs/slurm.sh STUDY.yaml}
result=$(basename "$study" .yaml).h5
constella=${CONSTELLA:-build/constella}   # sbatch starts in the folder that it was called from
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

"$constella" check "$study"
srun --mpi=pmix "$constella" run "$study" -o "$result" --progress log --overwrite
"$constella" table "$result"
