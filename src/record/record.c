/* record.c: a result file while a study runs: created or reopened collectively, then written by each rank
 * independently (record-transfer.c).
 *
 * Rank 0 alone uses HDF5 (record-make.c). All others write rows, which lie in one piece each, at the places
 * that it tells them. So no function of HDF5 or MPI-IO is collective: a rank whose call fails tells the others in
 * cst_agree, and none waits for it inside a library.
 *
 * The format is the one of HDF5 1.8 (superblock 2), for other readers, and because later superblocks carry a
 * mark "open for writing" that stays after a kill and keeps readers out. Space is allocated and filled at
 * creation, so a full disk is found before any work, and no later write makes metadata or changes their size.
 *
 * Attributes of /run change in place. Its header alone has the form of HDF5 1.6, which has no checksum and
 * holds all attributes: if a kill interrupts such a change, the rest of the header stays intact.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* copy_file_range */
#define _GNU_SOURCE /* fallocate */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/record.h"
#include "core/need.h"
#include "core/text.h"
#include "record/agree.h"
#include "record/h5.h"
#include "record/lock.h"
#include "record/record-internal.h"

/* ---- the path -------------------------------------------------------------------------------- */

/* Whether a path can become the output of a run is tested before any work. */

void cst_record_real_path(const char *output, char *path) {
  char at[PATH_MAX], target[PATH_MAX], folder[PATH_MAX];
  snprintf(at, sizeof at, "%s", output);
  for (int i = 0; i < 16; i++) {
    char *real = realpath(at, NULL);
    snprintf(path, PATH_MAX, "%s", real ? real : at);
    const ssize_t n = real ? -1 : readlink(at, target, sizeof target - 1);
    free(real);
    if (n < 0)
      break;
    target[n] = 0;
    const char *cut = strrchr(at, '/');
    snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - at + 1) : 0, at);
    snprintf(at, sizeof at, "%.2000s%.2000s", *target == '/' ? "" : folder, target);
  }
  char       *cut = strrchr(path, '/');
  const char *base = cut ? cut + 1 : path;
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - path + 1) : 2, cut ? path : "./");
  char *real = *path == '/' && !access(path, F_OK) ? NULL : realpath(folder, NULL);
  if (real)
    snprintf(at, sizeof at, "%.2000s/%.2000s", strcmp(real, "/") ? real : "", base);
  if (real)
    snprintf(path, PATH_MAX, "%s", at);
  free(real);
}

static const char *refuse_folder(const char *path) {
  static char text[PATH_MAX + 64];
  char        folder[PATH_MAX];
  struct stat s;
  snprintf(folder, sizeof folder, "%s", path);
  char *cut = strrchr(folder, '/');
  if (!cut)
    strcpy(folder, ".");
  else
    cut[cut == folder] = 0;
  if (stat(folder, &s)) {
    snprintf(text, sizeof text, "its folder %s: %s", folder, strerror(errno));
    return text;
  }
  if (!S_ISDIR(s.st_mode)) {
    snprintf(text, sizeof text, "%s is not a folder", folder);
    return text;
  }
  if (access(folder, W_OK | X_OK)) {
    snprintf(text, sizeof text, "its folder %s is not writable: %s", folder, strerror(errno));
    return text;
  }
  return NULL;
}

/* Tries to make a new file: on some file systems access() succeeds and this fails. It has the form of a file under
 * way, which the next run removes where this one is killed; with the name of the result it would be in the way of
 * --resume. */
static const char *refuse_creation(const char *path) {
  static char text[PATH_MAX + 64];
  char        name[PATH_MAX + 64];
  snprintf(name, sizeof name, "%s.%032d.new", path, 0);
  const int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (file < 0 && errno == EEXIST)
    return NULL; /* of a run that was killed, or begins now */
  if (file < 0) {
    snprintf(text, sizeof text, "cannot be created: %s", strerror(errno));
    return text;
  }
  close(file);
  unlink(name);
  return NULL;
}

