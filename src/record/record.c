/* record.c: a result file while a study runs: created or reopened collectively, then written by each rank
 * independently (record-transfer.c).
 *
 * The format is the one of HDF5 1.8 (superblock 2), for other readers, and because later superblocks carry a
 * mark "open for writing" that stays after a kill and keeps readers out. Space is allocated and filled at
 * creation, so a full disk is found before any work, and no later write makes metadata or changes their size.
 *
 * Attributes of /run change in place. Its header alone has the form of HDF5 1.6, which has no checksum and
 * holds all attributes: if a kill interrupts such a change, the rest of the header stays intact.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record-internal.h"
#include "core/need.h"
#include "record/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* True when ok is true on every rank; else all ranks get the reason of the lowest rank that failed. */
static bool agree(MPI_Comm comm, bool ok, char *why, int n) {
  int rank, size, mine, bad;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  mine = ok ? size : rank;
  MPI_Allreduce(&mine, &bad, 1, MPI_INT, MPI_MIN, comm);
  if (bad == size)
    return true;
  char text[256] = "";
  if (rank == bad)
    snprintf(text, sizeof text, "%s", why);
  MPI_Bcast(text, sizeof text, MPI_CHAR, bad, comm);
  snprintf(why, (size_t)n, "%s", text);
  return false;
}

static hid_t parallel_access(MPI_Comm comm) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_coll_metadata_write(
      access,
      false); /* the collective writes of MPI-IO leave stale memory in the gaps between metadata */
  return access;
}

/* Open MPI makes two empty files per rank beside an open file, for shared file pointers, which nobody here
 * uses, and removes them at the end. They are removed at once, so that a kill leaves none. */
static void remove_pointers(int rank, const char *path) {
  static const char *const kind[] = {"data", "metadata"};
  for (int k = 0; k < 2; k++) {
    char        name[4096 + 64];
    struct stat s;
    snprintf(name, sizeof name, "%s.%s.%d", path, kind[k], rank);
    if (!lstat(name, &s) && S_ISREG(s.st_mode) && !s.st_size)
      unlink(name);
  }
}

static hid_t create_file(MPI_Comm comm, const char *path) {
  hid_t access = parallel_access(comm);
  hid_t list = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(list, false);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, list, access);
  H5Pclose(list);
  H5Pclose(access);
  return file;
}

static bool make_scales(cst_record *r, const cst_dimension *dim, int ndim, char *why, int n) {
  for (; r->nscale < ndim; r->nscale++) {
    const cst_dimension *d = &dim[r->nscale];
    hid_t                h = cst_layout_scale(r->file, d, r->rank == 0, why, n);
    r->scale[r->nscale] = h;
    if (!agree(r->comm, h >= 0, why, n))
      return false;
  }
  return true;
}

static bool make_fields(cst_record *r, const cst_dimension *dim, const cst_field *field, int nfield,
                        char *why, int n) {
  for (; r->nfield < nfield; r->nfield++) {
    const cst_field *f = &field[r->nfield];
    hid_t            h = cst_layout_field(r->file, f, dim, r->scale, why, n);
    r->field[r->nfield] = *f;
    r->dataset[r->nfield] = h;
    if (!agree(r->comm, h >= 0, why, n))
      return false;
  }
  return true;
}

static bool fill_fields(cst_record *r, char *why, int n) {
  bool ok = true;
  for (int k = 0; ok && k < r->nfield; k++)
    ok = cst_layout_fill(r->dataset[k], r->rank, r->size, why, n);
  return agree(r->comm, ok, why, n);
}

