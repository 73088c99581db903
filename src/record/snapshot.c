/* snapshot.c: checkpoints: which there are and whose they are; reads them, and checks everything against its
 * digest; writes them: a head, sections, an index, a trailer, renamed into place when they are on the disk. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* renameat2 */
#include "record/snapshot.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/random.h"
#include "core/need.h"
#include "record/snapshot-form.h"

/* ---- owners ---------------------------------------------------------------------------------- */

/* Which checkpoints there are, whose they are, and which are removed. A checkpoint belongs to
 * the result whose token its head carries, under whatever name either of them is. */

enum { KEPT = 2 };

void cst_snapshot_own(cst_snapshot_owner *o, const char *path, const char *token) {
  memset(o, 0, sizeof *o);
  snprintf(o->path, sizeof o->path, "%s", path);
  snprintf(o->token, sizeof o->token, "%s", token);
  o->until = LONG_MAX;
}

char *cst_snapshot_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld", path, number);
  return name;
}

/* The name while it is written: PATH.checkpoint.NUMBER.TOKEN.new. Returns it. */
static char *new_name(const cst_snapshot_owner *o, long number, char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld.%s.new", o->path, number, o->token);
  return name;
}

/* ---- what is there ------------------------------------------------------------------------------- */

static const char word[] = ".checkpoint.";

/* The folder of a path, with its slash, or ".". Returns it. */
static char *snapshot_folder(const char *path, char folder[CST_SNAPSHOT_PATH]) {
  const char *cut = strrchr(path, '/');
  snprintf(folder, CST_SNAPSHOT_PATH, "%.*s", cut ? (int)(cut - path + 1) : 1, cut ? path : ".");
  return folder;
}

static const char *base_of(const char *path) {
  const char *cut = strrchr(path, '/');
  return cut ? cut + 1 : path;
}

/* The number in a snapshot's name, which ends with `ending`; 0 for other names. */
static long number_in(const char *name, const char *start, size_t length, const char *ending) {
  if (strncmp(name, start, length) || strncmp(name + length, word, sizeof word - 1))
    return 0;
  const char *digits = name + length + sizeof word - 1;
  size_t      n = strspn(digits, "0123456789");
  return *digits == '0' || n > 18 || strcmp(digits + n, ending) ? 0 : strtol(digits, NULL, 10);
}

static int may_be_one(const struct dirent *e) { return strstr(e->d_name, word) != NULL; }

static int newest_first(const void *a, const void *b) {
  long x = *(const long *)a;
  long y = *(const long *)b;
  return (x < y) - (x > y);
}

/* The numbers of all names beside the path with this ending, newest first; owned. */
static long *numbers_of(const char *path, const char *ending, int *n) {
  char            folder[CST_SNAPSHOT_PATH];
  const char     *start = base_of(path);
  struct dirent **file;
  int             files = scandir(snapshot_folder(path, folder), &file, may_be_one, alphasort);
  long           *list = cst_need(calloc(files > 0 ? (size_t)files : 1, sizeof *list));
  *n = 0;
  for (int i = 0; i < files; i++) {
    long number = number_in(file[i]->d_name, start, strlen(start), ending);
    if (number)
      list[(*n)++] = number;
    free(file[i]);
  }
  if (files >= 0)
    free(file);
  qsort(list, (size_t)*n, sizeof *list, newest_first);
  return list;
}

typedef enum { NOBODYS, THEIRS, OTHERS } belonging; /* nobody's: no head of a checkpoint */

static belonging belongs(const cst_snapshot_owner *o, const char *name) {
  cst_snapshot_head head;
  const int         file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool        read_it = file >= 0 && read(file, &head, sizeof head) == sizeof head &&
                       !memcmp(head.mark, cst_snapshot_mark, CST_SNAPSHOT_KIND);
  if (file >= 0)
    close(file);
  if (!read_it)
    return NOBODYS;
  return memcmp(head.token, o->token, sizeof head.token) ? OTHERS : THEIRS;
}

/* Those of the list beside the owner's path that belong as wanted; returns how many. */
static int select_those(const cst_snapshot_owner *o, long *list, int n, unsigned wanted) {
  char name[CST_SNAPSHOT_PATH];
  int  kept = 0;
  for (int i = 0; i < n; i++)
    if (wanted & 1U << belongs(o, cst_snapshot_name(o->path, list[i], name)))
      list[kept++] = list[i];
  return kept;
}

