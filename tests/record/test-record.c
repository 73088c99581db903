/* test-record.c: writing and reading result files. ranks: 1 2 3 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define TAP_MPI
#include "tap.h"
#include "demo.h"
#include "record/agree.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int  rank, size;
static char folder[512], file[600], why[256];

static const char *in_folder(const char *name) {
  snprintf(file, sizeof file, "%s/%s", folder, name);
  return file;
}

static bool exists(const char *path) {
  struct stat s;
  return !lstat(path, &s);
}

static void write_demo(void) {
  cst_record *r = demo_create(MPI_COMM_WORLD, in_folder("demo.h5"), why, sizeof why);
  OK(r != NULL, "a file is created%s%s", r ? "" : ": ", r ? "" : why);
  OK(!*cst_record_error(r), "attributes are written %s", cst_record_error(r));
  bool ok = true, same = true;
  for (long i = 0; i < NCASE * NMEMBER; i++)
    if (i % size == rank && i != 7)
      ok = demo_write_row(r, i / NMEMBER, i % NMEMBER) && ok;
  OK(ok, "rows are written independently, those of zero length too");
  ok = true;
  for (long c = 0; c < NCASE; c++)
    if (c % size == rank)
      ok = demo_write_statistics(r, c) && ok;
  double period = 6.25;
  if (rank == 0)
    ok = cst_record_write(r, SCALAR, NULL, NULL, &period) && ok;
  OK(ok, "text, numbers and a scalar are written");
  for (long i = rank; i < NCASE * NMEMBER; i += size) {
    double q[NCOORDINATE];
    long   start[3] = {i / NMEMBER, i % NMEMBER, 0}, count[3] = {1, 1, NCOORDINATE};
    ok = cst_record_read(r, FINAL_Q, start, count, q) && ok;
    for (int k = 0; k < NCOORDINATE; k++)
      same = same && (i == 7 ? isnan(q[k]) : q[k] == demo_q(start[0], start[1], k));
  }
  OK(ok && same, "a rank reads back what it wrote, and NaN where nothing was written");
  OK(cst_record_close(r, "complete", NULL, NULL, 0), "the file is closed");
}

static void read_numbers(cst_result *r) {
  int     ndim;
  long    e[CST_FIELD_DIMS];
  double *q = cst_result_read(r, "/final/q", &ndim, e);
  bool    same = q && ndim == 3 && e[0] == NCASE && e[1] == NMEMBER && e[2] == NCOORDINATE;
  for (long i = 0; same && i < NCASE * NMEMBER; i++)
    for (int k = 0; k < NCOORDINATE; k++) {
      double x = q[i * NCOORDINATE + k];
      same = same && (i == 7 ? isnan(x) : x == demo_q(i / NMEMBER, i % NMEMBER, k));
    }
  OK(same, "/final/q: every row right, the one never written NaN");
  free(q);
  double *s = cst_result_read(r, "/final/status", &ndim, e);
  OK(s && ndim == 2 && s[0] == 0 && s[7] == -1 && s[21] == 3, "int8: 0, 3 and the fill value -1");
  free(s);
  double *n = cst_result_read(r, "/counts/steps", &ndim, e);
  OK(n && n[29] == 1000000000005 && n[7] == -1, "int64 with fill value -1");
  free(n);
  double *l = cst_result_read(r, "/final/lambda", &ndim, e);
  OK(l && ndim == 3 && e[2] == 0, "a field of size 0 keeps its shape");
  free(l);
  double *p = cst_result_read(r, "/constants/period", &ndim, e);
  OK(p && ndim == 0 && *p == 6.25, "a scalar");
  free(p);
  OK(!cst_result_read(r, "/final/none", &ndim, e) && !cst_result_read(r, "/final", &ndim, e),
     "no numbers: absent, or a group");
  OK(!cst_result_read(r, "/statistics/method", &ndim, e), "no numbers from text");
}

static void read_text(cst_result *r) {
  long rows = 0;
  char(*m)[CST_TEXT_WIDTH + 1] = cst_result_read_text(r, "/statistics/method", &rows);
  bool same = m && rows == NCASE;
  for (int c = 0; same && c < NCASE; c++)
    same = !strcmp(m[c], demo_methods[c]);
  OK(same, "text of every case");
  free(m);
  char(*x)[CST_TEXT_WIDTH + 1] = cst_result_read_text(r, "/coordinate", &rows);
  OK(x && rows == NCOORDINATE && !strcmp(x[2], demo_coordinates[2]), "labels of a scale, UTF-8");
  free(x);
  OK(!cst_result_read_text(r, "/final/q", &rows), "no text from numbers");
  char *study = cst_result_text(r, "/", "study"), *state = cst_result_text(r, "/run", "state"),
       *unit = cst_result_text(r, "/final/q", "units");
  OK(study && !strcmp(study, "study: order\ntitle: größer\n"), "an attribute of the root");
  OK(state && !strcmp(state, "complete") && !strcmp(cst_result_state(r), "complete"),
     "the state was changed in place");
  OK(unit && !strcmp(unit, "m"), "the unit of a field");
  free(study), free(state), free(unit);
  OK(!cst_result_text(r, "/", "none") && !cst_result_text(r, "/none", "x") &&
         !cst_result_text(r, "/run", "pid"),
     "no text: absent, or a number");
  double x1 = 0;
  OK(cst_result_number(r, "/run", "ranks", &x1) && x1 == 2 &&
         !cst_result_number(r, "/run", "state", &x1),
     "numbers of /run");
  OK(cst_result_number(r, "/run", "pid", &x1) && x1 > 1, "the process of rank 0 is on record");
}

static void read_list(cst_result *r) {
  char(*list)[96];
  int  n = cst_result_list(r, "/statistics", &list);
  bool same = n == S_MOMENTUM - S_SYSTEM + 1;
  for (int i = 0; same && i < n; i++)
    same = !strcmp(list[i], demo_field[S_SYSTEM + i].path);
  OK(same, "datasets are listed in the order of creation");
  free(list);
  n = cst_result_list(r, "/", &list);
  OK(n == DEMO_DIMENSIONS && !strcmp(list[0], "/case") && !strcmp(list[4], "/window"),
     "the root lists its scales, no groups");
  free(list);
  n = cst_result_list(r, "/none", &list);
  OK(n == 0, "an absent group lists nothing");
  free(list);
}

static void attributes_grow(void) {
  cst_record *r = demo_begin(MPI_COMM_WORLD, in_folder("attributes.h5"), why, sizeof why);
  char        name[32], *text = malloc(200001);
  memset(text, 'y', 200000), text[200000] = 0;
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "name-%d", i);
    cst_record_attribute(r, "/run", name, name);
    cst_record_number(r, "/run/deeper", name, i);
  }
  cst_record_attribute(r, "/", "study", text);
  cst_record_attribute(r, "/", "empty", "");
  cst_record_number(r, "/run", "ranks", 7);
  OK(!*cst_record_error(r) && cst_record_close(r, "interrupted", NULL, NULL, 0),
     "many attributes, a long and an empty one, and one replaced");
  cst_result *f = cst_result_open(file, why, sizeof why);
  double      x = 0;
  char       *study = cst_result_text(f, "/", "study"), *empty = cst_result_text(f, "/", "empty"),
       *last = cst_result_text(f, "/run", "name-39");
  OK(study && !strcmp(study, text) && empty && !*empty && last && !strcmp(last, "name-39"),
     "they are read back");
  OK(cst_result_number(f, "/run", "ranks", &x) && x == 7 &&
         cst_result_number(f, "/run/deeper", "name-7", &x) && x == 7,
     "numbers too");
  OK(!strcmp(cst_result_state(f), "interrupted"), "the state of an interrupted run");
  free(study), free(empty), free(last), free(text);
  cst_result_close(f);
}

/* Called on one rank, as by the program, because it may make a file for a moment. */
static bool refused(const char *name, bool overwrite, const char *word) {
  if (rank > 0)
    return true;
  const char *text = cst_record_refuse(name, overwrite);
  NOTE("%s: %s", name, text ? text : "(accepted)");
  return word ? text && strstr(text, word) : !text;
}

