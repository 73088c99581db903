/* launch.c: reads from the environment of a launcher how many processes it started, and which of them this one is; checks
 * limits of the process, opens and ends its streams, and runs a command in a child (launch.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "cli/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/petsc-options.h"
#include "study/run/stop.h"

/* The innermost launcher first: the mpirun of Open MPI, of MPICH and its relatives start their daemons by
 * srun, whose variables ranks on other nodes inherit. SLURM_NTASKS belongs to the job, in which one process
 * may run alone. */
static const struct {
  const char *launcher, *size, *rank, *advice;
} launchers[] = {
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
     "use the mpirun of the MPI that constella was built with"},
    {"mpiexec or srun", "PMI_SIZE", "PMI_RANK",
     "use the mpirun of the MPI that constella was built with, or srun --mpi=pmix"},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
     "use srun --mpi=pmix (srun --mpi=list tells what there is) or mpirun"},
    {"flux run", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", "use flux run -o pmi=pmix, or mpirun"},
    {"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK",
     "use the mpirun of the MPI that constella was built with"},
    {"mpiexec of PALS", "PALS_LOCAL_SIZE", "PALS_RANKID",
     "use the mpirun of the MPI that constella was built with"},
};
/* Of a process with this variable no launcher is asked: it is one of several that run studies of their own. */
static const char ALONE[] = "CONSTELLA_ALONE";
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* The launcher that started this process; LAUNCHERS when none is known. */
static int find(void) {
  int k = getenv(ALONE) ? LAUNCHERS : 0;
  while (k < LAUNCHERS && !getenv(launchers[k].size))
    k++;
  return k;
}

static int number(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

/* Whether there is a variable of PMI or PMIx, by which tasks find each other; PMIX_MCA_ begins parameters of PMIx. */
static bool has_pmi(void) {
  for (char **e = environ; *e; e++)
    if (!strncmp(*e, "PMI", 3) && strncmp(*e, "PMIX_MCA_", 9))
      return true;
  return false;
}

/* Open MPI's session directory of a process without a daemon. It has the same name for all such processes,
 * and one would remove that of another; so each process gets its own parent folder for it. */
static char  session[4096];
static pid_t owner;
enum { ROOM_BELOW = 100 }; /* for the names of Open MPI */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at) {
  (void)status, (void)type, (void)at;
  (void)remove(path);
  return 0;
}

static void remove_session(void) {
  if (getpid() == owner)
    nftw(session, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool make_session(const char *base) {
  const int n = snprintf(session, sizeof session, "%s/constella-XXXXXX", base);
  if (n > (int)sizeof session - ROOM_BELOW || !mkdtemp(session))
    return false;
  owner = getpid();
  return !atexit(remove_session);
}

/* Where hwloc finds none of its plugins, of which one reads XML with libxml2 (hwloc can without) and others look for
 * graphics cards: they bring twenty libraries, among them those of X11 and of Unicode. */
static const char NO_PLUGINS[] = "/dev/null";

/* What of Open MPI and of hwloc a process alone has no use for: parts that are loaded, and devices that are
 * looked for, in a quarter of the time that a run takes to begin and end. A name that a version does not have
 * is passed over. The memory hooks (patcher, and those of UCX) serve networks that register memory. They
 * overwrite the code of munmap in the C library while a thread of PMIx may execute it: a rare crash at the
 * start. */
static const char *const spared[][2] = {
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "self"},
    {"OMPI_MCA_coll", "^adapt,han,inter,monitoring,sm,sync,tuned"},
    {"OMPI_MCA_osc", "^monitoring,pt2pt,rdma,ucx"},
    {"OMPI_MCA_memory", "^patcher"},
    {"OMPI_MCA_fcoll", "^dynamic,dynamic_gen2,two_phase,vulcan"},
    {"OMPI_MCA_errmgr", "^default_hnp,default_orted,default_tool"},
    {"OMPI_MCA_state", "^hnp,novm,orted,tool"},
    {"OMPI_MCA_reachable", "^netlink"},
    {"OMPI_MCA_shmem", "^posix,sysv"},
    {"OMPI_MCA_mpool", "^hugepage"},
    {"OMPI_MCA_rcache", "^grdma"},
    {"OMPI_MCA_op", "^avx"},
    {"HWLOC_COMPONENTS", "no_os,stop"},
    {"HWLOC_PLUGINS_PATH", NO_PLUGINS},
};

/* Ranks on one node talk through its memory. libfabric, behind the part ofi, looks for networks, in a fifth of the
 * time that two ranks take to start. */
static const char *const spared_on_one_node[][2] = {
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "^ofi,openib,uct,usnic"}, /* tcp is used where /dev/shm is small */
    {"HWLOC_PLUGINS_PATH", NO_PLUGINS},
};