long *cst_snapshot_numbers(const cst_snapshot_owner *o, int *n) {
  long *list = numbers_of(o->path, "", n);
  *n = select_those(o, list, *n, 1U << THEIRS | 1U << NOBODYS);
  return list;
}

long cst_snapshot_largest(const char *path) {
  int        n;
  long      *list = numbers_of(path, "", &n);
  const long largest = n ? list[0] : 0;
  free(list);
  return largest;
}

bool cst_snapshot_any(const char *path) {
  int                n;
  cst_snapshot_owner nobody;
  cst_snapshot_own(&nobody, path, "");
  long *list = numbers_of(path, "", &n);
  n = select_those(&nobody, list, n, 1U << THEIRS | 1U << OTHERS);
  free(list);
  return n > 0;
}

/* The number of a file of this name that is a finished checkpoint of the owner's token, and the path before the
 * number; 0: it is none. */
static long of_token(const cst_snapshot_owner *o, const char *name, char path[PATH_MAX]) {
  char        folder[CST_SNAPSHOT_PATH], full[2 * CST_SNAPSHOT_PATH];
  const char *cut = NULL;
  for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
    cut = at;
  const long number = cut ? number_in(name, name, (size_t)(cut - name), "") : 0;
  if (!number)
    return 0;
  snapshot_folder(o->path, folder);
  if (strlen(folder) + (size_t)(cut - name) >= PATH_MAX)
    return 0;
  snprintf(full, sizeof full, "%s%s", strchr(o->path, '/') ? folder : "", name);
  if (belongs(o, full) != THEIRS)
    return 0;
  full[strlen(full) - strlen(cut)] = 0;
  snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, full);
  return number;
}

/* Sets o->path to that of the newest checkpoint up to o->until, if it is newer than `own`; to any, if there is
 * none at all up to it. */
static bool find_elsewhere(cst_snapshot_owner *o, long own) {
  char folder[CST_SNAPSHOT_PATH], path[PATH_MAX], best[PATH_MAX] = "", newer[PATH_MAX] = "";
  struct dirent **file;
  const int       n = scandir(snapshot_folder(o->path, folder), &file, may_be_one, alphasort);
  for (int i = 0; i < n; i++) {
    const long number = of_token(o, file[i]->d_name, path);
    if (number > o->until)
      strcpy(newer, path);
    else if (number > own) {
      own = number;
      strcpy(best, path);
    }
    free(file[i]);
  }
  if (n >= 0)
    free(file);
  const char *found = *best ? best : own ? "" : newer;
  if (*found)
    strcpy(o->path, found);
  return *found;
}

bool cst_snapshot_find(cst_snapshot_owner *o) {
  int        n;
  long      *list = numbers_of(o->path, "", &n);
  const int  some = select_those(o, list, n, 1U << THEIRS | 1U << NOBODYS);
  const int  theirs = select_those(o, list, some, 1U << THEIRS);
  const long own = theirs ? list[0] : 0;
  free(list);
  if (own && (own >= o->taken || own > o->until))
    return true;
  return find_elsewhere(o, own) || some; /* those without a head may be damaged ones of the owner */
}

/* ---- removing ------------------------------------------------------------------------------------ */

/* Removes the owner's checkpoints with numbers above one and up to another; returns how many. */
static int remove_between(const cst_snapshot_owner *o, long above, long until) {
  char      name[CST_SNAPSHOT_PATH];
  int       n, removed = 0;
  long     *all = numbers_of(o->path, "", &n);
  const int theirs = select_those(o, all, n, 1U << THEIRS);
  for (int i = 0; i < theirs; i++)
    if (all[i] > above && all[i] <= until)
      removed += !unlink(cst_snapshot_name(o->path, all[i], name));
  free(all);
  return removed;
}

static void remove_unfinished(const cst_snapshot_owner *o) {
  char name[CST_SNAPSHOT_PATH], ending[CST_SNAPSHOT_TOKEN + 8];
  int  n;
  snprintf(ending, sizeof ending, ".%s.new", o->token);
  long *all = numbers_of(o->path, ending, &n);
  for (int i = 0; i < n; i++)
    unlink(new_name(o, all[i], name));
  free(all);
}

void cst_snapshot_remove_newer(const cst_snapshot_owner *o, long number) {
  (void)remove_between(o, number, LONG_MAX);
  remove_unfinished(o);
}