static bool note_is(const char *name, const char *wanted) {
  cst_result *r = cst_result_open(file, why, sizeof why);
  char       *text = r ? cst_result_text(r, "/run", name) : NULL;
  bool        same = text && !strcmp(text, wanted);
  free(text);
  cst_result_close(r);
  return same;
}

/* Opening the file must fail with this message and leave the file unchanged. */
static void not_taken_up(const cst_dimension *d, const cst_field *f, int nfield, const char *word) {
  cst_record *r = cst_record_open(MPI_COMM_WORLD, file, DEMO_TOKEN, d, DEMO_DIMENSIONS, f, nfield,
                                  why, sizeof why);
  OK(!r && strstr(why, word) && note_is("state", "interrupted"), "refused: %s", r ? "no" : why);
}

static void differences(void) {
  cst_dimension d[DEMO_DIMENSIONS];
  cst_field     f[DEMO_FIELDS + 1];
  memcpy(f, demo_field, sizeof demo_field);
  f[DEMO_FIELDS] = demo_field[SCALAR];
#define AFRESH (memcpy(d, demo_dimension, sizeof d), memcpy(f, demo_field, sizeof demo_field))
  AFRESH, d[MEMBER].size = 6;
  not_taken_up(d, f, DEMO_FIELDS, "/member has the extents 5, not 6");
  AFRESH, d[CASE].label = demo_methods;
  not_taken_up(d, f, DEMO_FIELDS, "/case is of another type");
  AFRESH, strcpy(d[WINDOW].name, "windows");
  not_taken_up(d, f, DEMO_FIELDS, "/windows is not there");
  AFRESH, f[FINAL_Q].dim[2] = CONSTRAINT;
  not_taken_up(d, f, DEMO_FIELDS, "/final/q has the extents 6 x 5 x 4, not 6 x 5 x 0");
  AFRESH, f[FINAL_Q].ndim = 0;
  not_taken_up(d, f, DEMO_FIELDS, "/final/q has the extents 6 x 5 x 4, not a scalar");
  AFRESH, f[COUNT_STEPS].type = CST_TYPE_I32;
  not_taken_up(d, f, DEMO_FIELDS, "/counts/steps is of another type");
  AFRESH, strcpy(f[DEMO_FIELDS].path, "/final/v");
  not_taken_up(d, f, DEMO_FIELDS + 1, "/final/v is not there");
#undef AFRESH
}