/* A new result behind a link that leads nowhere is made where the link leads. */
static const char *refuse_new(const char *path) {
  char        real[PATH_MAX];
  struct stat s;
  const bool  link = !lstat(path, &s) && S_ISLNK(s.st_mode);
  if (link)
    cst_record_real_path(path, real);
  const char *reason = refuse_folder(link ? real : path);
  return reason ? reason : refuse_creation(link ? real : path);
}

/* The process of another live run on this host that writes the file; 0: none. */
static long writer(cst_result *r) {
  double pid = 0;
  char  *state = cst_result_text(r, "/run", "state");
  bool   live = state && !strcmp(state, "running") && cst_result_alive(r) > 0 &&
              cst_result_number(r, "/run", "pid", &pid);
  free(state);
  return live && (long)pid != getpid() ? (long)pid : 0;
}

/* Why an existing result cannot become the output; NULL: it can. */
static const char *refuse_result(cst_result *r, bool overwrite) {
  static char text[160];
  const char *state = cst_result_state(r);
  long        pid = writer(r);
  long        done, total;
  if (pid) {
    snprintf(text, sizeof text, "is being written by a live run (process %ld on this host)", pid);
    return text;
  }
  if (overwrite)
    return NULL;
  if (!strcmp(state, "complete"))
    return "exists (complete); --overwrite replaces it";
  if (!strcmp(state, "part"))
    return "exists (a complete part of a study); --overwrite replaces it";
  cst_result_progress(r, &done, &total);
  snprintf(
      text, sizeof text,
      "exists (%s, %ld of %ld trajectories done); --resume continues it, --overwrite replaces it",
      *state == 'r' ? "running on another host" : state, done, total);
  return text;
}

/* Whether the folder has names as long as those of the checkpoints of the file. */
static bool has_room_for_names(const char *path) {
  enum { BESIDE = sizeof ".checkpoint.1000000..new" - 1 + 32 }; /* with the token */
  char        folder[PATH_MAX];
  const char *name = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", name ? (int)(name - path + 1) : 1, name ? path : ".");
  const long most = pathconf(folder, _PC_NAME_MAX);
  return most < 0 || (long)strlen(name ? name + 1 : path) + BESIDE <= most;
}

const char *cst_record_refuse(const char *path, bool overwrite) {
  char        why[256];
  struct stat s;
  size_t      length = strlen(path);
  if (!length)
    return "the name is empty";
  if (path[length - 1] == '/')
    return "is the name of a folder";
  if (length >= PATH_MAX)
    return "the name is too long";
  if (!has_room_for_names(path))
    return "the name is too long: its checkpoints have names of 56 bytes more";
  if (stat(path, &s)) {
    if (errno != ENOENT && errno != ENOTDIR)
      return strerror(errno);
    return refuse_new(path);
  }
  if (S_ISDIR(s.st_mode))
    return "is a folder";
  if (!S_ISREG(s.st_mode))
    return "is not a regular file";
  cst_result *r = cst_result_open(path, why, sizeof why);
  const char *reason = r ? refuse_result(r, overwrite)
                       : overwrite
                           ? NULL
                           : "exists and is not a Constella result; --overwrite replaces it";
  cst_result_close(r);
  return reason ? reason : refuse_folder(path);
}

/* ---- the same file for all ranks ------------------------------------------------------------- */

/* All ranks open the result, and make sure that it is the same file.
 *
 * Rank 0 writes the result's token behind the end of the file; each rank opens its own path and reads it
 * back; then rank 0 cuts it off. A copy of the result has no token there. Device and inode prove nothing
 * between hosts, because each client of a network file system chooses its own device number.
 */

enum { TOKEN = sizeof((cst_record *)0)->token, PAUSE = 100000 };

/* Network file systems show a new file, and new bytes, after some seconds. */
static const double patience = 6;

static bool apart_from;

bool cst_record_apart(void) { return apart_from; }

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

