/* serve.c: loaded before the program (LD_PRELOAD): loads its libraries once for many commands. Where
 * CONSTELLA_SERVE names a socket, the program does not begin: for each request it forks, and the copy begins as
 * if it had been started with the request's words, environment, folder and streams. Loading the libraries takes
 * half of what a refusal takes otherwise. With CONSTELLA_SERVE_PETSC those of PETSc are loaded too, which takes a run
 * that solves by them 0.1 s of the processor each time.
 *
 * A request is one message with four descriptors: stdin, stdout, stderr, and a pipe that gets the number of the
 * process and, when it has ended, its status, two ints. Its text is strings behind one another, each with its
 * 0: the folder, the limit of CPU seconds (0: none), the numbers of words and of variables, these. Used by
 * cli.py. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 17, DESCRIPTORS = 4 };

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

/* Returns in the process of a request alone. */
static void serve(int from, int *argc, char ***argv) {
  static char text[ROOM];
  int         fd[DESCRIPTORS], status;
  while (receive(from, text, fd)) {
    if (fork()) {
      for (int i = 0; i < DESCRIPTORS; i++)
        close(fd[i]);
      while (waitpid(-1, &status, WNOHANG) > 0)
        continue;
      continue;
    }
    close(from);
    const pid_t worker = fork();
    if (!worker) {
      become(text, fd, argc, argv);
      return;
    }
    int said[2] = {worker, 0};
    for (int i = 0; i < 3; i++)
      close(fd[i]);
    if (write(fd[3], said, sizeof *said) < 0 || waitpid(worker, said + 1, 0) < 0 ||
        write(fd[3], said + 1, sizeof *said) < 0)
      _exit(1);
    _exit(0);
  }
  while (wait(&status) > 0)
    continue;
  _exit(0);
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
  if (from)
    serve(atoi(from), &argc, &argv);
  return begin(program, argc, argv, init, fini, loader, stack);
}
