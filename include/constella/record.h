/* record.h: the result file: HDF5 with named dimensions, units and provenance, written by many ranks.
 *
 * Everything is created before the first step: fixed extents, early allocation, no filters, no object times;
 * then one flush; then each rank writes finished rows independently. A file is readable at any instant after
 * the flush, even when the run, or a later run that reopens it, is killed: nothing is created after the flush
 * and nothing changes its size; of the metadata only fixed-width texts and numbers of /run change, in place,
 * and no checksum covers them. Rows that were not written hold the fill value (NaN, -1 for integers, empty
 * text). Contents outside the group /run depend only on the study; the order of creation is fixed, so equal
 * studies give equal bytes there.
 *
 * The format is the one of HDF5 1.8. Dimensions are scales at the root, so a field may not lie at or below
 * /NAME of a dimension: with a dimension "case" there can be no group /case (cst_record_create says so). A
 * dimension and a field may have size 0. Units: avoid "seconds" and "days", which xarray turns into
 * durations; "s" is left alone. The disk cannot become full after creation, because all space is written once
 * at creation, except on copy-on-write file systems.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_H
#define CONSTELLA_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <mpi.h>

typedef enum {
  CST_TYPE_F64,
  CST_TYPE_I64,
  CST_TYPE_I32,
  CST_TYPE_I8,
  CST_TYPE_TEXT
} cst_type; /* CST_TYPE_TEXT: fixed width UTF-8, CST_TEXT_WIDTH bytes, null padded */
enum { CST_TEXT_WIDTH = 192, CST_NOTE_WIDTH = 256, CST_FIELD_DIMS = 4 };

/* Bytes of a value. */
size_t cst_record_width(cst_type type);

typedef struct {
  /* "case", "member", "sample", "coordinate" ... becomes a dimension scale at the root */
  char               name[48];
  long               size;
  const char        *doc;   /* long_name of the scale */
  const char *const *label; /* [size] names of the entries (text scale), or NULL: 0, 1, 2 ... */
} cst_dimension;

/* Rows of a field with two dimensions or more, counted over the first two: count[i] from first[i] on, ascending. */
typedef struct {
  int         n;
  const long *first, *count; /* [n] */
} cst_record_rows;

typedef struct {
  char     path[96]; /* "/final/q"; groups are made as needed */
  cst_type type;
  int      ndim, dim[CST_FIELD_DIMS]; /* indices into the dimensions; ndim 0: a scalar */
  char     unit[32];                  /* "1" for nondimensional */
  char     doc[320];                  /* long_name */
  /* NULL: all of it is filled, and takes its space on the disk at once. Else only these rows, borrowed; the others
   * are holes of the file, which read as zeros */
  const cst_record_rows *rows;
} cst_field;

typedef struct cst_record cst_record;

/* Collective. Creates PATH.TOKEN.new with its dimensions and fields; token: at most 39 letters and digits,
 * random, of the result. The first cst_record_flush, or cst_record_close, renames it to path, so that a kill
 * leaves either the old file or a readable one, and removes what earlier kills have left of such files. An
 * existing file is replaced, so call cst_record_refuse before; one that appears meanwhile is not. Makes the
 * group /run with the attributes state ("running", 16 bytes), host (CST_NOTE_WIDTH bytes), pid and pid_start of
 * rank 0. NULL with a message in why[n], the same on every rank, when it fails; it then leaves no file. Every
 * rank opens its own path, and reads from it what rank 0 has written: where ranks do not share the file, the
 * message names the first of them and its host. */
cst_record *cst_record_create(MPI_Comm comm, const char *path, const char *token,
                              const cst_dimension *dim, int ndim, const cst_field *field,
                              int nfield, char *why, int n);
/* Collective. Opens an existing file that is not complete for further writes, as after cst_record_create and
 * cst_record_flush. Every dimension and field must be there with the given type and extents; rows do not
 * change. State, host, pid and pid_start become those of this run; nothing else changes. NULL with a message
 * in why[n], the same on every rank, that says what differs; the file is then unchanged, except that it may be
 * signed. */