int cst_snapshot_remove_until(const cst_snapshot_owner *o) {
  remove_unfinished(o);
  return remove_between(o, 0, o->until);
}

/* Removes the owner's finished checkpoints but the two newest, `number` and `keep`. */
static void remove_old(const cst_snapshot_owner *o, long number, long keep) {
  char  name[CST_SNAPSHOT_PATH];
  int   n;
  long *all = numbers_of(o->path, "", &n);
  n = select_those(o, all, n, 1U << THEIRS);
  for (int i = KEPT; i < n; i++)
    if (all[i] != keep && all[i] != number)
      unlink(cst_snapshot_name(o->path, all[i], name));
  free(all);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { PIECE = 1 << 20 };

struct cst_snapshot {
  int                 file, count;
  cst_snapshot_entry *index;
};

static bool read_at(int file, void *bytes, size_t size, uint64_t offset) {
  for (char *to = bytes; size;) {
    ssize_t n = pread(file, to, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    size -= (size_t)n;
    offset += (uint64_t)n;
  }
  return true;
}

/* Why the trailer of a file of this size cannot be trusted; NULL if it can. */
static const char *refuse(const cst_snapshot_trailer *t, uint64_t size) {
  if (memcmp(t->mark, cst_snapshot_mark, CST_SNAPSHOT_KIND))
    return "is cut short, or not a checkpoint";
  if (memcmp(t->mark, cst_snapshot_mark, sizeof cst_snapshot_mark))
    return "was written on a machine of another byte order or word size";
  if (t->version != CST_SNAPSHOT_VERSION)
    return "has another format than this program's";
  if (t->index > size || size - t->index != sizeof(cst_snapshot_entry) * t->count + sizeof *t)
    return "is damaged: its parts do not add up to its size";
  return NULL;
}

/* Whether every section lies before the index. */
static bool lie_inside(const cst_snapshot_entry *index, const cst_snapshot_trailer *t) {
  bool inside = true;
  for (uint32_t i = 0; i < t->count; i++)
    inside = inside && index[i].offset <= t->index && index[i].size <= t->index - index[i].offset;
  return inside;
}

/* The index of an open file; NULL with the reason. */
static cst_snapshot_entry *read_index(int file, int *count, const char **reason) {
  struct stat          s;
  cst_snapshot_trailer t;
  if (fstat(file, &s)) {
    *reason = strerror(errno);
    return NULL;
  }
  if (!S_ISREG(s.st_mode)) {
    *reason = "is not a regular file";
    return NULL;
  }
  uint64_t size = (uint64_t)s.st_size;
  if (size < sizeof t || !read_at(file, &t, sizeof t, size - sizeof t)) {
    *reason = "is cut short, or not a checkpoint";
    return NULL;
  }
  if ((*reason = refuse(&t, size)))
    return NULL;
  unsigned char       digest[32];
  cst_snapshot_entry *index = cst_need(malloc(sizeof *index * t.count + 1));
  bool                ok = read_at(file, index, sizeof *index * t.count, t.index);
  cst_snapshot_seal(index, &t, digest);
  *count = (int)t.count;
  ok = ok && !memcmp(digest, t.digest, sizeof digest);
  if (ok && t.count <= INT_MAX && lie_inside(index, &t))
    return index;
  *reason = ok ? "is damaged: some of its parts are outside the file"
               : "is damaged: its index does not have the digest that was written";
  free(index);
  return NULL;
}

cst_snapshot *cst_snapshot_open(const char *path, long number, char *why, int n) {
  char        name[CST_SNAPSHOT_PATH];
  const char *reason = NULL;
  int         count = 0;
  int         file = open(cst_snapshot_name(path, number, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  cst_snapshot_entry *index = file < 0 ? NULL : read_index(file, &count, &reason);
  if (!index) {
    snprintf(why, (size_t)n, "%s", reason ? reason : strerror(errno));
    if (file >= 0)
      close(file);
    return NULL;
  }
  cst_snapshot *s = cst_need(malloc(sizeof *s));
  *s = (cst_snapshot){file, count, index};
  return s;
}

void cst_snapshot_close(cst_snapshot *s) {
  if (!s)
    return;
  close(s->file);
  free(s->index);
  free(s);
}

int cst_snapshot_count(const cst_snapshot *s) { return s->count; }

size_t cst_snapshot_section(const cst_snapshot *s, int i, char name[CST_SNAPSHOT_NAME]) {
  memcpy(name, s->index[i].name, CST_SNAPSHOT_NAME);
  return s->index[i].size;
}

/* Compares section e with its digest, in pieces: these go into bytes one after the other or, where bytes is
 * NULL, into the same buffer. */
static bool read_section(const cst_snapshot *s, const cst_snapshot_entry *e, char *bytes,
                         bool all) {
  cst_sha256_context sum;
  unsigned char      digest[32];
  cst_sha256_init(&sum);
  for (uint64_t at = 0; at < e->size; at += PIECE) {
    size_t n = e->size - at < PIECE ? e->size - at : PIECE;
    char  *to = all ? bytes + at : bytes;
    if (!read_at(s->file, to, n, e->offset + at))
      return false;
    cst_sha256_update(&sum, to, n);
  }
  cst_sha256_final(&sum, digest);
  return !memcmp(digest, e->digest, sizeof digest);
}

bool cst_snapshot_read(const cst_snapshot *s, int i, void *bytes) {
  return read_section(s, &s->index[i], bytes, true);
}

bool cst_snapshot_check_part(const cst_snapshot *s, int part, int parts) {
  char  *piece = malloc(PIECE);
  bool   ok = piece != NULL;
  double all = 0, before = 0;
  for (int i = 0; i < s->count; i++)
    all += (double)s->index[i].size;
  for (int i = 0; ok && i < s->count; i++) {
    const int owner = all > 0 ? (int)(before / all * parts) : 0;
    before += (double)s->index[i].size;
    if (owner == part || (owner >= parts && part == parts - 1))
      ok = read_section(s, &s->index[i], piece, false);
  }
  free(piece);
  return ok;
}

bool cst_snapshot_check(const cst_snapshot *s) { return cst_snapshot_check_part(s, 0, 1); }

/* ---- sections of other processes ------------------------------------------------------------- */

static void snapshot_digest(const void *bytes, size_t size, unsigned char digest[32]) {
  cst_sha256_context s;
  cst_sha256_init(&s);
  cst_sha256_update(&s, bytes, size);
  cst_sha256_final(&s, digest);
}

static bool put(int file, const char *bytes, size_t size, size_t offset) {
  while (size) {
    const ssize_t n = pwrite(file, bytes, size, (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO;
    if (n <= 0)
      return false;
    bytes += n;
    size -= (size_t)n;
    offset += (size_t)n;
  }
  return true;
}

bool cst_snapshot_write(const cst_snapshot_owner *o, long number, size_t offset,
                        const void *const *bytes, cst_snapshot_place *place, int n, char *why,
                        int size) {
  char      name[CST_SNAPSHOT_PATH];
  const int file = open(new_name(o, number, name), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  bool      ok = file >= 0;
  for (int i = 0; ok && i < n; i++) {
    place[i].offset = offset;
    snapshot_digest(bytes[i], place[i].size, place[i].digest);
    ok = put(file, bytes[i], place[i].size, offset);
    offset += place[i].size;
  }
  ok = ok && !fsync(file);
  if (!ok)
    snprintf(why, (size_t)size, "%.400s cannot be written: %s", name, strerror(errno));
  if (file >= 0 && close(file) && ok) {
    snprintf(why, (size_t)size, "%.400s cannot be written: %s", name, strerror(errno));
    ok = false;
  }
  return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* clang-format off */
const char cst_snapshot_mark[8] = {
    'c', 's', 't', '-', 'c', 'k', __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'b', (char)('0' + sizeof(long))};
/* clang-format on */

struct cst_snapshot_writer {
  cst_snapshot_owner  owner;
  char                file_name[CST_SNAPSHOT_PATH];
  long                number;
  FILE               *file;
  cst_snapshot_entry *index;
  uint64_t            at;
  uint32_t            count, room;
  int                 error; /* of the first write that failed */
};

static void enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place);
static void append(cst_snapshot_writer *w, const void *bytes, size_t size);

/* The first page: mark and token. It is a section, so that a digest covers it. */
static void put_head(cst_snapshot_writer *w) {
  char              page[CST_SNAPSHOT_PAGE] = {0};
  cst_snapshot_head head;
  memcpy(head.mark, cst_snapshot_mark, sizeof head.mark);
  memcpy(head.token, w->owner.token, sizeof head.token);
  memcpy(page, &head, sizeof head);
  cst_snapshot_add(w, "head", page, sizeof page);
}

cst_snapshot_writer *cst_snapshot_begin(const cst_snapshot_owner *o, long number, char *why,
                                        int n) {
  cst_snapshot_writer *w = cst_need(calloc(1, sizeof *w));
  w->owner = *o;
  w->number = number;
  unlink(new_name(o, number, w->file_name));
  int file = open(w->file_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file >= 0 && (w->file = fdopen(file, "wb"))) {
    put_head(w);
    return w;
  }
  snprintf(why, (size_t)n, "%.400s cannot be created: %s", w->file_name, strerror(errno));
  if (file >= 0)
    close(file);
  free(w);
  return NULL;
}

static void append(cst_snapshot_writer *w, const void *bytes, size_t size) {
  errno = 0;
  if (!w->error && size && fwrite(bytes, 1, size, w->file) != size)
    w->error = errno ? errno : EIO;
}

static void enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place) {
  if (w->count == w->room) {
    w->room = 2 * w->room + 16;
    w->index = cst_need(realloc(w->index, sizeof *w->index * w->room));
  }
  cst_snapshot_entry *e = &w->index[w->count++];
  *e = (cst_snapshot_entry){.offset = place->offset, .size = place->size};
  memcpy(e->name, name, strnlen(name, sizeof e->name));
  memcpy(e->digest, place->digest, sizeof e->digest);
  if (w->at < place->offset + place->size)
    w->at = place->offset + place->size;
}

bool cst_snapshot_add(cst_snapshot_writer *w, const char *name, const void *bytes, size_t size) {
  cst_snapshot_place place = {.offset = w->at, .size = size};
  snapshot_digest(bytes, size, place.digest);
  append(w, bytes, size);
  enter(w, name, &place);
  return !w->error;
}

void cst_snapshot_enter(cst_snapshot_writer *w, const char *name, const cst_snapshot_place *place) {
  enter(w, name, place);
  if (fseeko(w->file, (off_t)w->at, SEEK_SET) && !w->error)
    w->error = errno;
}

void cst_snapshot_seal(const cst_snapshot_entry *index, const cst_snapshot_trailer *t,
                       unsigned char digest[32]) {
  cst_sha256_context s;
  cst_sha256_init(&s);
  cst_sha256_update(&s, index, sizeof *index * t->count);
  cst_sha256_update(&s, t, offsetof(cst_snapshot_trailer, digest));
  cst_sha256_final(&s, digest);
}

static void put_index(cst_snapshot_writer *w) {
  cst_snapshot_trailer t = {.version = CST_SNAPSHOT_VERSION, .count = w->count, .index = w->at};
  memcpy(t.mark, cst_snapshot_mark, sizeof cst_snapshot_mark);
  cst_snapshot_seal(w->index, &t, t.digest);
  append(w, w->index, sizeof *w->index * w->count);
  append(w, &t, sizeof t);
}

/* A name is on the disk when its folder is. File systems that cannot sync a folder do so themselves. */
static int sync_folder(const char *path) {
  char folder[CST_SNAPSHOT_PATH];
  int  file = open(snapshot_folder(path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return errno;
  int error = fsync(file) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  close(file);
  return error;
}

/* Brings the file and its name to the disk; returns the error of the step that failed, else 0. */
static int settle(cst_snapshot_writer *w, const char *name) {
  if (!w->error && (fflush(w->file) || fsync(fileno(w->file))))
    w->error = errno;
  if (fclose(w->file) && !w->error)
    w->error = errno;
  w->file = NULL;
  if (!w->error && renameat2(AT_FDCWD, w->file_name, AT_FDCWD, name, RENAME_NOREPLACE) &&
      (errno != EINVAL || rename(w->file_name, name)))
    w->error = errno;
  if (w->error)
    return w->error;
  int error = sync_folder(w->owner.path);
  if (error)
    unlink(name);
  return error;
}

bool cst_snapshot_commit(cst_snapshot_writer *w, long keep, char *why, int n) {
  char name[CST_SNAPSHOT_PATH];
  put_index(w);
  int error = settle(w, cst_snapshot_name(w->owner.path, w->number, name));
  if (error)
    snprintf(why, (size_t)n, "%.400s cannot be written: %s", name, strerror(error));
  else
    remove_old(&w->owner, w->number, keep);
  cst_snapshot_abandon(w);
  return !error;
}

void cst_snapshot_abandon(cst_snapshot_writer *w) {
  if (!w)
    return;
  if (w->file)
    fclose(w->file);
  unlink(w->file_name);
  free(w->index);
  free(w);
}
