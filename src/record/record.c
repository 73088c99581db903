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
#define _GNU_SOURCE /* fallocate */
#include "record/record-internal.h"
#include "core/need.h"
#include "record/agree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  if (!cst_agree(r->comm, ok, why, n) || !cst_record_meet(r, why, n))
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
  if (cst_agree(r->comm, found, why, n) && cst_record_meet(r, why, n)) {
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
    ok = cst_record_rescue(r->disk, r->path, place, r->error, sizeof r->error);
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
