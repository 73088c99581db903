/* test-document.c: every refusal of the YAML layer with its place and message, the canonical text, and the
 * collector of errors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include "core/document.h"
#include "constella/isa.h"
#include "tap.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *printed(const cst_diag *d) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  cst_diag_print(d, f);
  fclose(f);
  return text;
}

/* Parsing `text` (n bytes) prints exactly `expected`. */
static void refused_bytes(const char *text, size_t n, const char *expected) {
  cst_diag     *d = cst_diag_create();
  cst_document *doc = cst_document_parse("f", text, n, d);
  char         *out = printed(d);
  OK(!doc && !strcmp(out, expected), "refused: %.*s", (int)strcspn(expected, "\n"), expected);
  if (strcmp(out, expected))
    NOTE("printed: %s", out);
  free(out);
  cst_document_destroy(doc);
  cst_diag_destroy(d);
}
static void refused(const char *text, const char *expected) {
  refused_bytes(text, strlen(text), expected);
}

static void test_refusals(void) {
  refused("", "f:1:1: error: the file is empty\n");
  refused("# only a comment\n", "f:1:1: error: the file is empty\n");
  refused("---\n", "f:1:1: error: the file is empty\n");
  refused("just words", "f:1:1: error: the file must be a mapping, lines of 'key: value'\n");
  refused("- a\n- b\n", "f:1:1: error: the file must be a mapping, lines of 'key: value'\n");
  refused("a: [1, 2\nb: 3", "f:2:5: error: flow sequence without a closing bracket\n");
  refused("a: \"open", "f:1:5: error: double-quoted scalar without closing quote\n");
  refused("a: 1\nb: 2\na: 3\n", "f:3:1: error: duplicate key 'a'\n");
  refused("a: {x: 1, x: 2}\nb: {y: 1, y: 2}\n",
          "f:1:11: error: duplicate key 'x'\nf:2:11: error: duplicate key 'y'\n2 errors\n");
  refused("a: &x 1\nb: *x\n",
          "f:1:7: error: anchors (&name) are not allowed: write the value out\nf:2:5: "
          "error: aliases (*name) are not "
          "allowed: write the value out\n2 errors\n");
  refused("a: *nope\n", "f:1:5: error: aliases (*name) are not allowed: write the value out\n");
  refused("a: !!int 5\n", "f:1:10: error: tags (!name) are not allowed\n");
  refused("? [k]\n: 3\n", "f:1:3: error: a key must be a word\n");
  refused("a: 1\n\"b\\nc\": 2\n", "f:2:1: error: a key must be one line of at most 200 bytes\n");
  char key[220];
  snprintf(key, sizeof key, "a:\n  %0201d: 1\n", 0);
  refused(key, "f:2:3: error: a key must be one line of at most 200 bytes\n");
  refused("%YAML 9.9\n---\na: 1\n",
          "f:1:1: error: this is not YAML\n"); /* libfyaml 0.7 stops without a message */
  refused("a: 1\n---\nb: 2\n",
          "f:1:1: error: the file holds more than one YAML document; only one is allowed\n");
  refused("a: 1\n---\nb: [2\n", "f:3:6: error: flow sequence without a closing bracket\n");
  refused("a: \xff\n", "f:1:4: error: the file is not UTF-8 text (byte 0xff)\n");
  refused("a: \xc3\xa9\xc3\x28\n", "f:1:5: error: the file is not UTF-8 text (byte 0xc3)\n");
  refused("a: \xe2\x82\x28\n", "f:1:4: error: the file is not UTF-8 text (byte 0xe2)\n");
  refused("a: \xed\xa0\x80\n", "f:1:4: error: the file is not UTF-8 text (byte 0xed)\n");
  refused("a: \xf4\x90\x80\x80\n", "f:1:4: error: the file is not UTF-8 text (byte 0xf4)\n");
  refused("a: 1\nb: \x1b[1m\n",
          "f:2:4: error: control character (byte 0x1b); only text is allowed\n");
  refused_bytes("a: \0b\n", 6,
                "f:1:4: error: control character (byte 0x00); only text is allowed\n");
  refused("a: \"x\\0y\"\n", "f:1:4: error: control character in text (byte 0x00)\n");
  refused("? a:\t- b\n", "f:1:5: error: a tab; blanks are allowed\n");
  refused("a: \"x\\ey\"\n", "f:1:4: error: control character in text (byte 0x1b)\n");
  char deep[4000] = "a: ";
  memset(deep + 3, '[', 2000);
  cst_diag     *d = cst_diag_create();
  cst_document *doc = cst_document_parse("f", deep, strlen(deep), d);
  OK(!doc && cst_diag_count(d) == 1, "2000 brackets are refused");
  cst_document_destroy(doc);
  cst_diag_destroy(d);
}