/* Collective. Rank 0 has the file on its disk; every rank opens it at its own path and compares. */
static bool meet(cst_record *r, char *why, int n) {
  long at = 0;
  apart_from = false;
  bool ok = r->rank > 0 || write_token(r, &at);
  if (!ok)
    snprintf(why, (size_t)n, "cannot write the file: %s", strerror(errno));
  if (!cst_agree(r->comm, ok, why, n))
    return false;
  MPI_Bcast(&at, 1, MPI_LONG, 0, r->comm);
  ok = cst_agree(r->comm, r->rank == 0 || find_token(r, at, why, n), why, n);
  apart_from = !ok;
  if (r->rank == 0 && ftruncate(r->disk, at) && ok) {
    snprintf(why, (size_t)n, "cannot write the file: %s", strerror(errno));
    ok = false;
  }
  if (r->disk >= 0)
    r->nfs = cst_lock_is_nfs(r->disk);
  r->first = is_first(r->comm);
  return cst_agree(r->comm, ok, why, n);
}

/* ---- a path that leads elsewhere ------------------------------------------------------------- */

/* Keeps a result whose path no longer leads to it, because somebody removed, replaced or renamed the
 * file, a link or a folder during the run. */

enum { PIECE = 1 << 20, MOST_COPIES = 100 };

bool cst_record_is_at(int file, const char *path) {
  struct stat mine, there;
  return !fstat(file, &mine) && !stat(path, &there) && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

/* The name that the open file has now, as the kernel knows it; false: none. */
static bool name_of(int file, char *place) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, place, PATH_MAX - 1);
  place[n > 0 ? n : 0] = 0;
  return n > 0 && cst_record_is_at(file, place);
}

static bool copy_bytes(int from, int to) {
  char   *piece = malloc(PIECE);
  ssize_t n = piece ? 1 : -1;
  for (off_t at = 0; n > 0; at += n) {
    n = pread(from, piece, PIECE, at);
    for (ssize_t put = 0, k; put < n; put += k)
      if ((k = pwrite(to, piece + put, (size_t)(n - put), at + put)) <= 0) {
        n = -1;
        break;
      }
  }
  free(piece);
  return n == 0 && !fsync(to);
}