static void spare(const char *const what[][2], size_t n) {
  for (size_t i = 0; i < n; i++)
    setenv(what[i][0], what[i][1], 0);
}

/* Whether mpirun of Open MPI, or srun, says that all ranks are on this node. */
static bool is_one_node(void) {
  const int ranks = number("OMPI_COMM_WORLD_SIZE");
  return ranks ? number("OMPI_COMM_WORLD_LOCAL_SIZE") == ranks
               : number("SLURM_STEP_NUM_NODES") == 1 && getenv("SLURM_STEP_NUM_TASKS");
}

/* Open MPI would make a folder TMPDIR that is missing, and leave it. */
static bool has_session(void) {
  const char *base = getenv("TMPDIR");
  if (getenv("OMPI_MCA_ess_singleton_isolated") || getenv("OMPI_MCA_orte_tmpdir_base"))
    return true;
  if (!(base && *base && make_session(base)) && !make_session("/tmp")) {
    fprintf(stderr,
            "constella: error: no temporary folder can be made in TMPDIR, nor in /tmp: %s\n",
            strerror(errno));
    return false;
  }
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_tmpdir_base", session, 0);
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
  setenv("TMPDIR", session, 1); /* it takes no other */
#endif
  return true;
}

/* MPI does not find the launcher either. */
static void forget_launcher(void) {
  static const char *const begins[] = {
      "PMI",        "OMPI_COMM_WORLD_", "OMPI_MCA_orte_", "OMPI_MCA_ess_",
      "SLURM_STEP", "SLURM_PROCID",     "FLUX_",          "JSM_",
      "PALS_"};
  for (char **e = environ; *e;) {
    char   name[256];
    size_t k = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
    while (k < sizeof begins / sizeof *begins && strncmp(name, begins[k], strlen(begins[k])))
      k++;
    if (strcspn(*e, "=") >= sizeof name || k == sizeof begins / sizeof *begins ||
        !strncmp(name, "PMIX_MCA_", 9) || unsetenv(name))
      e++;
  }
}

bool cst_launch_alone(void) {
  if (getenv(ALONE))
    forget_launcher();
  if (find() < LAUNCHERS || has_pmi()) {
    /* where nodes are joined by TCP alone, Open MPI 4.1 makes no window if it may take rdma */
    setenv("OMPI_MCA_osc", "^rdma", 0);
    if (is_one_node())
      spare(spared_on_one_node, sizeof spared_on_one_node / sizeof *spared_on_one_node);
    return true;
  }
  spare(spared, sizeof spared / sizeof *spared);
  return has_session();
}

bool cst_launch_is_mute(void) {
  int k = find();
  return k < LAUNCHERS && !strcmp(launchers[k].launcher, "srun") && !has_pmi();
}

bool cst_launch_refuse(int ranks) {
  int k = find();
  if (k == LAUNCHERS || ranks > 1 || number(launchers[k].size) <= 1)
    return false;
  if (number(launchers[k].rank) == 0)
    fprintf(
        stderr,
        "constella: error: %s has started %d processes (%s) that do not see each other: each "
        "would run "
        "the whole study and write the same file; %s; CONSTELLA_ALONE=1 lets each run a study of "
        "its own\n",
        launchers[k].launcher, number(launchers[k].size), launchers[k].size, launchers[k].advice);
  return true;
}

static int launch_ranks(void) {
  const int k = find();
  const int n = k < LAUNCHERS ? number(launchers[k].size) : 1;
  return n > 1 ? n : 1;
}

int cst_launch_rank(void) {
  const int k = find();
  return k < LAUNCHERS ? number(launchers[k].rank) : 0;
}

enum { END_SECONDS = 60 };

int cst_launch_end(int status) {
  status = cst_streams_end(status); /* PETSc fails where it cannot */
  cst_stop_ignore();                /* everything is written */
  cst_stop_after(END_SECONDS, status ? status : 1);
  if (cst_petsc_end())
    return status;
  if (!status)
    fprintf(
        stderr,
        "constella: error: MPI and PETSc could not be finalised; the written files are complete\n");
  return status ? status : 1;
}