static bool size_is(off_t wanted) {
  struct stat s;
  return !stat(file, &s) && s.st_size == wanted;
}

static bool error_has(const cst_record *r, const char *word) {
  return rank > 0 || strstr(cst_record_error(r), word);
}

/* Changes that are allowed after the first flush, and those that are not. */
static void sealed(cst_record *r) {
  char long_text[601];
  for (int i = 0; i < 600; i += 2)
    memcpy(long_text + i, "ö", 3);
  long_text[0] = 'o', long_text[1] = '.',
  memmove(long_text + 1, long_text + 2, 599); /* an odd number of bytes before the cut */
  cst_record_text(r, "/run", "finished", long_text);
  cst_record_number(r, "/run", "ranks", 17);
  cst_record_flush(r);
  OK(!*cst_record_error(r), "fixed texts and numbers change %s", cst_record_error(r));
  long_text[255] = 0;
  OK(note_is("finished", long_text),
     "and are on disk; a long text is cut at the border of a character");
  cst_record_text(r, "/run", "unheard", "x");
  OK(error_has(r, "unheard of /run: is not a fixed text that was there"), "none is made: %s",
     cst_record_error(r));
  cst_record_number(r, "/run", "finished", 1);
  OK(error_has(r, "finished of /run: is not a number"), "no text becomes a number: %s",
     cst_record_error(r));
  cst_record_text(r, "/run", "started", "x");
  OK(error_has(r, "started of /run"), "text of any length stays: %s", cst_record_error(r));
  cst_record_attribute(r, "/run", "finished", "x");
  OK(error_has(r, "any length"), "and is not written: %s", cst_record_error(r));
  cst_record_text(r, "/", "schema", "x");
  OK(error_has(r, "schema of /"), "nor is anything outside /run: %s", cst_record_error(r));
}

