/* record-internal.h: the open result file, shared by the files record*.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RECORD_INTERNAL_H
#define CST_RECORD_INTERNAL_H
#include "record/h5.h"
#include <limits.h>
#include <sys/types.h>

/* Where a field lies in the file: contiguous, its last dimension fastest. */
typedef struct {
  cst_field field;
  long      extent[CST_FIELD_DIMS];
  long      at, size; /* in bytes; at is -1 when the field is empty */
  hid_t     dataset;  /* of a new file up to its first flush, for its attributes; else -1 */
} cst_record_place;

/* On rank 0: the object, open, that had an attribute last. */
typedef struct {
  hid_t object; /* or -1 */
  char  path[96];
  int   place; /* the field that had one last */
} cst_record_carrier;

struct cst_record {
  MPI_Comm           comm;
  int                rank, size, nfield;
  int                disk;  /* the descriptor through which this rank writes and reads rows */
  bool               first; /* of the ranks of this host: it brings their rows to the disk */
  bool               nfs;
  bool               sealed;   /* after the first flush */
  bool               nameless; /* the first flush has failed */
  bool               broken;   /* something could not be written before it */
  hid_t              file;     /* on rank 0, else -1 */
  cst_record_carrier carrier;
  cst_record_place  *place; /* [nfield] */
  char               path[PATH_MAX], token[40];
  char  asked[PATH_MAX];      /* the path that must lead to it too, through links; "": none */
  char  aside[PATH_MAX + 48]; /* the name until the first flush; "" after it */
  long  bytes;                /* of the file, from the first flush on */
  dev_t device; /* on rank 0, of the file at path that the new one replaces; inode 0: none */
  ino_t inode;
  char  error[PATH_MAX + 256];
};

/* record-make.c: makes an empty file at a path where nothing is, on a disk that has room for all its
 * bytes; false with why[n]. */
bool cst_record_prepare(const char *path, double bytes, char *why, int n);
/* Removes PATH.TOKEN.new of runs that were killed. The caller has the lock. */
void cst_record_tidy(const char *path);

/* record.c: on one rank. */
/* Whether the path leads to the open file. */
bool cst_record_is_at(int file, const char *path);

/* Returns ok; if false, stores what HDF5 says of `what` as the error of the record. */
bool cst_record_keep(cst_record *r, bool ok, const char *what);
/* The same for a call of HDF5 that writes; also false if an earlier write of this file failed. */
bool cst_record_written(cst_record *r, bool ok);

/* record-make.c, on rank 0: makes or finds all that is in the file. Fills r->place. */
bool cst_record_make(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                     char *why, int n);
bool cst_record_find(cst_record *r, const cst_dimension *dim, int ndim, const cst_field *field,
                     char *why, int n);

/* record-transfer.c, on rank 0: closes all objects that are open for their attributes. */
void cst_record_let_go(cst_record *r);

/* record-make.c, independent: writes this rank's share of the fill values. */
bool cst_record_fill(cst_record *r, char *why, int n);

/* record-transfer.c, independent: writes all bytes, or sets errno. A network file system that keeps whole
 * pages is told by a lock that other ranks write too. */
bool cst_record_put(const cst_record *r, const void *bytes, size_t size, long at);
/* Takes (true) or gives back such a lock; no size: of all data, but not of the byte far behind them with which
 * lock.c locks the file. */
void cst_record_hold(const cst_record *r, bool take, long at, size_t size);
#endif