cst_record *cst_record_open(MPI_Comm comm, const char *path, const char *token,
                            const cst_dimension *dim, int ndim, const cst_field *field, int nfield,
                            char *why, int n);
/* Whether the last of these two failed because ranks do not share the file. */
bool cst_record_apart(void);
/* Bytes of the data of such a file, without those that HDF5 adds. */
double cst_record_bytes(const cst_dimension *dim, int ndim, const cst_field *field, int nfield);
/* Writes the real path of a result into path[PATH_MAX], also of one that does not exist yet, behind links that
 * lead nowhere. */
void cst_record_real_path(const char *output, char *path);
/* Before any work, on one rank: NULL when path can become the output, else the reason (static, to follow
 * "PATH: "): it exists (without overwrite; interrupted or complete, and what may be done), is not a regular
 * file, its folder is missing or not writable, or a live run of this host is writing it. cst_lock_take
 * separates runs that start together. */
const char *cst_record_refuse(const char *path, bool overwrite);

/* Attributes of the root, of a group ("/run", made when missing) or of a dataset. Collective, but
 * rank 0 alone writes, and keeps a failure in cst_record_error. Up to the first
 * cst_record_flush: cst_record_attribute is variable-length UTF-8 text, cst_record_number a double,
 * cst_record_text UTF-8 of CST_NOTE_WIDTH bytes, padded with zeros, longer text cut between two characters;
 * an existing attribute is replaced. After it, and in a file that was opened: only cst_record_text and
 * cst_record_number, for existing attributes of /run of that kind; anything else is an error. Values that are
 * only known at the end therefore start as an empty text, or NaN. Call cst_record_flush afterwards, so that
 * they are on the disk before a kill. */
void cst_record_attribute(cst_record *r, const char *group, const char *name, const char *text);
void cst_record_text(cst_record *r, const char *group, const char *name, const char *text);
/* Up to the first flush: an empty text that has room for so many bytes in place of CST_NOTE_WIDTH. */
void cst_record_room(cst_record *r, const char *group, const char *name, size_t width);
void cst_record_number(cst_record *r, const char *group, const char *name, double value);
/* Collective: brings all to the disk. The first one gives a new file its name, when all ranks have succeeded;
 * otherwise it removes the file. False, with the same reason in cst_record_error, on every rank. */
bool cst_record_flush(cst_record *r);

/* Independent, any rank, any time: writes the block start[ndim] .. start + count of field index f. Data are
 * contiguous doubles, long, int, signed char, or text rows of CST_TEXT_WIDTH bytes. Returns false and keeps
 * the reason (cst_record_error) when the write fails; before the first flush this flush fails with it instead, on all
 * ranks. */
bool cst_record_write(cst_record *r, int f, const long *start, const long *count, const void *data);
bool cst_record_read(cst_record *r, int f, const long *start, const long *count, void *data);
/* Independent, any rank: brings all rows that this host has written to the disk. False with the system's reason
 * in why[n]. It may run beside other functions of the record, in a thread. */
bool cst_record_sync(const cst_record *r, char *why, int n);
/* The path that a user has given, perhaps through links; it must lead to the file as well. */
void cst_record_ask(cst_record *r, const char *path);
/* Independent, any rank: whether the paths still lead to this file: nobody has removed, replaced or renamed it,
 * a link to it or its folder. */
bool cst_record_is_named(const cst_record *r);
/* Independent, any rank: whether nobody has cut the file, or begun it again; else its rows are lost, as this says. */
bool cst_record_is_whole(const cst_record *r);
#define CST_RECORD_LOST                                                                            \
  "another program has cut the file or begun it anew during the run: its rows are lost; start "    \
  "again with --overwrite"
/* On rank 0, while no row is being written: whether every dataset on the disk still is where its rows are written; else
 * the error of the record names the first that another program has moved or removed. Without a path that leads to the file:
 * true. */
bool        cst_record_in_place(cst_record *r);
const char *cst_record_error(
    const cst_record *r); /* of the last failure on this rank; "" when there was none */