static void taken_up(void) {
  in_folder("demo.h5");
  OK(!cst_record_open(MPI_COMM_WORLD, file, DEMO_TOKEN, demo_dimension, DEMO_DIMENSIONS, demo_field,
                      DEMO_FIELDS, why, sizeof why),
     "a complete file: %s", why);
  cst_record *r = demo_create(MPI_COMM_WORLD, in_folder("again.h5"), why, sizeof why);
  bool        ok = true, same = true;
  struct stat s;
  for (long i = rank; i < 12; i += size)
    ok = demo_write_row(r, i / NMEMBER, i % NMEMBER) && ok;
  OK(ok && cst_record_close(r, "interrupted", NULL, NULL, 0), "twelve rows, and the run stops");
  OK(refused(file, false,
             "exists (interrupted, 12 of 30 trajectories done); --resume continues it"),
     "which is said where it is in the way");
  differences();
  MPI_Barrier(MPI_COMM_WORLD);
  stat(file, &s);
  r = cst_record_open(MPI_COMM_WORLD, file, DEMO_TOKEN, demo_dimension, DEMO_DIMENSIONS, demo_field,
                      DEMO_FIELDS, why, sizeof why);
  OK(r && note_is("state", "running"), "it is taken up%s%s", r ? "" : ": ", r ? "" : why);
  double q[NCOORDINATE];
  long   start[3] = {2, 1, 0}, count[3] = {1, 1, NCOORDINATE};
  OK(cst_record_read(r, FINAL_Q, start, count, q) && q[3] == demo_q(2, 1, 3), "its rows are there");
  for (long i = 12 + rank; i < NCASE * NMEMBER; i += size)
    ok = demo_write_row(r, i / NMEMBER, i % NMEMBER) && ok;
  OK(ok && cst_record_sync(r, why, sizeof why), "the others are written, and are on disk %s",
     cst_record_error(r));
  sealed(r);
  OK(cst_record_close(r, "complete", NULL, NULL, 0) && size_is(s.st_size),
     "the file has the size that it had");
  cst_result *g = cst_result_open(file, why, sizeof why);
  int         ndim;
  long        e[CST_FIELD_DIMS], done = 0, total = 0;
  double     *x = cst_result_read(g, "/final/q", &ndim, e);
  for (long i = 0; i < NCASE * NMEMBER; i++)
    same = same && x && x[i * NCOORDINATE + 1] == demo_q(i / NMEMBER, i % NMEMBER, 1);
  OK(same && cst_result_progress(g, &done, &total) && done == 30 && total == 30,
     "all rows of both runs are right");
  free(x);
  cst_result_close(g);
}

static void not_ours(void) {
  cst_record *r = cst_record_create(MPI_COMM_WORLD, in_folder("old.h5"), DEMO_TOKEN, demo_dimension,
                                    1, NULL, 0, why, sizeof why);
  cst_record_attribute(r, "/run", "host", "of any length");
  OK(cst_record_close(r, "interrupted", NULL, NULL, 0), "one whose host is a text of any length");
  r = cst_record_open(MPI_COMM_WORLD, file, DEMO_TOKEN, demo_dimension, 1, NULL, 0, why,
                      sizeof why);
  OK(!r && strstr(why, "another version"), "is not taken up: %s", why);
  r = cst_record_open(MPI_COMM_WORLD, in_folder("none.h5"), DEMO_TOKEN, demo_dimension, 1, NULL, 0,
                      why, sizeof why);
  OK(!r && strstr(why, "No such file"), "nor is none: %s", why);
}

/* The file is removed or replaced during the run: it is kept beside its name. */
static void pulled_away(void) {
  char        kept[4096];
  cst_record *r = demo_create(MPI_COMM_WORLD, in_folder("gone.h5"), why, sizeof why);
  OK(cst_record_sync(r, why, sizeof why) && cst_record_is_named(r), "a file is synchronised");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    unlink(file);
  MPI_Barrier(MPI_COMM_WORLD);
  OK(!cst_record_is_named(r), "one that was removed has no name");
  FILE *f = rank == 0 ? fopen(file, "w") : NULL;
  if (f)
    fclose(f);
  MPI_Barrier(MPI_COMM_WORLD);
  OK(!cst_record_is_named(r), "nor has one that was replaced");
  OK(cst_record_close(r, "interrupted", kept, NULL, 0) && strstr(kept, "gone-kept.h5"),
     "when it is closed, it is kept as %s", kept);
  cst_result *copy = cst_result_open(kept, why, sizeof why);
  OK(copy && !strcmp(cst_result_state(copy), "interrupted"), "which can be read: %s", why);
  cst_result_close(copy);
}

