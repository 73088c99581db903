/* record.h: the result file: parallel HDF5 with named dimensions, units and provenance.
 *
 * Everything is created before the first step: fixed extents, early allocation, no filters, no object times; then one
 * flush; then each rank writes finished rows independently. A file is readable at any instant after the flush, also when
 * the run is killed. Rows never written hold the fill value (NaN, -1 for integers, empty text). Contents outside the group /run depend on
 * the study alone; the order of creation is fixed, so equal studies give equal bytes there.
 *
 * The format is the one of HDF5 1.8. Dimensions are scales at the root, so a field may not lie at or below /NAME of a dimension: with a
 * dimension "case" there can be no group /case (cst_record_create says so). A dimension and a field may have size 0. Units: avoid "seconds"
 * and "days", which xarray turns into durations; "s" is left alone. Failures after creation (a full disk) cannot come from missing space,
 * since all of it is written once at creation, except on copy-on-write file systems.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_H
#define CONSTELLA_RECORD_H
#include <stdbool.h>
#include <mpi.h>

typedef enum { CST_F64, CST_I64, CST_I32, CST_I8, CST_TEXT } cst_type; /* CST_TEXT: fixed width UTF-8, CST_TEXT_WIDTH bytes, null padded */
enum { CST_TEXT_WIDTH = 192, CST_FIELD_DIMS = 4 };

typedef struct {
  char               name[48]; /* "case", "member", "sample", "coordinate" ... becomes a dimension scale at the root */
  long               size;
  const char        *doc;   /* long_name of the scale */
  const char *const *label; /* [size] names of the entries (text scale), or NULL: 0, 1, 2 ... */
} cst_dimension;

typedef struct {
  char     path[96]; /* "/final/q"; groups are made as needed */
  cst_type type;
  int      ndim, dim[CST_FIELD_DIMS]; /* indices into the dimensions; ndim 0: a scalar */
  char     unit[32];                  /* "1" for nondimensional */
  char     doc[160];                  /* long_name */
} cst_field;

typedef struct cst_record cst_record;

/* Collective. Create path with its dimensions and fields, and flush; an existing file is replaced at once, so ask cst_record_refuse before.
 * Makes the group /run with the attributes state ("running", 16 bytes of UTF-8 padded with zeros), host, pid and pid_start of rank 0. NULL
 * with a message in why[n], the same on every rank, when it fails; nothing is left behind then. */
cst_record *cst_record_create(MPI_Comm comm, const char *path, const cst_dimension *dim, int ndim, const cst_field *field, int nfield,
                              char *why, int n);
/* Before any work, on one rank: whether path can become the output: NULL when it can, else the reason (static, to follow "PATH: "): exists
 * (without overwrite), is no regular file, folder missing or not writable, is being written by a live run of this host. */
const char *cst_record_refuse(const char *path, bool overwrite);

/* Collective, before the first write or when all ranks have met after the last one: attributes of the root, of a group ("/run", made when
 * missing) or of a dataset. Variable-length UTF-8 text or a double; an existing one is replaced. Then cst_record_flush, so that a kill
 * finds them on disk. A failure is kept in cst_record_error. */
void cst_record_attribute(cst_record *r, const char *group, const char *name, const char *text);
void cst_record_number(cst_record *r, const char *group, const char *name, double value);
void cst_record_flush(cst_record *r); /* collective */

/* Independent, any rank, any time: write the block start[ndim] .. start + count of field index f. Data are contiguous doubles, long, int,
 * signed char, or text rows of CST_TEXT_WIDTH bytes. Returns false and keeps the reason (cst_record_error) when the write fails. */
bool        cst_record_write(cst_record *r, int f, const long *start, const long *count, const void *data);
bool        cst_record_read(cst_record *r, int f, const long *start, const long *count, void *data);
const char *cst_record_error(const cst_record *r);
/* Collective: change the text attribute /run state in place ("interrupted", "complete"), close and free. Returns false on every rank when
 * the file could not be finished. */
bool cst_record_close(cst_record *r, const char *state);

/* Reading a finished or unfinished file, serial, without MPI. NULL with why[n] (to follow "PATH: ") when there is no file or it is no
 * Constella result. */
typedef struct cst_result cst_result;
cst_result               *cst_result_open(const char *path, char *why, int n);
void                      cst_result_close(cst_result *r);
char                     *cst_result_text(cst_result *r, const char *group, const char *name); /* attribute; owned; NULL when absent */
bool                      cst_result_number(cst_result *r, const char *group, const char *name, double *value);
int cst_result_list(cst_result *r, const char *group, char (**paths)[96]); /* datasets of a group in creation order; owned */
/* A whole dataset as doubles (integers converted) with its extents; NULL when absent. Owned. */
double *cst_result_read(cst_result *r, const char *path, int *ndim, long extent[CST_FIELD_DIMS]);
/* A text dataset as rows of CST_TEXT_WIDTH + 1 bytes (terminated). Owned. */
char (*cst_result_read_text(cst_result *r, const char *path, long *rows))[CST_TEXT_WIDTH + 1];
/* Of the process that wrote the file: 1 it lives on this host, 0 it is gone, -1 it was on another host. */
int cst_result_alive(cst_result *r);
/* "running", "interrupted" (also when its process is gone from this host) or "complete". Static. */
const char *cst_result_state(cst_result *r);
#endif