/* Makes /run, with a header of the old form (see above). */
static bool make_run(cst_record *r, char *why, int n) {
  H5Fset_libver_bounds(r->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  hid_t g = cst_h5_make_group(r->file, "/run");
  H5Fset_libver_bounds(r->file, H5F_LIBVER_V18, H5F_LIBVER_V18);
  if (g < 0)
    cst_h5_reason(why, n, "/run");
  if (g >= 0)
    H5Gclose(g);
  return agree(r->comm, g >= 0, why, n);
}

/* Writes the state, and the process of rank 0 so that others can test whether it lives. */
static bool sign(cst_record *r, char *why, int n) {
  struct {
    double pid, start;
    char   host[256];
  } me = {(double)getpid(), cst_lock_process_start(getpid()), ""};
  gethostname(me.host, sizeof me.host - 1);
  MPI_Bcast(&me, sizeof me, MPI_BYTE, 0, r->comm);
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  bool  ok = g >= 0 && cst_h5_put_text(g, "state", CST_STATE_WIDTH, "running") &&
            cst_h5_put_text(g, "host", CST_NOTE_WIDTH, me.host) &&
            cst_h5_put_number(g, "pid", me.pid) && cst_h5_put_number(g, "pid_start", me.start);
  if (!ok)
    cst_h5_reason(why, n, "/run");
  if (g >= 0)
    H5Gclose(g);
  return agree(r->comm, ok, why, n);
}

static bool open_disk(cst_record *r, char *why, int n) {
  r->disk = open(*r->aside ? r->aside : r->path, O_RDWR | O_CLOEXEC);
  if (r->disk < 0)
    snprintf(why, (size_t)n, "cannot open the file: %s", strerror(errno));
  return agree(r->comm, r->disk >= 0, why, n);
}

static bool settle(cst_record *r, char *why, int n) {
  bool ok = H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0;
  if (!ok)
    cst_h5_reason(why, n, "cannot write the file");
  return agree(r->comm, ok, why, n);
}

static bool close_all(cst_record *r) {
  for (int k = 0; k < r->nfield; k++)
    if (r->dataset[k] >= 0)
      H5Dclose(r->dataset[k]);
  for (int i = 0; i < r->nscale; i++)
    if (r->scale[i] >= 0)
      H5Dclose(r->scale[i]);
  return r->file < 0 || H5Fclose(r->file) >= 0;
}

static void destroy(cst_record *r) {
  if (r->disk >= 0)
    close(r->disk);
  MPI_Comm_free(&r->comm);
  free(r->scale);
  free(r->dataset);
  free(r->field);
  free(r);
}

/* Ends a creation that has failed: frees the space first, so that HDF5 can close the file. */
static void abandon(cst_record *r) {
  if (r->rank == 0 && truncate(r->aside, 0))
    r->error[0] = 0;
  MPI_Barrier(r->comm);
  close_all(r);
  if (r->rank == 0)
    unlink(r->aside);
  MPI_Barrier(r->comm); /* the file is gone for all ranks */
  destroy(r);
}

static cst_record *allocate(MPI_Comm comm, const char *path, int ndim, int nfield) {
  cst_record *r = cst_need(calloc(1, sizeof *r));
  MPI_Comm_dup(comm, &r->comm);
  MPI_Comm_rank(comm, &r->rank);
  MPI_Comm_size(comm, &r->size);
  snprintf(r->path, sizeof r->path, "%s", path);
  r->scale = malloc(sizeof(hid_t) * (size_t)(ndim + 1));
  r->dataset = malloc(sizeof(hid_t) * (size_t)(nfield + 1));
  r->field = malloc(sizeof(cst_field) * (size_t)(nfield + 1));
  r->file = -1;
  r->disk = -1;
  if (!r->scale || !r->dataset || !r->field)
    abort();
  return r;
}

/* On rank 0. */
static bool prepare(const cst_record *r, double bytes, char *why, int n) {
  struct stat s;
  if (!stat(r->path, &s) && !S_ISREG(s.st_mode)) {
    snprintf(why, (size_t)n, "is not a regular file");
    return false;
  }
  return cst_record_prepare(r->aside, bytes, why, n);
}

/* A new file gets its name only when it can be read. Follows a link. */
static void set_aside(cst_record *r) {
  char *target = r->rank == 0 ? realpath(r->path, NULL) : NULL;
  if (target)
    snprintf(r->path, sizeof r->path, "%s", target);
  free(target);
  MPI_Bcast(r->path, sizeof r->path, MPI_CHAR, 0, r->comm);
  snprintf(r->aside, sizeof r->aside, "%s.new", r->path);
}

static bool give_name(cst_record *r) {
  if (!*r->aside)
    return true;
  MPI_Barrier(r->comm); /* all have flushed */
  bool ok = r->rank || !rename(r->aside, r->path);
  if (!ok)
    snprintf(r->error, sizeof r->error, "cannot name the file: %s", strerror(errno));
  r->aside[0] = 0;
  return agree(r->comm, ok, r->error, sizeof r->error);
}

/* Creates the file and all that is in it; collective. False with the reason in why[n]. */
static bool create(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                   int nfield, char *why, int n) {
  r->file = create_file(r->comm, r->aside);
  remove_pointers(r->rank, r->aside);
  if (r->file < 0)
    cst_h5_reason(why, n, "cannot create the file");
  if (!agree(r->comm, r->file >= 0, why, n))
    return false;
  if (!make_scales(r, dim, ndim, why, n))
    return false;
  if (!make_run(r, why, n))
    return false;
  if (!make_fields(r, dim, field, nfield, why, n))
    return false;
  if (!sign(r, why, n))
    return false;
  if (!fill_fields(r, why, n))
    return false;
  if (!settle(r, why, n))
    return false;
  return open_disk(r, why, n);
}

cst_record *cst_record_create(MPI_Comm comm, const char *path, const cst_dimension *dim, int ndim,
                              const cst_field *field, int nfield, char *why, int n) {
  cst_h5_quiet();
  if (!cst_layout_valid(dim, ndim, field, nfield, why, n))
    return NULL;
  cst_record *r = allocate(comm, path, ndim, nfield);
  set_aside(r);
  const bool prepared =
      r->rank > 0 || prepare(r, cst_record_bytes(dim, ndim, field, nfield), why, n);
  if (!agree(r->comm, prepared, why, n)) {
    destroy(r);
    return NULL;
  }
  if (create(r, dim, ndim, field, nfield, why, n))
    return r;
  abandon(r);
  return NULL;
}

/* On rank 0: whether there is an unfinished result to continue. */
static bool unfinished(const char *path, char *why, int n) {
  cst_result *r = cst_result_open(path, why, n);
  if (!r)
    return false;
  bool complete = !strcmp(cst_result_state(r), "complete");
  if (complete)
    snprintf(why, (size_t)n, "is complete");
  cst_result_close(r);
  return !complete;
}

static bool find_all(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                     int nfield, char *why, int n) {
  bool ok = true;
  for (; ok && r->nscale < ndim; r->nscale++) {
    r->scale[r->nscale] = cst_layout_find_scale(r->file, &dim[r->nscale], why, n);
    ok = r->scale[r->nscale] >= 0;
  }
  for (; ok && r->nfield < nfield; r->nfield++) {
    r->field[r->nfield] = field[r->nfield];
    r->dataset[r->nfield] = cst_layout_find_field(r->file, &field[r->nfield], dim, why, n);
    ok = r->dataset[r->nfield] >= 0;
  }
  return agree(r->comm, ok, why, n);
}

/* Files of other programs, or of older versions of this one, may have attributes that cannot change in place.
 */
static bool can_be_signed(cst_record *r, char *why, int n) {
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  bool  ok = g >= 0 && cst_h5_in_place(g, "state", true) && cst_h5_in_place(g, "host", true) &&
            cst_h5_in_place(g, "pid", false) && cst_h5_in_place(g, "pid_start", false);
  if (!ok)
    snprintf(
        why, (size_t)n,
        "/run is of another version of the program: its state or process cannot change in place");
  if (g >= 0)
    H5Gclose(g);
  return agree(r->comm, ok, why, n);
}

static bool open_file(cst_record *r, char *why, int n) {
  if (!agree(r->comm, r->rank > 0 || unfinished(r->path, why, n), why, n))
    return false;
  hid_t access = parallel_access(r->comm);
  r->file = H5Fopen(r->path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  remove_pointers(r->rank, r->path);
  if (r->file < 0)
    cst_h5_reason(why, n, "cannot open the file");
  return agree(r->comm, r->file >= 0, why, n);
}

cst_record *cst_record_open(MPI_Comm comm, const char *path, const cst_dimension *dim, int ndim,
                            const cst_field *field, int nfield, char *why, int n) {
  cst_h5_quiet();
  if (!cst_layout_valid(dim, ndim, field, nfield, why, n))
    return NULL;
  cst_record *r = allocate(comm, path, ndim, nfield);
  r->sealed = true;
  bool ok = open_file(r, why, n);
  ok = ok && find_all(r, dim, ndim, field, nfield, why, n);
  ok = ok && can_be_signed(r, why, n);
  ok = ok && open_disk(r, why, n);
  ok = ok && sign(r, why, n);
  ok = ok && settle(r, why, n);
  if (ok)
    return r;
  close_all(r);
  destroy(r);
  return NULL;
}

void cst_record_flush(cst_record *r) {
  if (cst_record_keep(r, H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0, "flush"))
    give_name(r);
  r->sealed = true;
}

bool cst_record_close(cst_record *r, const char *state) {
  MPI_Barrier(r->comm); /* "complete" only after the last write of the last rank */
  bool ok = H5Fflush(r->file, H5F_SCOPE_GLOBAL) >= 0; /* which also puts it on the disk */
  ok = give_name(r) && ok;
  hid_t g = H5Gopen2(r->file, "/run", H5P_DEFAULT);
  ok = g >= 0 && cst_h5_put_text(g, "state", CST_STATE_WIDTH, state) && ok;
  if (g >= 0)
    H5Gclose(g);
  ok = close_all(r) && !fsync(r->disk) && ok;
  ok = agree(r->comm, ok, r->error, sizeof r->error);
  destroy(r);
  return ok;
}
