/* write-demo.c: writes the file of demo.h for other tests: write-demo PATH MODE.
 * complete, interrupted: everything, then closed in that state. linger: half of it, then the line "ready PID"
 * and sleep, to be read or killed. busy: many rows and attributes written without end after "ready", to be
 * killed; again: that file opened, written and closed without end; check: look at what that left. elsewhere:
 * as left by a run of another host, in its third attempt. checkpoint N: one of that number beside PATH.
 * many: so many fields that the list of their scale is longer than 64 KiB. refuse: print what cst_record_refuse says.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "demo.h"
#include "record/snapshot.h"
#include <unistd.h>

enum { BUSY = 8000, WIDE = 32, NOTES = 24 };

static const cst_dimension busy_dimension[2] = {{"case", BUSY, "row", NULL},
                                                {"coordinate", WIDE, "column", NULL}};
static const cst_field busy_field[3] = {{"/final/x", CST_TYPE_F64, 2, {0, 1}, "1", "numbers", NULL},
                                        {"/final/status", CST_TYPE_I8, 1, {0}, "1", "mark", NULL},
                                        {"/run/speed", CST_TYPE_F64, 1, {0}, "1/s", "speed", NULL}};

/* A row of x, then its mark: what a run does with a finished trajectory and its status. */
static bool busy_row(cst_record *r, long i) {
  double      x[WIDE];
  signed char done = 0;
  long        start[2] = {i, 0}, count[2] = {1, WIDE};
  for (int k = 0; k < WIDE; k++)
    x[k] = (double)(i * WIDE + k);
  return cst_record_write(r, 0, start, count, x) && cst_record_write(r, 1, start, count, &done);
}

/* Texts and numbers of /run, more than in a run; of every length, so that a write interrupted by a kill would
 * show. */
static void busy_notes(cst_record *r, long turn) {
  char name[32], text[CST_NOTE_WIDTH + 1];
  memset(text, 'a' + (int)(turn % 26), sizeof text);
  text[turn % CST_NOTE_WIDTH] = 0;
  for (int k = 0; k < NOTES; k++) {
    snprintf(name, sizeof name, "note-%d", k);
    cst_record_text(r, "/run", name, text);
    snprintf(name, sizeof name, "number-%d", k);
    cst_record_number(r, "/run", name, (double)turn);
  }
  cst_record_flush(r);
}

static int busy(const char *path) {
  char        why[256];
  cst_record *r = cst_record_create(MPI_COMM_WORLD, path, DEMO_TOKEN, busy_dimension, 2, busy_field,
                                    3, why, sizeof why);
  if (!r)
    return fprintf(stderr, "write-demo: %s\n", why), 1;
  cst_record_attribute(r, "/", "study", "one that is killed");
  cst_record_attribute(r, "/run", "command", "write-demo");
  busy_notes(r, 0);
  puts("ready"), fflush(stdout);
  for (long i = 0; !*cst_record_error(r); i++) {
    for (long k = 0; k < 10; k++)
      busy_row(r, (10 * i + k) % BUSY);
    busy_notes(r, i);
  }
  return fprintf(stderr, "write-demo: %s\n", cst_record_error(r)), 1;
}

static int again(const char *path) {
  char why[256];
  for (long turn = 0;; turn++) {
    cst_record *r = cst_record_open(MPI_COMM_WORLD, path, DEMO_TOKEN, busy_dimension, 2, busy_field,
                                    3, why, sizeof why);
    if (!r)
      return fprintf(stderr, "write-demo: %s\n", why), 1;
    if (turn == 0)
      puts("ready"), fflush(stdout);
    for (long k = 0; k < 10; k++)
      busy_row(r, (BUSY / 2 + 10 * turn + k) % BUSY);
    busy_notes(r, turn);
    bool ok = cst_record_sync(r, why, sizeof why) && !*cst_record_error(r);
    if (!ok)
      fprintf(stderr, "write-demo: %s %s\n", why, cst_record_error(r));
    if (!cst_record_close(r, "interrupted", NULL, NULL, 0) || !ok)
      return 1;
  }
}

/* Every dataset of the group, and the texts of /run, can be read. */
static bool readable(cst_result *r, const char *group) {
  char(*list)[96];
  int  n = cst_result_list(r, group, &list), ndim;
  long e[CST_FIELD_DIMS];
  bool ok = n > 0;
  for (int i = 0; i < n; i++) {
    double *x = cst_result_read(r, list[i], &ndim, e);
    ok = ok && x;
    free(x);
  }
  free(list);
  for (int k = 0; k < NOTES; k++) {
    char   name[32];
    double x;
    snprintf(name, sizeof name, "note-%d", k);
    char *text = cst_result_text(r, "/run", name);
    snprintf(name, sizeof name, "number-%d", k);
    ok = ok && text && cst_result_number(r, "/run", name, &x);
    free(text);
  }
  return ok;
}