/* A new file beside the path: NAME-kept.h5, NAME-kept-2.h5 ...; -1 with errno. */
static int open_copy(const char *path, char *place) {
  const int stem = (int)strlen(path) - (cst_text_ends(path, ".h5") ? 3 : 0);
  int       file = -1;
  errno = 0;
  for (int i = 1; file < 0 && i <= MOST_COPIES && (!errno || errno == EEXIST); i++) {
    const char *format = i == 1 ? "%.*s-kept.h5" : "%.*s-kept-%d.h5";
    snprintf(place, PATH_MAX, format, stem, path, i);
    file = open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  return file;
}

/* Keeps an open file that its path does not lead to: where it is now or, if it has no name any more, as a copy
 * beside the path. Writes the name into place[PATH_MAX]; false with why[n]. */
static bool rescue(int file, const char *path, char *place, char *why, int n) {
  if (name_of(file, place))
    return true;
  int copy = open_copy(path, place);
  if (copy < 0) { /* the folder is gone */
    const char *cut = strrchr(path, '/');
    copy = open_copy(cut ? cut + 1 : path, place);
  }
  if (copy >= 0 && copy_bytes(file, copy) && !close(copy))
    return true;
  snprintf(why, (size_t)n, "cannot be kept as %.*s: %s", 400, place, strerror(errno));
  return false;
}

/* ---- creating and writing -------------------------------------------------------------------- */

/* On rank 0. */
static bool close_file(cst_record *r) {
  cst_record_let_go(r);
  const bool ok = r->file < 0 || H5Fclose(r->file) >= 0;
  r->file = -1;
  return cst_record_written(r, ok);
}

static void destroy(cst_record *r) {
  if (r->disk >= 0)
    close(r->disk);
  MPI_Comm_free(&r->comm);
  free(r->place);
  free(r);
}

/* Ends a creation that has failed, and frees the space. */
static void abandon(cst_record *r) {
  if (r->rank == 0 && truncate(r->aside, 0))
    r->error[0] = 0;
  if (r->rank == 0)
    unlink(r->aside);
  close_file(r);
  MPI_Barrier(r->comm); /* the file is gone for all ranks */
  destroy(r);
}

static void place(cst_record_place *p, const cst_field *f, const cst_dimension *dim) {
  p->field = *f;
  p->size = (long)cst_record_width(f->type);
  p->dataset = -1;
  for (int k = 0; k < f->ndim; k++) {
    p->extent[k] = dim[f->dim[k]].size;
    p->size *= p->extent[k];
  }
}

static cst_record *allocate(MPI_Comm comm, const char *path, const char *token,
                            const cst_dimension *dim, const cst_field *field, int nfield) {
  cst_record *r = cst_need(calloc(1, sizeof *r));
  MPI_Comm_dup(comm, &r->comm);
  MPI_Comm_rank(comm, &r->rank);
  MPI_Comm_size(comm, &r->size);
  snprintf(r->path, sizeof r->path, "%s", path);
  snprintf(r->token, sizeof r->token, "%s", token);
  r->place = cst_zeros(nfield, sizeof *r->place);
  r->nfield = nfield;
  for (int k = 0; k < nfield; k++)
    place(&r->place[k], &field[k], dim);
  r->file = r->carrier.object = -1;
  r->disk = -1;
  return r;
}

/* On rank 0. */
static bool prepare(cst_record *r, double bytes, char *why, int n) {
  struct stat s;
  const bool  there = !stat(r->path, &s);
  if (there && !S_ISREG(s.st_mode)) {
    snprintf(why, (size_t)n, "is not a regular file");
    return false;
  }
  r->device = there ? s.st_dev : 0;
  r->inode = there ? s.st_ino : 0;
  cst_record_tidy(r->path);
  return cst_record_prepare(r->aside, bytes, why, n);
}

/* A new file gets its name only when it can be read. Rank 0 follows a link, for all ranks; otherwise each
 * opens its own path. */
static void set_aside(cst_record *r) {
  char  target[sizeof r->path] = "";
  char *real = r->rank == 0 ? realpath(r->path, NULL) : NULL;
  if (real && strlen(real) < sizeof target)
    strcpy(target, real);
  free(real);
  MPI_Bcast(target, sizeof target, MPI_CHAR, 0, r->comm);
  if (*target)
    strcpy(r->path, target);
  snprintf(r->aside, sizeof r->aside, "%s.%s.new", r->path, r->token);
}

/* On rank 0: takes the space of the whole file, where the file system can do so. The fill values and fsync
 * take it elsewhere. */
static bool reserve(const cst_record *r, char *why, int n) {
  struct stat s;
  for (int k = 0; k < r->nfield; k++)
    if (r->place[k].field.rows)
      return true; /* there are holes */
  if (!fstat(r->disk, &s) && !fallocate(r->disk, 0, 0, s.st_size))
    return true;
  if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)
    return true;
  snprintf(why, (size_t)n, "cannot create the file: %s", strerror(errno));
  return false;
}

/* Tells all ranks where the fields lie. */
static void share_places(cst_record *r) {
  long *at = cst_need(malloc(sizeof *at * (size_t)(r->nfield + 1)));
  for (int k = 0; k < r->nfield; k++)
    at[k] = r->place[k].at;
  MPI_Bcast(at, r->nfield, MPI_LONG, 0, r->comm);
  for (int k = 0; k < r->nfield; k++)
    r->place[k].at = at[k];
  free(at);
}

/* Creates the file and all that is in it; collective. False with the reason in why[n]. */
static bool create(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                   char *why, int n) {
  bool ok = r->rank > 0 || cst_record_make(r, dim, ndim, field, why, n);
  if (!cst_agree(r->comm, ok, why, n) || !meet(r, why, n))
    return false;
  share_places(r);
  ok = r->rank > 0 || reserve(r, why, n);
  return cst_agree(r->comm, ok, why, n) && cst_agree(r->comm, cst_record_fill(r, why, n), why, n);
}