static void misuse(void) {
  cst_dimension d[2] = {{"case", 2, "c", NULL}, {"member", 0, "m", NULL}};
  cst_field     f = {"/case/system", CST_TYPE_TEXT, 1, {0}, "1", "x", NULL};
  in_folder("misuse.h5");
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why) &&
         strstr(why, "/case is the scale"),
     "a group under a scale: %s", why);
  strcpy(f.path, "nothing");
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why),
     "a path without /: %s", why);
  strcpy(f.path, "/a/b"), f.dim[0] = 2;
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why),
     "a dimension out of range: %s", why);
  cst_field twice[2] = {{"/a/b", CST_TYPE_I8, 1, {0}, "1", "x", NULL},
                        {"/a/b", CST_TYPE_I8, 1, {0}, "1", "x", NULL}};
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, twice, 2, why, sizeof why) &&
         !exists(file),
     "a field twice: %s", why);
  strcpy(twice[1].path, "/a/b/c");
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, twice, 2, why, sizeof why) &&
         !exists(file),
     "a failure half-way: %s", why);
  cst_record *r =
      cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, twice, 1, why, sizeof why);
  long        start = 1, count = 2;
  signed char x[2] = {0, 0};
  OK(r && !cst_record_write(r, 0, &start, &count, x), "a block beyond the end: %s",
     r ? cst_record_error(r) : why);
  OK(!cst_record_write(r, 1, &start, &count, x), "a field that is none: %s", cst_record_error(r));
  count = 1;
  OK(cst_record_write(r, 0, &start, &count, x) && cst_record_close(r, "complete", NULL, NULL, 0),
     "and the file goes on after that");
}

static void no_room(void) {
  cst_dimension d[2] = {{"case", 1 << 17, "c", NULL}, {"member", 64, "m", NULL}};
  cst_field     f = {"/final/q", CST_TYPE_F64, 2, {0, 1}, "m", "x", NULL};
  in_folder("room.h5");
  OK(!cst_record_create(MPI_COMM_WORLD, "/proc/none.h5", DEMO_TOKEN, d, 2, &f, 1, why, sizeof why),
     "a folder that cannot be written: %s", why);
  OK(!cst_record_create(MPI_COMM_WORLD, "/dev/full", DEMO_TOKEN, d, 2, &f, 1, why, sizeof why) &&
         exists("/dev/full"),
     "a device: %s", why);
  struct rlimit old, low;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  low = old, low.rlim_cur = 1 << 22;
  setrlimit(RLIMIT_FSIZE, &low);
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why) &&
         !exists(file),
     "no room for 64 MiB: %s", why);
  setrlimit(RLIMIT_FSIZE, &old);
  d[0].size = 1L << 50;
  OK(!cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why) &&
         !exists(file),
     "no room for 2^59 bytes: %s", why);
  d[0].size = 1 << 17;
  double      t = MPI_Wtime(), x[64] = {1};
  cst_record *r = cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, d, 2, &f, 1, why, sizeof why);
  OK(r != NULL, "64 MiB of fill values");
  NOTE("in %.2f s", MPI_Wtime() - t);
  long start[2] = {(1 << 17) - 1, 0}, count[2] = {1, 64};
  bool ok = cst_record_read(r, 0, start, count, x);
  for (int i = 0; i < 64; i++)
    ok = ok && isnan(x[i]);
  OK(ok && cst_record_flush(r), "the last row is NaN");
  setrlimit(RLIMIT_FSIZE, &low);
  OK(!cst_record_write(r, 0, start, count, x), "a write that fails says so: %s",
     cst_record_error(r));
  setrlimit(RLIMIT_FSIZE, &old);
  OK(cst_record_write(r, 0, start, count, x) && cst_record_close(r, "complete", NULL, NULL, 0),
     "and succeeds later");
}

/* Rank 0 alone writes before the first flush, in which the others wait. */
static void no_room_at_first(void) {
  cst_dimension d = {"case", 3, "c", NULL};
  cst_field     f = {"/final/q", CST_TYPE_F64, 1, {0}, "m", "x", NULL};
  in_folder("first.h5");
  cst_record *r =
      cst_record_create(MPI_COMM_WORLD, file, DEMO_TOKEN, &d, 1, &f, 1, why, sizeof why);
  struct rlimit old, low;
  getrlimit(RLIMIT_FSIZE, &old);
  low = old, low.rlim_cur = 1;
  int          rank;
  const long   start = 0, count = 3;
  const double x[3] = {1, 2, 3};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setrlimit(RLIMIT_FSIZE, &low);
  const bool written = rank > 0 || cst_record_write(r, 0, &start, &count, x);
  setrlimit(RLIMIT_FSIZE, &old);
  OK(written && !cst_record_flush(r) && !exists(file),
     "a write that fails before the first flush ends it on all ranks: %s", cst_record_error(r));
  cst_record_close(r, "interrupted", NULL, NULL, 0);
}

