/* snapshot.h: checkpoints: numbered files with named sections of bytes beside a result file, from which a run
 * continues. No HDF5, no MPI.
 *
 * PATH.checkpoint.N (N = 1, 2, ...) holds its sections one after the other, then an index (name, offset, size
 * and SHA-256 of each), then a trailer with the SHA-256 of the index. Its first page carries the token of the
 * result that it belongs to. Digests cover every byte of the file, so that truncation and damage are noticed.
 * It is written as PATH.checkpoint.N.TOKEN.new, which no file of others is called, brought to the disk, and
 * only then gets its name: a kill, a full disk or a crash of the machine leaves the earlier ones as they were.
 * A file that does not carry the token is neither replaced nor removed.
 *
 * One process begins and commits it. Others may write sections into it meanwhile, each at a place of its own,
 * and tell the first one where these are. Places begin at multiples of CST_SNAPSHOT_PAGE, because network
 * file systems may write whole pages.
 *
 * Numbers have the form of the machine: byte order and word size are part of the file's mark, and other
 * machines refuse the file. Where the size of files is limited, the program must ignore SIGXFSZ.
 *
 * On failure, why[n] gets a sentence; what reads a checkpoint leaves its name to the caller.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SNAPSHOT_H
#define CST_SNAPSHOT_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  CST_SNAPSHOT_NAME = 16,
  CST_SNAPSHOT_PATH = PATH_MAX + 96
}; /* bytes: of a section's name, null padded; of a file's name */

enum { CST_SNAPSHOT_TOKEN = 40 }; /* bytes of a token, null padded: of the result's /run/id */

/* Whose checkpoints: those beside `path` that carry the token of its result. */
typedef struct {
  char path[PATH_MAX], token[CST_SNAPSHOT_TOKEN];
  long taken,
      until; /* for cst_snapshot_find: the numbers of the newest checkpoint that is known, and of the
                      * newest one whose rows the result has */
} cst_snapshot_owner;

/* Fills an owner; path: the real path of the result. */
void cst_snapshot_own(cst_snapshot_owner *o, const char *path, const char *token);

/* Writes PATH.checkpoint.NUMBER into name and returns it. */
char *cst_snapshot_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]);

typedef struct cst_snapshot_writer cst_snapshot_writer;

/* number: larger than every existing one beside the path (cst_snapshot_largest). NULL when the new file cannot
 * be made; replaces one of the same owner that a kill has left. */
cst_snapshot_writer *cst_snapshot_begin(const cst_snapshot_owner *o, long number, char *why, int n);
/* Appends a section behind all others; name: at most 16 bytes. False when the section cannot be written; the
 * reason is kept for cst_snapshot_commit. */
bool cst_snapshot_add(cst_snapshot_writer *w, const char *name, const void *bytes, size_t size);

/* Where the bytes of a section are, and their digest. */
typedef struct {
  size_t        offset, size;
  unsigned char digest[32];
} cst_snapshot_place;

enum { CST_SNAPSHOT_PAGE = 4096 }; /* the first page is the head; sections begin behind it */

/* On any process, after cst_snapshot_begin: writes n sections, bytes[i] of place[i].size, one behind the
 * other from `offset` on, and brings them to the disk. Fills the offsets and digests. False with why[]. */
bool cst_snapshot_write(const cst_snapshot_owner *o, long number, size_t offset,
                        const void *const *bytes, cst_snapshot_place *place, int n, char *why,
                        int size);
/* Enters such a section in the index. */
void cst_snapshot_enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place);
/* Finishes. When this returns true, PATH.checkpoint.NUMBER is on the disk, and of the owner's others only the
 * newest one before it and the one numbered `keep` (still in use; 0: none) are left. On false the earlier are
 * unchanged and there is no new one. Frees the writer. */
bool cst_snapshot_commit(cst_snapshot_writer *w, long keep, char *why, int n);
void cst_snapshot_abandon(
    cst_snapshot_writer *w); /* discards the file and frees the writer; NULL is allowed */

typedef struct cst_snapshot cst_snapshot;

/* The numbers of the owner's checkpoints, *n, newest first; those whose head is damaged are among them. Free
 * it. */
long *cst_snapshot_numbers(const cst_snapshot_owner *o, int *n);
/* The largest number beside the path, whosever it is; 0: none. */
long cst_snapshot_largest(const char *path);
/* Whether there are checkpoints beside the path, of whatever result; other files of such names do not count. */
bool cst_snapshot_any(const char *path);
/* Where the checkpoints of a token are, if the result was renamed or copied: sets o->path to the path of the same
 * folder that has the newest one up to o->until. Stays at o->path where one of at least o->taken, or one newer
 * than o->until, is. False: nowhere. */
bool cst_snapshot_find(cst_snapshot_owner *o);
/* Opens a checkpoint and checks its trailer and index. cst_snapshot_read and cst_snapshot_check check the
 * digests of its sections. */
cst_snapshot *cst_snapshot_open(const char *path, long number, char *why, int n);
void          cst_snapshot_close(cst_snapshot *s); /* NULL is allowed */
int           cst_snapshot_count(const cst_snapshot *s);
/* The size in bytes and the name of section i, in the order of cst_snapshot_add. */
size_t cst_snapshot_section(const cst_snapshot *s, int i, char name[CST_SNAPSHOT_NAME]);
/* Reads the bytes of section i; false when they cannot be read or are not those that were written. */
bool cst_snapshot_read(const cst_snapshot *s, int i, void *bytes);
bool cst_snapshot_check(const cst_snapshot *s); /* compares every section with its digest */
/* the same for part `part` of `parts` of about the same size */
bool cst_snapshot_check_part(const cst_snapshot *s, int part, int parts);
/* Removes the owner's unfinished checkpoints, and those with a larger number; number 0: all. Leaves what does
 * not carry the token. */
void cst_snapshot_remove_newer(const cst_snapshot_owner *o, long number);
/* Removes the owner's checkpoints up to o->until and the unfinished ones; returns how many. */
int cst_snapshot_remove_until(const cst_snapshot_owner *o);
#endif