static void test_canonical(void) {
  static const char *const text[] = {
      "b: 2\na: {d: [1, [2, x], [], {}], c: 'it''s'}\n# gone\ne:\n  - f: \"x: y\"\n    g: \"-\"\n",
      "z: |\n  two\n  lines\na: \"q\\\"\\\\\\t\\r\"\nn:\nk: 'a # b'\nu: \xc3\xa9\nm: -x^2\np: "
      "compose(rattle, yoshida4)\n",
      "{}",
      "\xef\xbb\xbf"
      "a: 1\r\nb: 2\r\n",
  };
  static const char *const expected[] = {
      "a:\n  c: it's\n  d:\n    - 1\n    -\n      - 2\n      - x\n    - []\n    - {}\nb: 2\ne:\n  "
      "-\n    f: "
      "\"x: y\"\n    g: \"-\"\n",
      ("a: \"q\\\"\\\\\\t\\r\"\nk: \"a # b\"\nm: -x^2\nn: \"\"\np: compose(rattle, yoshida4)\nu: "
       "\"\xc3\xa9\"\nz: \"two\\nlines\\n\"\n"),
      "{}\n",
      "a: 1\nb: 2\n",
  };
  for (int i = 0; i < 4; i++) {
    cst_diag     *d = cst_diag_create();
    cst_document *doc = cst_document_parse("f", text[i], strlen(text[i]), d);
    char         *once = doc ? cst_document_canonical(doc) : strdup("");
    cst_document *again = cst_document_parse("f", once, strlen(once), d);
    char         *twice = again ? cst_document_canonical(again) : strdup("none");
    OK(!strcmp(once, expected[i]), "canonical text %d", i);
    if (strcmp(once, expected[i]))
      NOTE("%s", once);
    OK(!strcmp(once, twice), "canonical text %d is a fixed point", i);
    cst_diag_print(d, stdout);
    free(once), free(twice);
    cst_document_destroy(doc), cst_document_destroy(again);
    cst_diag_destroy(d);
  }
}

static void at_place(const char *text, const char *key, int offset, int line, int column) {
  cst_diag     *d = cst_diag_create();
  cst_document *doc = cst_document_parse("f", text, strlen(text), d);
  char          expected[80];
  snprintf(expected, sizeof expected, "f:%d:%d: error: here\n", line, column);
  if (doc) {
    cst_yaml *n = cst_yaml_get(cst_document_root(doc), key);
    if (offset < 0)
      cst_yaml_error(doc, n, d, "here");
    else
      cst_yaml_error_at(doc, n, offset, d, "here");
  }
  char *out = printed(d);
  OK(!strcmp(out, expected), "offset %d of %s stands at %d:%d", offset, key, line, column);
  if (strcmp(out, expected))
    NOTE("%s", out);
  free(out);
  cst_document_destroy(doc);
  cst_diag_destroy(d);
}

static void test_places(void) {
  static const char text[] =
      "plain: m*g*z\nsingle: 'it''s #1'\ndouble: \"a\\tbc\"\nmulti: one\n  two\n\n  three\nblock: "
      "|\n    x + "
      "y\n      - z\n"
      "fold: >\n  x\n  y\nlist: [1, 2]\nmap:\n  inner: 1\nempty:\nflow: {}\n\xc3\xa9: \xc3\xa9 x\n";
  at_place(text, "plain", 2, 1, 10);
  at_place(text, "single", -1, 2, 9);
  at_place(text, "single", 0, 2, 10);
  at_place(text, "single", 3, 2, 14);
  at_place(text, "double", 2, 3, 13);
  at_place(text, "multi", 4, 5, 3);
  at_place(text, "multi", 8, 7, 3);
  at_place(text, "block", 2, 9, 7);
  at_place(text, "block", 8, 10, 7);
  at_place(text, "list", -1, 14, 7);
  at_place(text, "map", -1, 16, 3);
  at_place(text, "empty", -1, 17, 1);
  at_place(text, "empty", 0, 17, 1);
  at_place(text, "flow", -1, 18, 7);
  at_place(text, "\xc3\xa9", 3, 19, 6);
}