cst_record *cst_record_create(MPI_Comm comm, const char *path, const char *token,
                              const cst_dimension *dim, int ndim, const cst_field *field,
                              int nfield, char *why, int n) {
  cst_h5_quiet();
  if (!cst_layout_valid(dim, ndim, field, nfield, why, n))
    return NULL;
  cst_record *r = allocate(comm, path, token, dim, field, nfield);
  set_aside(r);
  const bool prepared =
      r->rank > 0 || prepare(r, cst_record_bytes(dim, ndim, field, nfield), why, n);
  if (!cst_agree(r->comm, prepared, why, n)) {
    destroy(r);
    return NULL;
  }
  if (create(r, dim, ndim, field, why, n))
    return r;
  abandon(r);
  return NULL;
}

/* From now on the file keeps its size. */
static void seal(cst_record *r) {
  struct stat s;
  r->sealed = true;
  if (!fstat(r->disk, &s))
    r->bytes = (long)s.st_size;
  if (r->rank == 0)
    cst_driver_seal();
}

cst_record *cst_record_open(MPI_Comm comm, const char *path, const char *token,
                            const cst_dimension *dim, int ndim, const cst_field *field, int nfield,
                            char *why, int n) {
  cst_h5_quiet();
  if (!cst_layout_valid(dim, ndim, field, nfield, why, n))
    return NULL;
  cst_record *r = allocate(comm, path, token, dim, field, nfield);
  r->sealed = true;
  const bool found = r->rank > 0 || cst_record_find(r, dim, ndim, field, why, n);
  if (cst_agree(r->comm, found, why, n) && meet(r, why, n)) {
    share_places(r);
    seal(r);
    return r;
  }
  close_file(r);
  destroy(r);
  return NULL;
}

/* Brings the rows of all ranks to the disk, with one fsync per host; those of rank 0 not before the first flush,
 * in which flush_file does so. Collective. */
static bool settle_rows(cst_record *r) {
  MPI_Barrier(r->comm); /* all have written */
  const bool later = !r->sealed && r->rank == 0;
  const bool ok = !r->first || later || !fsync(r->disk);
  if (!ok)
    snprintf(r->error, sizeof r->error, "cannot write the file: %s", strerror(errno));
  return cst_agree(r->comm, ok, r->error, sizeof r->error);
}

/* On rank 0: writes what HDF5 holds. */
static bool flush_file(cst_record *r) {
  cst_record_hold(r, true, 0, 0);
  cst_record_let_go(r);
  bool ok = cst_record_written(r, H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0);
  if (ok && fsync(r->disk)) {
    snprintf(r->error, sizeof r->error, "cannot write the file: %s", strerror(errno));
    ok = false;
  }
  cst_record_hold(r, false, 0, 0);
  return ok;
}

/* On rank 0: whether the path still is as it was when the file was created. */
static bool unchanged(const cst_record *r) {
  struct stat s;
  return stat(r->path, &s) ? !r->inode : s.st_dev == r->device && s.st_ino == r->inode;
}

/* On rank 0, when all is on the disk: replaces an older file by the new one. */
static bool give_name(cst_record *r) {
  const bool same = !*r->aside || unchanged(r);
  if (!*r->aside || (same && !rename(r->aside, r->path)))
    return true;
  if (same)
    snprintf(r->error, sizeof r->error, "cannot name the file: %s", strerror(errno));
  else
    snprintf(r->error, sizeof r->error, "another file took its name while it was made");
  return false;
}

/* On rank 0. */
static bool check_whole(cst_record *r) {
  const bool whole = !r->sealed || cst_record_is_whole(r);
  if (!whole)
    snprintf(r->error, sizeof r->error, "%s", CST_RECORD_LOST);
  return whole;
}

bool cst_record_flush(cst_record *r) {
  bool ok = (r->sealed || settle_rows(r)) && !r->broken;
  if (r->rank == 0 && ok)
    ok = check_whole(r) && flush_file(r) && give_name(r);
  ok = cst_agree(r->comm, ok, r->error, sizeof r->error);
  if (!ok && *r->aside) {
    r->nameless = true;
    if (r->rank == 0)
      unlink(r->aside);
  }
  r->aside[0] = 0;
  seal(r);
  return ok;
}