static void many_fields(void) {
  enum { MANY = 300 };
  cst_dimension d = {"case", 3, "c", NULL};
  cst_field    *f = calloc(MANY, sizeof *f);
  for (int k = 0; k < MANY; k++) {
    f[k] = (cst_field){.type = CST_TYPE_F64, .ndim = 1, .unit = "1", .doc = "one of many"};
    snprintf(f[k].path, sizeof f[k].path, "/many/x%d", (k * 7) % MANY);
  }
  double      t = MPI_Wtime();
  cst_record *r = cst_record_create(MPI_COMM_WORLD, in_folder("many.h5"), DEMO_TOKEN, &d, 1, f,
                                    MANY, why, sizeof why);
  OK(r && cst_record_close(r, "complete", NULL, NULL, 0), "%d fields", MANY);
  NOTE("in %.2f s", MPI_Wtime() - t);
  cst_result *g = cst_result_open(file, why, sizeof why);
  char(*list)[96];
  int  n = cst_result_list(g, "/many", &list);
  bool same = n == MANY;
  for (int k = 0; same && k < MANY; k++)
    same = !strcmp(list[k], f[k].path);
  OK(same, "in the order of creation");
  free(list), free(f);
  cst_result_close(g);
}

static void refusals(void) {
  OK(refused(in_folder("new.h5"), false, NULL) && refused("new-in-this-folder.h5", false, NULL),
     "a new name is accepted");
  OK(refused(in_folder("demo.h5"), false, "exists (complete); --overwrite replaces it"),
     "an old file is refused");
  OK(refused(in_folder("demo.h5"), true, NULL), "an old file may be replaced when asked");
  OK(refused(folder, true, "is a folder") && refused("x/", true, "folder"), "a folder is refused");
  OK(refused(in_folder("none/x.h5"), true, "No such file"), "a missing folder is refused");
  OK(refused(in_folder("demo.h5/x.h5"), true, "not a folder"), "a file as folder is refused");
  OK(refused("/dev/null", true, "regular") && refused("", true, "empty"),
     "a device and an empty name are refused");
}

static void not_results(void) {
  FILE *f;
  OK(!cst_result_open(in_folder("none.h5"), why, sizeof why) && strstr(why, "No such"),
     "no file: %s", why);
  OK(!cst_result_open(folder, why, sizeof why), "a folder: %s", why);
  in_folder("text.h5");
  if (rank == 0 && (f = fopen(file, "w")))
    fputs("hello\n", f), fclose(f);
  MPI_Barrier(MPI_COMM_WORLD);
  OK(!cst_result_open(file, why, sizeof why) && strstr(why, "not a Constella result"), "a text: %s",
     why);
  OK(refused(file, false, "exists and is not a Constella result; --overwrite") &&
         refused(file, true, NULL),
     "which may be replaced");
}

/* The last rank has the text of the others, or less of it, or more, or another line. */
static void agreement(void) {
  static const char *const texts[] = {"a: 1\nb: 2\n", "a: 1\n", "a: 1\nb: 2\nc: 3\n",
                                      "a: 1\nb: 3\n"};
  for (int i = 0; i < 4; i++) {
    const bool alike =
        cst_agree_on(MPI_COMM_WORLD, texts[rank && rank == size - 1 ? i : 0], why, sizeof why);
    OK(alike == (!i || size == 1), "text %d of the last of %d ranks: %s", i, size,
       alike ? "alike" : why);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/constella-record-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  write_demo();
  cst_result *r = cst_result_open(in_folder("demo.h5"), why, sizeof why);
  if (OK(r != NULL, "a result is opened"))
    read_numbers(r), read_text(r), read_list(r);
  cst_result_close(r);
  attributes_grow();
  taken_up();
  not_ours();
  pulled_away();
  misuse();
  no_room();
  no_room_at_first();
  many_fields();
  refusals();
  not_results();
  agreement();
  MPI_Barrier(MPI_COMM_WORLD);
  static const char *const made[] = {"demo.h5", "attributes.h5", "misuse.h5", "room.h5",
                                     "many.h5", "text.h5",       "again.h5",  "old.h5",
                                     "gone.h5", "gone-kept.h5"};
  for (int i = 0; rank == 0 && i < 10; i++)
    unlink(in_folder(made[i]));
  OK(rank || !rmdir(folder), "nothing else was left behind");
  int bad = tap_done();
  MPI_Finalize();
  return bad;
}