static void test_lookup(void) {
  cst_diag     *d = cst_diag_create();
  const char   *text = "b: 1\na: [x, y]\n";
  cst_document *doc = cst_document_parse("f", text, strlen(text), d);
  cst_yaml     *root = cst_document_root(doc), *a = cst_yaml_get(root, "a");
  int           line, column;
  OK(cst_yaml_is_map(root) && cst_yaml_size(root) == 2 && !strcmp(cst_document_file(doc), "f"),
     "a mapping of two");
  OK(!strcmp(cst_yaml_text(cst_yaml_key(root, 0)), "b") && cst_yaml_value(root, 1) == a,
     "keys stand in the order of the file");
  OK(cst_yaml_is_list(a) && cst_yaml_size(a) == 2 &&
         !strcmp(cst_yaml_text(cst_yaml_item(a, 1)), "y") && !cst_yaml_item(a, 2),
     "a list of two");
  OK(!cst_yaml_get(root, "c") && !cst_yaml_get(NULL, "c") && !cst_yaml_text(a) &&
         !cst_yaml_size(NULL),
     "what is absent is NULL");
  cst_yaml_place(cst_yaml_item(a, 1), &line, &column);
  OK(line == 2 && column == 8, "the second item stands at 2:8");
  static const char *const allowed[] = {"alpha", "beta"};
  cst_yaml_check_keys(doc, root, allowed, 2, d);
  OK(cst_diag_count(d) == 2, "two unknown keys are reported");
  cst_document_destroy(doc);
  cst_diag_destroy(d);
}

static void test_diag(void) {
  cst_diag *d = cst_diag_create();
  cst_diag_add(d, "b", 2, 1, "later");
  cst_diag_add(d, "a", 10, 1, "third %d", 3);
  cst_diag_add(d, "a", 2, 9, "second");
  cst_diag_add(d, "a", 0, 0, "no place, \x1b[31m");
  cst_diag_add(d, NULL, 0, 0, "command line");
  cst_diag_add(d, "c", 1, 2, "of\n%s", "two lines");
  char *out = printed(d);
  OK(!strcmp(
         out,
         "constella: error: command line\na: error: no place, ?[31m\na:2:9: error: second\na:10:1: "
         "error: third 3\nb:2:1: error: "
         "later\nc:1:2: error: of\n  two lines\n6 errors\n"),
     "errors are printed in order of place, lines of a message indented");
  free(out);
  cst_diag_destroy(d);
  static const char *const names[] = {"rattle", "shake", "midpoint", "m"};
  OK(cst_diag_nearest("rattel", names, 4) == names[0] &&
         cst_diag_nearest("shke", names, 4) == names[1] &&
         cst_diag_nearest("midpiont", names, 4) == names[2],
     "a slip finds its word");
  OK(!cst_diag_nearest("gauss", names, 4) && !cst_diag_nearest("", names, 4) &&
         !cst_diag_nearest("x", names, 4),
     "another word finds none");
  OK(!strcmp(cst_diag_join(names, 3), "rattle, shake, midpoint") &&
         !strcmp(cst_diag_join(names, 0), ""),
     "names are joined");
  const char *many[1000];
  for (int i = 0; i < 1000; i++)
    many[i] = "component";
  const char *joined = cst_diag_join(many, 1000);
  OK(strlen(joined) < 2048 && !strcmp(joined + strlen(joined) - 5, ", ..."), "a long list is cut");
}

static void test_files(void) {
  cst_diag *d = cst_diag_create();
  char     *text = NULL, *out;
  size_t    n = 0;
  OK(!cst_document_read_file("/nonexistent/x.yaml", &text, &n, d) &&
         !cst_document_read_file("/", &text, &n, d),
     "what is no file is not read");
  out = printed(d);
  OK(!strcmp(out, "/: error: Is a directory\n/nonexistent/x.yaml: error: No such file or "
                  "directory\n2 errors\n"),
     "and why");
  free(out);
  OK(cst_document_read_file("/proc/self/stat", &text, &n, d) && n == strlen(text) && n > 10,
     "a file is read");
  free(text);
  cst_diag_destroy(d);
}

/* A key that is put into a map is in its canonical text once. */
static void test_put(void) {
  static const char text[] = "a:\n  c: 1\n  b: 2\n";
  cst_diag         *d = cst_diag_create();
  cst_document     *doc = cst_document_parse("t.yaml", text, strlen(text), d);
  cst_yaml         *map = cst_yaml_get(cst_document_root(doc), "a");
  cst_yaml_put(map, "b", "three: 3");
  cst_yaml_put(map, "aa", "4");
  cst_yaml_put(map, "aa", "5");
  OK(!strcmp(cst_yaml_text(cst_yaml_get(map, "aa")), "5") && cst_yaml_size(map) == 3,
     "an entry is put into a map, one a key");
  char *out = cst_document_canonical(doc);
  OK(!strcmp(out, "a:\n  aa: 5\n  b: \"three: 3\"\n  c: 1\n"), "and printed in its place");
  free(out);
  cst_document_destroy(doc);
  cst_diag_destroy(d);
}

