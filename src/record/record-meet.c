/* record-meet.c: all ranks open the result, and make sure that it is the same file.
 *
 * Rank 0 writes the result's token behind the end of the file; each rank opens its own path and reads it
 * back; then rank 0 cuts it off. A copy of the result has no token there. Device and inode prove nothing
 * between hosts, because each client of a network file system chooses its own device number.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include "record/agree.h"
#include "record/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN = sizeof((cst_record *)0)->token, PAUSE = 100000 };

/* Network file systems show a new file, and new bytes, after some seconds. */
static const double patience = 6;

static bool apart;

bool cst_record_apart(void) { return apart; }

static const char *name(const cst_record *r) { return *r->aside ? r->aside : r->path; }

/* Sets *at to the size of the file, behind which the token is. A rank alone has nobody who looks for it. */
static bool write_token(cst_record *r, long *at) {
  struct stat s;
  r->disk = open(name(r), O_RDWR | O_CLOEXEC);
  if (r->disk < 0 || fstat(r->disk, &s))
    return false;
  *at = (long)s.st_size;
  return r->size == 1 || (cst_record_put(r, r->token, TOKEN, *at) && !fsync(r->disk));
}

/* Opens the file. 0: it has the token; else an errno, or -1: it has not. */
static int look(cst_record *r, long at) {
  char there[TOKEN];
  r->disk = open(name(r), O_RDWR | O_CLOEXEC);
  if (r->disk < 0)
    return errno;
  const ssize_t n = pread(r->disk, there, TOKEN, at);
  if (n == TOKEN && !memcmp(there, r->token, TOKEN))
    return 0;
  const int error = n < 0 ? errno : -1;
  close(r->disk);
  r->disk = -1;
  return error;
}

static bool find_token(cst_record *r, long at, char *why, int n) {
  const double until = MPI_Wtime() + patience;
  char         host[256] = "";
  int          error;
  while ((error = look(r, at)) && MPI_Wtime() < until) {
    if (error == EACCES || error == EROFS || error == EPERM)
      break;
    usleep(PAUSE);
  }
  if (!error)
    return true;
  gethostname(host, sizeof host - 1);
  snprintf(why, (size_t)n,
           "rank %d on host %.100s: %.180s: %s; all ranks must be able to write one and the same "
           "file, on a file system that their hosts share",
           r->rank, host, name(r),
           error > 0 ? strerror(error) : "is another file than that of rank 0");
  return false;
}

/* Whether this rank is the first of its host. */
static bool is_first(MPI_Comm comm) {
  MPI_Comm host;
  int      rank;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  return rank == 0;
}

bool cst_record_meet(cst_record *r, char *why, int n) {
  long at = 0;
  apart = false;
  bool ok = r->rank > 0 || write_token(r, &at);
  if (!ok)
    snprintf(why, (size_t)n, "cannot write the file: %s", strerror(errno));
  if (!cst_agree(r->comm, ok, why, n))
    return false;
  MPI_Bcast(&at, 1, MPI_LONG, 0, r->comm);
  ok = cst_agree(r->comm, r->rank == 0 || find_token(r, at, why, n), why, n);
  apart = !ok;
  if (r->rank == 0 && ftruncate(r->disk, at) && ok) {
    snprintf(why, (size_t)n, "cannot write the file: %s", strerror(errno));
    ok = false;
  }
  if (r->disk >= 0)
    r->nfs = cst_lock_is_nfs(r->disk);
  r->first = is_first(r->comm);
  return cst_agree(r->comm, ok, why, n);
}