/* ---- limits under which MPI or Python cannot work -------------------------------------------- */

/* Measured with Open MPI 4.1 and PMIx 4.2. A process alone has 12 descriptors open when it computes, and a
 * few more while a library is opened or a compiler is started; a rank of several has 20. Ranks of one node
 * share files of 4 MiB and a few bytes each. */
enum { DESCRIPTORS_ALONE = 20, DESCRIPTORS_OF_MANY = 32, SHARED_FILE = 5 << 20 };
/* A page of a small result takes 300 MB. Without memory OpenBLAS waits for ever. */
enum { DRAWING = 400 << 20 };

static bool refuse(int resource, rlim_t needed, const char *what, const char *option, unsigned unit,
                   const char *who) {
  struct rlimit is;
  if (getrlimit(resource, &is) || is.rlim_cur >= needed)
    return false;
  if (cst_launch_rank() == 0)
    fprintf(stderr,
            "constella: error: the limit on %s is %llu (ulimit -%s); %s needs %llu to start\n",
            what, (unsigned long long)is.rlim_cur / unit, option, who,
            (unsigned long long)needed / unit);
  return true;
}

bool cst_limits_refuse(void) {
  const bool many = launch_ranks() > 1;
  return refuse(RLIMIT_NOFILE, many ? DESCRIPTORS_OF_MANY : DESCRIPTORS_ALONE, "open files", "n", 1,
                "MPI") ||
         (many &&
          refuse(RLIMIT_FSIZE, SHARED_FILE, "the size of a file, in KiB,", "f", 1024, "MPI"));
}

bool cst_limits_refuse_drawing(void) {
  return refuse(RLIMIT_NOFILE, DESCRIPTORS_ALONE, "open files", "n", 1, "Python") ||
         refuse(RLIMIT_AS, DRAWING, "memory, in KiB,", "v", 1024, "Python");
}

bool cst_limits_raise_stack(void) {
  const rlim_t  wanted = 256 << 20, needed = 512 << 10;
  struct rlimit is;
  if (getrlimit(RLIMIT_STACK, &is) || is.rlim_cur >= wanted)
    return true;
  is.rlim_cur = is.rlim_max < wanted ? is.rlim_max : wanted;
  setrlimit(RLIMIT_STACK, &is);
  if (is.rlim_cur >= needed)
    return true;
  fprintf(stderr,
          "constella: error: the limit on the stack, in KiB, is %llu (ulimit -s); constella needs "
          "%llu\n",
          (unsigned long long)is.rlim_cur >> 10, (unsigned long long)needed >> 10);
  return false;
}

/* ---- closed standard streams, output that could not be written ------------------------------- */

void cst_streams_open(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0)
    close(descriptor);
}

/* Whether standard output is a pipe that nobody reads any more. */
static bool is_unread(void) {
  struct pollfd out = {.fd = STDOUT_FILENO};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

int cst_streams_end(int status) {
  errno = 0;
  const int failed = fflush(stdout), why = errno;
  if (!failed && !ferror(stdout))
    return status;
  if (is_unread())
    return status ? status : 128 + SIGPIPE;
  fprintf(stderr, "constella: error: standard output cannot be written%s%s\n", why ? ": " : "",
          why ? strerror(why) : "");
  clearerr(stdout);
  return status ? status : 1;
}

/* ---- a command in a child process ------------------------------------------------------------ */

static bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
         signal == SIGILL;
}

static int run_here(int (*run)(int, char **), int argc, char **argv, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(2);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return cst_streams_end(run(argc, argv));
}

/* Passes on the exit status or the signal of the child, but reports faults, and SIGPROF, with which the watch
 * of analysis/constella/reading.py ends it. */
static int pass_on(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  const int how = WTERMSIG(status);
  if (how == SIGPROF) {
    fprintf(stderr, "constella: error: a file is damaged: HDF5 does not finish reading it\n");
  } else if (is_fault(how)) {
    fprintf(stderr, "constella: error: a file is damaged: reading it ended with signal %d\n", how);
  } else {
    signal(how, SIG_DFL);
    raise(how);
  }
  return 2;
}

int cst_guard(int (*run)(int argc, char **argv), int argc, char **argv) {
  const pid_t us = getpid(), child = fork();
  int         status;
  if (child < 0)
    return run(argc, argv);
  if (child == 0)
    exit(run_here(run, argc, argv, us));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 1;
  return pass_on(status);
}
