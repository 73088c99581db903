/* snapshot-form.h: private to src/record: the beginning and the end of a checkpoint, and its name while it is
 * written. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_SNAPSHOT_FORM_H
#define CONSTELLA_RECORD_SNAPSHOT_FORM_H
#include "record/snapshot.h"
#include <stdint.h>

enum { CST_SNAPSHOT_VERSION = 6, CST_SNAPSHOT_KIND = 6 };

/* The first CST_SNAPSHOT_KIND bytes identify the format, the others the form of the numbers: byte order and
 * word size. */
extern const char cst_snapshot_mark[8];

typedef struct {
  char          name[CST_SNAPSHOT_NAME];
  uint64_t      offset, size;
  unsigned char digest[32];
} cst_snapshot_entry;

typedef struct {
  char     mark[8];
  uint32_t version, count;
  uint64_t index; /* its offset; it has `count` entries, the trailer follows it and ends the file */
  unsigned char digest[32]; /* of the index and of the members above */
} cst_snapshot_trailer;

/* The beginning of a checkpoint; zeros fill the page. */
typedef struct {
  char mark[8], token[CST_SNAPSHOT_TOKEN];
} cst_snapshot_head;
void cst_snapshot_seal(const cst_snapshot_entry *index, const cst_snapshot_trailer *t,
                       unsigned char digest[32]);
#endif