/* Collective: brings the rows to the disk, then changes the text attribute /run state in place
 * ("interrupted", "complete"), closes and frees. Returns false on every rank when the file could not be
 * finished, with the reason in why[n] (n 0: not wanted). kept[PATH_MAX], or NULL: on every rank empty, or the
 * name under which the file was kept because the path no longer leads to it. */
bool cst_record_close(cst_record *r, const char *state, char *kept, char *why, int n);

/* Reading a finished or unfinished file, serial, without MPI. NULL with why[n] (to follow "PATH: ") when
 * there is no file or it is not a Constella result. */
typedef struct cst_result cst_result;
cst_result               *cst_result_open(const char *path, char *why, int n);
void                      cst_result_close(cst_result *r);
char                     *cst_result_text(cst_result *r, const char *group,
                                          const char *name); /* attribute; owned; NULL when absent */
bool cst_result_number(cst_result *r, const char *group, const char *name, double *value);
int  cst_result_list(cst_result *r, const char *group,
                     char (**paths)[96]); /* datasets of a group in creation order; owned */
/* Whether a group has a dataset of this name. */
bool cst_result_finds(cst_result *r, const char *group, const char *name);
/* A whole dataset as doubles (integers converted) with its extents; NULL when absent. Owned. */
double *cst_result_read(cst_result *r, const char *path, int *ndim, long extent[CST_FIELD_DIMS]);
/* The block start .. start + count of a dataset, as cst_record_write takes it. False when it is absent or has
 * no such block. */
bool cst_result_read_block(cst_result *r, const char *path, cst_type type, const long *start,
                           const long *count, void *data);
/* A text dataset as rows of CST_TEXT_WIDTH + 1 bytes (terminated). Owned. */
char (*cst_result_read_text(cst_result *r, const char *path, long *rows))[CST_TEXT_WIDTH + 1];
/* The number of trajectories with a status in /final/status, and of all. False where there is no such
 * dataset. */
bool cst_result_progress(cst_result *r, long *done, long *total);
/* The process that wrote the file: 1 it lives on this host, 0 it is gone, -1 it was on another host. */
int cst_result_alive(cst_result *r);
/* "running", "interrupted" (also when its process is gone from this host) "complete", or "part": a complete part of a
 * study. Static. */
const char *cst_result_state(cst_result *r);

/* A run's claim on its output: the file PATH.lock holds "host pid pid_start since token" of one process (rank 0),
 * which keeps a write lock on it (fcntl, of the open file, seen by other hosts over NFS too) as long as it
 * lives. Of several runs on one path, started at the same instant or on several hosts, exactly one continues.
 * Where a file system has no locks, or hosts do not see each other's, the modification time of the file is
 * the sign of life. */
typedef struct cst_lock cst_lock;

/* Claim path. NULL with the reason in why[n] (to follow "PATH: "): "is being written by process P on host H
 * since T", or why there can be no lock. It takes over the claim of a dead owner: at once when that was a
 * process of this host, else after 25 s without a sign of life. */
cst_lock *cst_lock_take(const char *path, char *why, int n);
/* Locks an existing result itself as well, so that a run meets the lock under whatever name it reaches the
 * file: a link, a new name, another mount. shared: others may hold it too, but no run may write the file.
 * False with the reason in why[n] (to follow "PATH: "). Held until the claim is released. */
bool cst_lock_hold(cst_lock *l, const char *path, bool shared, char *why, int n);
/* Writes the token of the result into PATH.lock. */
void cst_lock_mark(cst_lock *l, const char *token);
/* Removes PATH.lock of a dead run of this host, if it has the token of a result that was renamed since. */
void cst_lock_clean(const char *path, const char *token);
void cst_lock_beat(cst_lock *l);    /* a sign of life; the owner gives one about every 10 s */
void cst_lock_release(cst_lock *l); /* gives the claim up and removes PATH.lock; NULL is allowed */
/* For other processes: false when there is no PATH.lock and no run holds the result itself; else whether a
 * process holds it now, and the seconds since its last sign of life. Follows links. */
bool cst_lock_look(const char *path, bool *held, double *age);

/* The library behind the files, with its version: "HDF5 1.10.8". */
void cst_record_library(char *text, size_t n);
#endif
