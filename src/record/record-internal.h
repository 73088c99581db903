/* record-internal.h: the open result file, shared by record.c, record-transfer.c and record-attribute.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RECORD_INTERNAL_H
#define CST_RECORD_INTERNAL_H
#include "record/h5.h"

struct cst_record {
  MPI_Comm comm;
  int      rank, size, nscale, nfield, disk; /* disk: a separate descriptor, for cst_record_sync */
  bool     sealed;                           /* after the first flush */
  hid_t    file, *scale, *dataset;
  cst_field *field;
  char       path[4096], aside[4096 + 8],
      error[256]; /* aside: the name until the first flush; "" after it */
};

/* Returns ok; if false, stores what HDF5 says of `what` as the error of the record. */
bool cst_record_keep(cst_record *r, bool ok, const char *what);
#endif