/* On rank 0. */
static bool put_state(cst_record *r, const char *state) {
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  bool  ok = g >= 0 && cst_h5_put_text(g, "state", CST_STATE_WIDTH, state);
  if (g >= 0)
    H5Gclose(g);
  return cst_record_keep(r, ok, "/run") && flush_file(r);
}

/* Whether a dataset is found in a file where its rows are written. */
static bool is_found(cst_record *r, const cst_record_place *p, hid_t file) {
  hid_t      d = H5Dopen2(file, p->field.path, H5P_DEFAULT);
  const bool moved = d >= 0 && p->at >= 0 && H5Dget_offset(d) != (haddr_t)p->at;
  if (d >= 0)
    H5Dclose(d);
  if (moved)
    snprintf(r->error, sizeof r->error,
             "%s is not where the run writes it: another program has moved it", p->field.path);
  else if (d < 0)
    snprintf(r->error, sizeof r->error,
             "%s cannot be read back: another program has written to the file", p->field.path);
  return d >= 0 && !moved;
}

/* HDF5 reads the disk, not its cache, where it opens a file once more with another driver. */
bool cst_record_in_place(cst_record *r) {
  if (!cst_record_is_named(r))
    return true;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  hid_t file = H5Fopen(r->path, H5F_ACC_RDONLY, access);
  bool  ok = file >= 0;
  H5Pclose(access);
  if (!ok)
    snprintf(r->error, sizeof r->error,
             "the file cannot be read back: another program has written to it");
  for (int k = 0; k < r->nfield && ok; k++)
    ok = is_found(r, &r->place[k], file);
  if (file >= 0)
    H5Fclose(file);
  return ok;
}

/* On rank 0: whether all that was written can be read from the closed file: another program may have written too. */
static bool read_back(cst_record *r, const char *state) {
  char        why[256] = "";
  cst_result *there = cst_result_open(r->path, why, sizeof why);
  char       *token = there ? cst_result_text(there, "/run", "state") : NULL;
  const bool  ok = token && !strcmp(token, state);
  free(token);
  cst_result_close(there);
  if (!ok)
    snprintf(r->error, sizeof r->error,
             "what was written cannot be read back%s%s: another program has written to the file",
             *why ? ": it " : "", why);
  return ok && cst_record_in_place(r);
}

/* On rank 0. A file that is not on the disk, or not as it was written, is not complete, as far as that can still be
 * written; its first error stays. */
static bool finish(cst_record *r, bool ok, const char *state) {
  char error[sizeof r->error];
  ok = ok && cst_record_in_place(r) && put_state(r, state);
  strcpy(error, r->error);
  if (!ok)
    put_state(r, "interrupted");
  if (close_file(r) && ok)
    return !cst_record_is_named(r) || read_back(r, state);
  if (*error)
    strcpy(r->error, error);
  return false;
}

/* On all ranks: keeps the file under another name if its path does not lead to it. A file that never had a name
 * is not kept: its first flush has failed. */
static bool keep_lost(cst_record *r, char *kept) {
  char place[PATH_MAX] = "";
  bool ok = true;
  if (r->rank == 0 && !r->nameless && !cst_record_is_named(r))
    ok = rescue(r->disk, r->path, place, r->error, sizeof r->error);
  MPI_Bcast(place, sizeof place, MPI_CHAR, 0, r->comm);
  if (kept)
    strcpy(kept, place);
  return ok;
}

bool cst_record_close(cst_record *r, const char *state, char *kept, char *why, int n) {
  bool ok = *r->aside ? cst_record_flush(r) : settle_rows(r);
  if (r->rank == 0)
    ok = finish(r, ok, state);
  ok = keep_lost(r, kept) && ok;
  ok = cst_agree(r->comm, ok, r->error, sizeof r->error);
  if (!ok && n > 0)
    snprintf(why, (size_t)n, "%s", r->error);
  destroy(r);
  return ok;
}
