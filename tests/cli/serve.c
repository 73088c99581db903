/* serve.c: loaded before the program (LD_PRELOAD): loads its libraries once for many commands. Where
 * CONSTELLA_SERVE names a socket, the program does not begin: for each request it forks, and the copy begins as
 * if it had been started with the request's words, environment, folder and streams. Loading the libraries takes
 * half of what a refusal takes otherwise. With CONSTELLA_SERVE_PETSC those of PETSc are loaded too, which takes a run
 * that solves by them 0.1 s of the processor each time. So are the parts of Open MPI that a run on one rank opens:
 * the copy finds them loaded, which spares it a tenth of a short run.
 *
 * A request is one message with four descriptors: stdin, stdout, stderr, and a pipe that gets the number of the
 * process and, when it has ended, its status, two ints. Its text is strings behind one another, each with its
 * 0: the folder, the limit of CPU seconds (0: none), the numbers of words and of variables, these. Used by
 * cli.py. Where a copy would start Python for a figure, a Python that is loaded already runs the command (python.py). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 17, DESCRIPTORS = 4, MOST = 1000 };

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

static const char *next(const char **at) {
  const char *here = *at;
  *at += strlen(here) + 1;
  return here;
}

/* False at the end of the connection. */
static int receive(int from, char *text, int fd[DESCRIPTORS]) {
  char          space[CMSG_SPACE(sizeof(int) * DESCRIPTORS)];
  struct iovec  part = {text, ROOM};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  const ssize_t   n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
  struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (!c || c->cmsg_len != CMSG_LEN(sizeof(int) * DESCRIPTORS))
    return 0;
  memcpy(fd, CMSG_DATA(c), sizeof(int) * DESCRIPTORS);
  return 1;
}

/* Becomes the process of the request: words and variables behind one another, as a program finds them. */
static void become(const char *text, const int fd[DESCRIPTORS], int *argc, char ***argv) {
  const char  *folder = next(&text);
  const rlim_t seconds = (rlim_t)atol(next(&text));
  const int    words = atoi(next(&text)), variables = atoi(next(&text));
  char       **all = calloc((size_t)(words + variables) + 2, sizeof *all);
  for (int i = 0; i < 3; i++)
    dup2(fd[i], i);
  if (!all || chdir(folder))
    _exit(127);
  for (int i = 0; i < words + variables; i++)
    all[i + (i >= words)] = (char *)next(&text);
  if (seconds)
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
  environ = all + words + 1;
  *argc = words;
  *argv = all;
}

/* The copies that have not ended yet, and where their status goes. */
typedef struct {
  pid_t process;
  int   reply;
} copy;
static copy copies[MOST];
static int  alive;

/* Reports the copies that have ended; waits for all of them where there is nothing else to do. */
static void tell_of_ended(bool all) {
  int   status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, all ? 0 : WNOHANG)) > 0)
    for (int i = 0; i < alive; i++)
      if (copies[i].process == ended) {
        if (write(copies[i].reply, &status, sizeof status) < 0)
          perror("serve");
        close(copies[i].reply);
        copies[i--] = copies[--alive];
      }
}

/* Returns in the process of a request alone; its signals are those that the server found. */
static void serve(int from, int *argc, char ***argv) {
  static char   text[ROOM];
  int           fd[DESCRIPTORS];
  sigset_t      before, ends;
  struct pollfd watched[2] = {{.fd = from, .events = POLLIN}, {.events = POLLIN}};
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigaddset(&ends, SIGPIPE); /* nobody may listen to a status any more */
  sigprocmask(SIG_BLOCK, &ends, &before);
  sigdelset(&ends, SIGPIPE);
  watched[1].fd = signalfd(-1, &ends, SFD_CLOEXEC);
  while (poll(watched, 2, -1) > 0) {
    struct signalfd_siginfo told;
    if (watched[1].revents && read(watched[1].fd, &told, sizeof told) > 0)
      tell_of_ended(false);
    if (!watched[0].revents)
      continue;
    if (alive == MOST || !receive(from, text, fd))
      break;
    const pid_t process = fork();
    if (!process) {
      close(from);
      close(watched[1].fd);
      become(text, fd, argc, argv);
      sigprocmask(SIG_SETMASK, &before, NULL);
      return;
    }
    copies[alive++] = (copy){process, fd[DESCRIPTORS - 1]};
    if (write(fd[DESCRIPTORS - 1], &process, sizeof process) < 0)
      perror("serve");
    for (int i = 0; i < DESCRIPTORS - 1; i++)
      close(fd[i]);
  }
  tell_of_ended(true);
  _exit(0);
}

