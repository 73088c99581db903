/* generate.c: a program of the build that generates the C kernels of the catalogue's systems.
 *
 *   generate OUTDIR FILE.yaml ...
 *
 * writes OUTDIR/NAME.h for each system (see emit-header.c), OUTDIR/catalogue-data.c (the texts and the
 * tables of compiled kernels) and OUTDIR/catalogue.list.h (SYSTEM(id) lines). A mistake in a description
 * stops the build.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "system/internal.h"

static FILE *create(const char *folder, const char *name, const char *suffix) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
  FILE *f = fopen(path, "w");
  if (f)
    return f;
  fprintf(stderr, "%s: error: %s\n", path, strerror(errno));
  exit(1);
}

static void finish(FILE *f) {
  const bool wrong = ferror(f);
  if (!fclose(f) && !wrong)
    return;
  fprintf(stderr, "generate: error: cannot write: %s\n", strerror(errno));
  exit(1);
}

/* The system's name as a C identifier; static memory. */
static const char *id_of(const cst_system *s) {
  static char id[256];
  snprintf(id, sizeof id, "%s", s->name);
  for (char *c = id; *c; c++)
    if (*c == '-')
      *c = '_';
  return id;
}

static void write_header(const char *folder, const cst_system *s) {
  FILE *f = create(folder, s->name, ".h");
  fprintf(f, "/* %s.h: written by generate from %s.yaml; not to be edited. */\n", s->name, s->name);
  cst_system_emit(s, id_of(s), f);
  finish(f);
}

/* The text as numbers, since compilers limit the length of a string literal. */
static void write_text(FILE *f, const cst_system *s) {
  fprintf(f, "static const char text_%s[] = {", id_of(s));
  for (const char *c = s->description->text; *c; c++) {
    const bool last = (c - s->description->text) % 32 == 31;
    fprintf(f, "%d,", *(const signed char *)c);
    if (last)
      fputs("\n", f);
  }
  fprintf(f, "0};\n");
}

static void write_catalogue(const char *folder, cst_system *const *s, int n) {
  FILE *f = create(folder, "catalogue-data", ".c");
  fprintf(f, "/* catalogue-data.c: written by generate; not to be edited. */\n#include "
             "\"system/internal.h\"\n");
  for (int i = 0; i < n; i++) {
    write_text(f, s[i]);
  }
  fprintf(f,
          "const int cst_catalogue_count = %d;\nconst cst_catalogue_entry cst_catalogue_entries[] "
          "= {\n",
          n);
  for (int i = 0; i < n; i++) {
    fprintf(f, "{\"%s\", text_%s},\n", s[i]->name, id_of(s[i]));
  }
  fprintf(f, "};\n");
  finish(f);
}

static void write_list(const char *folder, cst_system *const *s, int n) {
  FILE *f = create(folder, "catalogue.list", ".h");
  for (int i = 0; i < n; i++)
    fprintf(f, "SYSTEM(%s)\n", id_of(s[i]));
  finish(f);
}

/* The file of a catalogue system must have the system's name. */
static void check_name(const char *path, const cst_system *s, cst_diag *d) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  size_t      n = strlen(s->name);
  if (strncmp(base, s->name, n) || strcmp(base + n, ".yaml"))
    cst_diag_add(d, path, 1, 1, "the system is '%s'; its file must be %s.yaml", s->name, s->name);
}

static cst_system *read_file(const char *path, cst_diag *d) {
  char  *text;
  size_t length;
  if (!cst_document_read_file(path, &text, &length, d))
    return NULL;
  cst_system *s = cst_system_read(path, text, length, NULL, 0, d);
  if (s)
    check_name(path, s, d);
  free(text);
  return s;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: generate OUTDIR FILE.yaml ...\n");
    return 2;
  }
  int          n = argc - 2;
  cst_diag    *d = cst_diag_create();
  cst_system **s = cst_zeros(n, sizeof *s);
  for (int i = 0; i < n; i++)
    s[i] = read_file(argv[2 + i], d);
  cst_diag_print(d, stderr);
  bool good = !cst_diag_count(d);
  for (int i = 0; good && i < n; i++)
    write_header(argv[1], s[i]);
  if (good) {
    write_catalogue(argv[1], s, n);
    write_list(argv[1], s, n);
  }
  for (int i = 0; i < n; i++)
    cst_system_destroy(s[i]);
  free(s);
  cst_diag_destroy(d);
  return !good;
}