static int check(const char *path) {
  char        why[256];
  int         ndim;
  long        e[CST_FIELD_DIMS], done = 0, wrong = 0;
  cst_result *r = cst_result_open(path, why, sizeof why);
  if (!r)
    return fprintf(stderr, "write-demo: %s\n", why), 1;
  double *x = cst_result_read(r, "/final/x", &ndim, e),
         *s = cst_result_read(r, "/final/status", &ndim, e);
  for (long i = 0; x && s && i < BUSY * WIDE; i++) {
    bool finished = s[i / WIDE] == 0;
    done += finished && i % WIDE == 0;
    wrong += finished ? x[i] != (double)i : x[i] != (double)i && !isnan(x[i]);
  }
  const bool readable_all = readable(r, "/") && readable(r, "/final") && readable(r, "/run");
  const bool right = x && s && !wrong;
  free(x);
  free(s);
  cst_result_close(r);
  if (!readable_all)
    puts("something cannot be read");
  else if (right)
    printf("%ld rows right\n", done);
  else
    printf("%ld numbers wrong of %ld rows\n", wrong, done);
  return readable_all && right ? 0 : 1;
}

static int elsewhere(const char *path) {
  char        why[256];
  cst_record *r = demo_begin(MPI_COMM_WORLD, path, why, sizeof why);
  if (!r)
    return fprintf(stderr, "write-demo: %s\n", why), 1;
  cst_record_text(r, "/run", "host", "elsewhere");
  cst_record_number(r, "/run", "attempts", 3);
  cst_record_flush(r);
  _exit(0);
}

static int checkpoint(const char *path, long number) {
  char               why[256], *bytes = calloc(1, 2000000);
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, path, "");
  cst_snapshot_writer *w = cst_snapshot_begin(&owner, number, why, sizeof why);
  bool                 ok = w && cst_snapshot_add(w, "zeros", bytes, 2000000);
  ok = w && cst_snapshot_commit(w, 0, why, sizeof why) && ok;
  if (!ok)
    fprintf(stderr, "write-demo: the checkpoint %s\n", why);
  free(bytes);
  return !ok;
}

/* All of their dimensions have the same scale. */
static int many(const char *path) {
  enum { MANY = 1100 };
  char                why[256];
  const cst_dimension d = {"case", 1, "c", NULL};
  cst_field          *f = calloc(MANY, sizeof *f);
  for (int k = 0; k < MANY; k++) {
    f[k] = (cst_field){.type = CST_TYPE_I8, .ndim = 4, .unit = "1", .doc = "one of many"};
    snprintf(f[k].path, sizeof f[k].path, "/many-%d/x%d", k % 2, k);
  }
  cst_record *r =
      cst_record_create(MPI_COMM_WORLD, path, DEMO_TOKEN, &d, 1, f, MANY, why, sizeof why);
  if (r)
    cst_record_attribute(r, f[MANY - 1].path, "role", "the last one");
  const bool ok = r && cst_record_close(r, "complete", NULL, why, sizeof why);
  if (!ok)
    fprintf(stderr, "write-demo: %s\n", why);
  free(f);
  return !ok;
}

static int refuse(const char *path) {
  const char *text = cst_record_refuse(path, true);
  puts(text ? text : "accepted");
  return text != NULL;
}

int main(int argc, char **argv) {
  int  rank, size;
  char why[256];
  if (argc > 2 && !strcmp(argv[2], "check"))
    return check(argv[1]);
  if (argc > 2 && !strcmp(argv[2], "refuse"))
    return refuse(argv[1]);
  if (argc > 3 && !strcmp(argv[2], "checkpoint"))
    return checkpoint(argv[1], strtol(argv[3], NULL, 10));
  MPI_Init(&argc, &argv);
  if (argc > 2 && !strcmp(argv[2], "many"))
    return many(argv[1]);
  if (argc > 2 && !strcmp(argv[2], "elsewhere"))
    return elsewhere(argv[1]);
  if (argc > 2 && !strcmp(argv[2], "busy"))
    return busy(argv[1]);
  if (argc > 2 && !strcmp(argv[2], "again"))
    return again(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool        linger = argc > 2 && !strcmp(argv[2], "linger"), ok = true;
  cst_record *r = argc > 2 ? demo_create(MPI_COMM_WORLD, argv[1], why, sizeof why) : NULL;
  if (!r)
    return fprintf(stderr, "write-demo: %s\n", argc > 2 ? why : "PATH STATE missing"),
           MPI_Abort(MPI_COMM_WORLD, 1);
  for (long i = 0; i < (linger ? 3 : NCASE) * NMEMBER; i++)
    if (i % size == rank)
      ok = demo_write_row(r, i / NMEMBER, i % NMEMBER) && ok;
  for (long c = 0; c < (linger ? 3 : NCASE); c++)
    if (c % size == rank)
      ok = demo_write_statistics(r, c) && ok;
  if (!ok)
    fprintf(stderr, "write-demo: %s\n", cst_record_error(r));
  MPI_Barrier(MPI_COMM_WORLD);
  if (linger) {
    if (rank == 0)
      printf("ready %ld\n", (long)getpid()), fflush(stdout);
    for (;;)
      sleep(1);
  }
  ok = cst_record_close(r, argv[2], NULL, NULL, 0) && ok;
  MPI_Finalize();
  return !ok;
}
