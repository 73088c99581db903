/* snapshot.h: numbered files with named sections of bytes beside a result file: what a run is taken up from. No HDF5, no MPI, one process.
 *
 * PATH.checkpoint.N (N = 1, 2, ...) holds its sections one after the other, then an index (name, offset, size and SHA-256 of each), then a
 * trailer with the SHA-256 of the index. Every byte of the file is under a digest, so that one which is cut short or damaged anywhere is
 * noticed. It is written as PATH.checkpoint.new, brought to the disk, and only then renamed: a kill, a full disk or a crash of the machine
 * leaves the earlier ones as they were. Numbers are in the machine's own form: byte order and word size are part of the file's mark, and
 * a machine of another form is told so. Where files may have a largest size, SIGXFSZ is to be ignored by the program.
 *
 * Wherever there is why[n], it is filled on failure with a sentence that follows the name of the checkpoint.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RECORD_SNAPSHOT_H
#define CONSTELLA_RECORD_SNAPSHOT_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { CST_SNAPSHOT_NAME = 16, CST_SNAPSHOT_PATH = PATH_MAX + 48 }; /* bytes: of a section's name, null padded; of a file's name */

/* PATH.checkpoint.NUMBER in name; returns it. */
char *cst_snapshot_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]);

typedef struct cst_snapshot_writer cst_snapshot_writer;

/* Number is larger than any that is there. NULL when PATH.checkpoint.new cannot be made; one that a kill left is replaced. */
cst_snapshot_writer *cst_snapshot_begin(const char *path, long number, char *why, int n);
/* Append a section; name: at most 16 bytes. The digest is the SHA-256 of the bytes, computed by the caller, so that damage on the
 * way here is noticed when they are read; NULL: computed here. False when it cannot be written; the reason is kept for cst_snapshot_commit.
 */
bool cst_snapshot_add(cst_snapshot_writer *w, const char *name, const void *bytes, size_t size, const unsigned char *digest);
/* Finish: PATH.checkpoint.NUMBER is on the disk when this returns true, and of the others only the newest before it and the one numbered
 * keep (still in use; 0: none) are left. On false all that was there is still there, and nothing new. The writer is freed. */
bool cst_snapshot_commit(cst_snapshot_writer *w, long keep, char *why, int n);
void cst_snapshot_abandon(cst_snapshot_writer *w); /* discards the file and frees the writer; NULL is allowed */

typedef struct cst_snapshot cst_snapshot;

/* The numbers that are there, newest first, into numbers[most]; how many were filled. They need not be valid. */
int cst_snapshot_list(const char *path, long *numbers, int most);
/* Opens one whose trailer and index are right. The digests of its sections are checked by cst_snapshot_read and cst_snapshot_check. */
cst_snapshot *cst_snapshot_open(const char *path, long number, char *why, int n);
void          cst_snapshot_close(cst_snapshot *s); /* NULL is allowed */
int           cst_snapshot_count(const cst_snapshot *s);
/* The size in bytes and the name of section i, in the order of cst_snapshot_add. */
size_t cst_snapshot_section(const cst_snapshot *s, int i, char name[CST_SNAPSHOT_NAME]);
/* The bytes of section i; false when they cannot be read or are not those that were written. */
bool cst_snapshot_read(const cst_snapshot *s, int i, void *bytes);
bool cst_snapshot_check(const cst_snapshot *s); /* every section against its digest, a piece at a time */
/* All of PATH.checkpoint.* that have a larger number, PATH.checkpoint.new too; number 0: all. */
void cst_snapshot_remove_newer(const char *path, long number);
#endif