/* One message with three descriptors. */
static bool pass_on(int to, const char *text, size_t n) {
  char          space[CMSG_SPACE(sizeof(int) * 3)] = {0};
  const int     streams[3] = {0, 1, 2};
  struct iovec  part = {(void *)(uintptr_t)text, n};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  struct cmsghdr *c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof streams);
  memcpy(CMSG_DATA(c), streams, sizeof streams);
  return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)n;
}

/* The request that starts Python with these words (python.py); its length, 0: it is too long. */
static size_t python_request(char *text, char *const argv[]) {
  char          folder[PATH_MAX];
  struct rlimit limit;
  int           words = 0, variables = 0;
  size_t        n;
  while (argv[words])
    words++;
  while (environ[variables])
    variables++;
  if (!getcwd(folder, sizeof folder) || getrlimit(RLIMIT_CPU, &limit))
    return 0;
  n = (size_t)snprintf(text, ROOM, "%lld%c%lld%c%s%c%d%c%d", (long long)limit.rlim_cur, 0,
                       (long long)limit.rlim_max, 0, folder, 0, words, 0, variables) +
      1;
  for (int i = 0; i < words + variables; i++) {
    const char  *one = i < words ? argv[i] : environ[i - words];
    const size_t size = strlen(one) + 1;
    if (n + size > ROOM)
      return 0;
    memcpy(text + n, one, size);
    n += size;
  }
  return n;
}

/* Has a Python that is loaded already (CONSTELLA_SERVE_PYTHON: its socket) run the words, and ends as it does. Returns
 * where there is none, or not for these words. */
static void run_python(char *const argv[]) {
  static char        text[ROOM];
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  const char        *path = getenv("CONSTELLA_SERVE_PYTHON");
  int                answer[2] = {0};
  if (!path || strlen(path) >= sizeof at.sun_path)
    return;
  strcpy(at.sun_path, path);
  unsetenv("CONSTELLA_SERVE_PYTHON");
  const size_t n = python_request(text, argv);
  const int    to = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (n && to >= 0 && !connect(to, (struct sockaddr *)&at, sizeof at) && pass_on(to, text, n) &&
      recv(to, answer, sizeof answer, 0) == sizeof answer && answer[0]) {
    if (WIFEXITED(answer[1]))
      _exit(WEXITSTATUS(answer[1]));
    signal(WTERMSIG(answer[1]), SIG_DFL);
    raise(WTERMSIG(answer[1]));
  }
  close(to);
}

int execv(const char *path, char *const argv[]) {
  int (*real)(const char *, char *const[]);
  *(void **)&real = dlsym(RTLD_NEXT, "execv");
  run_python(argv);
  return real(path, argv);
}

/* Those that src/cli/launch.c leaves to a run without mpirun; one that this Open MPI does not have is passed over. */
static const char *const parts[] = {
    "shmem_mmap",
    "reachable_weighted",
    "schizo_slurm",
    "schizo_orte",
    "schizo_ompi",
    "schizo_jsm",
    "schizo_flux",
    "ess_singleton",
    "state_app",
    "pmix_isolated",
    "errmgr_default_app",
    "allocator_basic",
    "allocator_bucket",
    "bml_r2",
    "btl_vader",
    "btl_self",
    "btl_sm",
    "pml_ob1",
    "coll_self",
    "coll_libnbc",
    "coll_basic",
    "osc_sm",
};

/* The folder of the parts lies beside libmpi. */
static void load_parts(void) {
  static const char *const folders[] = {"openmpi3", "openmpi"};
  char                     library[PATH_MAX], path[PATH_MAX + 64];
  void                    *mpi = dlsym(RTLD_DEFAULT, "MPI_Init");
  Dl_info                  info;
  if (!mpi || !dladdr(mpi, &info) || !realpath(info.dli_fname, library))
    return;
  *strrchr(library, '/') = 0;
  for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      snprintf(path, sizeof path, "%s/%s/mca_%s.so", library, folders[f], parts[i]);
      if (!access(path, R_OK))
        dlopen(path, RTLD_LAZY | RTLD_LOCAL); /* as Open MPI does */
    }
}

int __libc_start_main(main_function *program, int argc, char        **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack) {
  start_function *begin;
  const char     *from = getenv("CONSTELLA_SERVE");
  *(void **)&begin = dlsym(RTLD_NEXT, "__libc_start_main");
#ifdef PETSC
  if (from && getenv("CONSTELLA_SERVE_PETSC"))
    dlopen(PETSC,
           RTLD_LAZY | RTLD_LOCAL); /* as the program does; where it fails, the program says so */
#endif
  if (from) {
    load_parts();
    serve(atoi(from), &argc, &argv);
  }
  return begin(program, argc, argv, init, fini, from ? NULL : loader, stack);
}