/* A sparse file of 64 GiB is refused before it is read into memory. */
static void test_large_file(void) {
  char      path[] = "/tmp/constella-large-XXXXXX", expected[200], *text = NULL, *out;
  size_t    n = 0;
  int       fd = mkstemp(path);
  cst_diag *d = cst_diag_create();
  OK(fd >= 0 && !ftruncate(fd, (off_t)1 << 36), "a large file of nothing");
  bool read = cst_document_read_file(path, &text, &n, d);
  out = printed(d);
  snprintf(expected, sizeof expected, "%s: error: the file is larger than 64 MiB\n", path);
  OK(!read && !text && !strcmp(out, expected), "refused: the file is larger than 64 MiB");
  if (strcmp(out, expected))
    NOTE("%s", out);
  unlink(path), close(fd);
  free(out), free(text);
  cst_diag_destroy(d);
}

static void test_isa(void) {
  const char *reason = NULL;
  unsetenv("CONSTELLA_ISA");
  int widest = cst_isa_choose(&reason);
  OK(widest >= 0 && cst_isa_available(widest), "the widest set is %s", cst_isas[widest].name);
  setenv("CONSTELLA_ISA", cst_isas[0].name, 1);
  OK(cst_isa_choose(&reason) == cst_isas[0].full, "%s is chosen by name", cst_isas[0].name);
  setenv("CONSTELLA_ISA", "v9", 1);
  OK(cst_isa_choose(&reason) == -1 && reason &&
         strstr(reason, "CONSTELLA_ISA=v9: no such instruction set; allowed: "),
     "v9 is refused");
  OK(!cst_isa_available(-1) && !cst_isa_available(cst_isa_count), "no set beyond the list");
}

/* Access to items, keys and values by number takes the same time everywhere in a long list or map, and
 * follows insertions and removals. */
static void test_numbers(void) {
  enum { MANY = 60000 };
  char         *text = NULL;
  size_t        length = 0;
  const clock_t start = clock();
  FILE         *f = open_memstream(&text, &length);
  int           right = 0;
  fprintf(f, "list: [0");
  for (int i = 1; i < MANY; i++)
    fprintf(f, ", %d", i);
  fprintf(f, "]\nmap:\n");
  for (int i = 0; i < MANY; i++)
    fprintf(f, "  k%d: %d\n", i, i);
  fclose(f);
  cst_diag     *d = cst_diag_create();
  cst_document *doc = cst_document_parse("f", text, length, d);
  cst_yaml     *list = cst_yaml_get(cst_document_root(doc), "list"),
           *map = cst_yaml_get(cst_document_root(doc), "map");
  for (int i = 0; i < cst_yaml_size(list) && i < cst_yaml_size(map); i++)
    right += atoi(cst_yaml_text(cst_yaml_item(list, i))) == i &&
             atoi(cst_yaml_text(cst_yaml_key(map, i)) + 1) == i &&
             atoi(cst_yaml_text(cst_yaml_value(map, i))) == i;
  OK(right == MANY && !cst_yaml_item(list, MANY) && !cst_yaml_item(list, -1) &&
         !cst_yaml_key(list, 0) && !cst_yaml_item(map, 0),
     "%d entries by number", MANY);
  OK((double)(clock() - start) / CLOCKS_PER_SEC < 5, "in linear time");
  cst_yaml_remove(map, "k0");
  OK(cst_yaml_size(map) == MANY - 1 && !strcmp(cst_yaml_text(cst_yaml_key(map, 0)), "k1"),
     "what is removed is not counted");
  cst_yaml_put(map, "new", "x");
  OK(cst_yaml_size(map) == MANY && !strcmp(cst_yaml_text(cst_yaml_value(map, MANY - 1)), "x"),
     "what is put comes last");
  cst_document_destroy(doc);
  cst_diag_destroy(d);
  free(text);
}

int main(void) {
  test_refusals();
  test_canonical();
  test_places();
  test_lookup();
  test_diag();
  test_files();
  test_put();
  test_large_file();
  test_numbers();
  test_isa();
  return tap_done();
}
