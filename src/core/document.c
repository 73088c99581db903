/* document.c: reads YAML by libfyaml and records the place of every node; writes the canonical text of a document.
 *
 * Refused besides syntax errors: invalid UTF-8 and control characters, a second document, aliases, anchors
 * and tags (so that no text grows while it is read), keys that are not plain words, duplicate keys. All
 * refusals of one pass are reported together.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/document-places.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/boundary.h"

/* A key of a map, or its value, sorted by the key; rank is its number in the text. */
typedef struct {
  const char *word;
  cst_yaml   *node;
  int         rank;
} cst_sorted_key;

static void sort_keys(cst_sorted_key *keys, int n);

/* ---- the canonical text ----------------------------------------------------------------------- */

/* It is written without libfyaml so that it does not change
 * with its version: keys sorted, block style, quotes only where they are needed.
 */

/* Whether s may stand without quotes: no character of YAML's syntax, no blank at the end. */
static bool is_plain(const char *s) {
  static const char inside[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*^/()=<>, '";
  size_t      n = strlen(s);
  const char *first = *s == '-' || *s == '.' || *s == '+' ? s + 1 : s;
  return n && strspn(s, inside) == n && *first &&
         strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_(", *first) &&
         s[n - 1] != ' ';
}

static void write_scalar(const char *s, FILE *f) {
  if (is_plain(s)) {
    fputs(s, f);
    return;
  }
  fputc('"', f);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      fprintf(f, "\\%c", *s);
    else if (*s == '\n')
      fputs("\\n", f);
    else if (*s == '\t')
      fputs("\\t", f);
    else if (*s == '\r')
      fputs("\\r", f);
    else
      fputc(*s, f);
  }
  fputc('"', f);
}

static void write_node(cst_yaml *n, int indent, FILE *f);

static void write_list(cst_yaml *n, int indent, FILE *f) {
  void     *at = NULL;
  cst_yaml *item;
  while ((item = fy_node_sequence_iterate(n, &at))) {
    fprintf(f, "%*s-", indent, "");
    write_node(item, indent + 2, f);
  }
}

static void write_map(cst_yaml *n, int indent, FILE *f) {
  int                  count = 0;
  void                *at = NULL;
  struct fy_node_pair *pair;
  cst_sorted_key      *keys = cst_need(malloc(sizeof *keys * (size_t)cst_yaml_size(n)));
  while ((pair = fy_node_mapping_iterate(n, &at))) {
    keys[count] =
        (cst_sorted_key){cst_yaml_text(fy_node_pair_key(pair)), fy_node_pair_value(pair), count};
    count++;
  }
  sort_keys(keys, count);
  for (int i = 0; i < count; i++) {
    fprintf(f, "%*s", indent, "");
    write_scalar(keys[i].word, f);
    fputc(':', f);
    write_node(keys[i].node, indent + 2, f);
  }
  free(keys);
}

/* Writes n after a colon or dash: on the same line when it is one word or empty, else on lines of its own. */
static void write_node(cst_yaml *n, int indent, FILE *f) {
  if (cst_yaml_is_scalar(n)) {
    fputc(' ', f);
    write_scalar(cst_yaml_text(n), f);
    fputc('\n', f);
  } else if (!cst_yaml_size(n)) {
    fputs(cst_yaml_is_list(n) ? " []\n" : " {}\n", f);
  } else {
    fputc('\n', f);
    (cst_yaml_is_list(n) ? write_list : write_map)(n, indent, f);
  }
}

char *cst_document_canonical(const cst_document *doc) {
  CST_REQUIRE(doc, NULL);
  char     *text = NULL;
  size_t    length = 0;
  FILE     *f = cst_need(open_memstream(&text, &length));
  cst_yaml *root = cst_document_root(doc);
  if (cst_yaml_size(root))
    write_map(root, 0, f);
  else
    fputs("{}\n", f);
  fclose(f);
  return text;
}

/* Reads the text of a file. */

enum { FILE_MAX = 64 << 20 };

static const char irregular[] = "this is not a regular file";

/* Opens a regular file. A pipe or a device may never end, and opening it may have effects. Some files of
 * /proc pass as regular and wait for news: reading them does not wait. NULL with the reason, or with
 * errno. */
static FILE *open_regular(const char *path, char reason[64]) {
  struct stat s;
  *reason = 0;
  if (stat(path, &s))
    return NULL;
  if (S_ISREG(s.st_mode)) {
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "rb");
  }
  snprintf(reason, 64, "%s", S_ISDIR(s.st_mode) ? strerror(EISDIR) : irregular);
  return NULL;
}

const char *cst_document_fetch(const char *path, char **text, size_t *length) {
  CST_REQUIRE(path && text && length, "no path, or nowhere to put the text");
  static char reason[64];
  FILE       *f = open_regular(path, reason);
  if (!f)
    return *reason ? reason : strerror(errno);
  size_t room = 1 << 16, n = 0, k;
  char  *b = cst_need(malloc(room + 1));
  errno = 0;
  while (n <= FILE_MAX && (k = fread(b + n, 1, room - n, f)) > 0) {
    n += k;
    if (n == room)
      b = cst_need(realloc(b, (room *= 2) + 1));
  }
  bool failed = ferror(f);
  bool large = n > FILE_MAX;
  snprintf(reason, sizeof reason, "%.60s",
           !failed           ? ""
           : errno == EAGAIN ? irregular
                             : strerror(errno ? errno : EIO));
  if (large)
    snprintf(reason, sizeof reason, "the file is larger than %d MiB", FILE_MAX >> 20);
  fclose(f);
  b[n] = 0;
  if (failed || large) {
    free(b);
    return reason;
  }
  *text = b;
  *length = n;
  return NULL;
}

bool cst_document_read_file(const char *path, char **text, size_t *length, cst_diag *d) {
  CST_REQUIRE(path && text && length && d, false);
  const char *reason = cst_document_fetch(path, text, length);
  if (reason)
    cst_diag_add(d, path, 0, 0, "%s", reason);
  return !reason;
}

/* YAML_MAX: a million numbers; libfyaml needs a second and 1 GB for it. */
enum { YAML_MAX = 8 << 20, KEY_MAX = 200 };

/* Bytes of the UTF-8 character at s (n bytes left), 0 when it is invalid. */
static int character(const unsigned char *s, size_t n) {
  unsigned c = s[0];
  unsigned least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
  unsigned most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
  int      k = c < 0x80                 ? 1
               : c >= 0xc2 && c <= 0xdf ? 2
               : c >= 0xe0 && c <= 0xef ? 3
               : c >= 0xf0 && c <= 0xf4 ? 4
                                        : 0;
  if (!k || (size_t)k > n)
    return 0;
  if (k > 1 && (s[1] < least || s[1] > most))
    return 0;
  for (int i = 2; i < k; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  return k;
}

static bool is_control(const unsigned char *s) {
  return (s[0] < 32 && !strchr("\t\n\r", s[0])) || !s[0] || s[0] == 127 ||
         (s[0] == 0xc2 && s[1] < 0xa0);
}

/* The first byte that is not text, reported with its place. */
static bool check_bytes(const char *file, const char *text, size_t length, cst_diag *d) {
  const unsigned char *s = (const unsigned char *)text;
  int                  line = 1, column = 1;
  for (size_t i = 0; i < length;) {
    int k = character(s + i, length - i);
    if (!k)
      cst_diag_add(d, file, line, column, "the file is not UTF-8 text (byte 0x%02x)", s[i]);
    else if (s[i] == '\t') /* libfyaml 0.7.12 crashes on some of them */
      cst_diag_add(d, file, line, column, "a tab; blanks are allowed");
    else if (is_control(s + i))
      cst_diag_add(d, file, line, column, "control character (byte 0x%02x); only text is allowed",
                   s[i]);
    if (!k || s[i] == '\t' || is_control(s + i))
      return false;
    if (s[i] == '\n') {
      line++;
      column = 1;
    } else
      column++;
    i += (size_t)k;
  }
  return true;
}

/* Places. */

const cst_place *cst_document_place_of(cst_yaml *n) {
  static const cst_place beginning = {.line = 1, .column = 1};
  const cst_place       *p = n ? fy_node_get_meta(n) : NULL;
  return p ? p : &beginning;
}

/* A value of which nothing is written. libfyaml 0.7 gives it no mark, 0.8 one behind the colon of its key. */
static bool is_unwritten(struct fy_node *n, enum fy_node_style style) {
  return cst_yaml_is_scalar(n) && (style == FYNS_PLAIN || style == FYNS_ANY) && !*cst_yaml_text(n);
}

static const cst_place *remember(cst_document *doc, struct fy_node *n, const struct fy_mark *m,
                                 const cst_place *nearby) {
  cst_place               *p = cst_need(malloc(sizeof *p));
  const enum fy_node_style style = fy_node_get_style(n);
  *p = (cst_place){.line = nearby->line, .column = nearby->column, .start = nearby->start};
  if (m && !is_unwritten(n, style)) {
    const int quote = style == FYNS_SINGLE_QUOTED ||
                      style == FYNS_DOUBLE_QUOTED; /* the mark is behind the quote */
    *p = (cst_place){.line = m->line + 1, .column = m->column + 1 - quote, .start = m->input_pos};
  }
  p->next = doc->places;
  doc->places = p;
  fy_node_set_meta(n, p);
  return p;
}

/* Records the places of n and of all nodes below it; events come in the order of the tree. An empty value
 * gets the place of its key. */
static void locate(cst_document *doc, struct fy_document_iterator *it, struct fy_node *n,
                   const cst_place *nearby) {
  struct fy_event *e = fy_document_iterator_body_next(it);
  const cst_place *here = remember(doc, n, e ? fy_event_start_mark(e) : NULL, nearby);
  if (e)
    fy_document_iterator_event_free(it, e);
  if (!cst_yaml_is_list(n) && !cst_yaml_is_map(n))
    return;
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at)))
      locate(doc, it, item, here);
  else
    while ((pair = fy_node_mapping_iterate(n, &at))) {
      locate(doc, it, fy_node_pair_key(pair), here);
      locate(doc, it, fy_node_pair_value(pair), cst_document_place_of(fy_node_pair_key(pair)));
    }
  e = fy_document_iterator_body_next(it); /* the end of n */
  if (e)
    fy_document_iterator_event_free(it, e);
}

static void locate_all(cst_document *doc) {
  struct fy_document_iterator *it = cst_need(fy_document_iterator_create());
  struct fy_event             *e = fy_document_iterator_stream_start(it);
  if (e)
    fy_document_iterator_event_free(it, e);
  e = fy_document_iterator_document_start(it, doc->tree);
  if (e)
    fy_document_iterator_event_free(it, e);
  locate(doc, it, fy_document_root(doc->tree), cst_document_place_of(NULL));
  fy_document_iterator_destroy(it);
}

/* Refusals of valid YAML. */

static int by_word(const void *x, const void *y) {
  const cst_sorted_key *a = x, *b = y;
  int                   c = strcmp(a->word, b->word);
  return c ? c : a->rank - b->rank;
}

static void sort_keys(cst_sorted_key *keys, int n) {
  qsort(keys, (size_t)n, sizeof *keys, by_word);
}

static void check_keys(const cst_document *doc, cst_yaml *map, cst_diag *d) {
  int                  n = 0;
  cst_sorted_key      *keys = cst_need(malloc(sizeof *keys * (size_t)(cst_yaml_size(map) + 1)));
  void                *at = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(map, &at))) {
    cst_yaml   *key = fy_node_pair_key(pair);
    const char *word = cst_yaml_text(key);
    if (!word || !*word)
      cst_yaml_error(doc, key, d, "a key must be a word");
    else if (strlen(word) > KEY_MAX || strchr(word, '\n'))
      cst_yaml_error(doc, key, d, "a key must be one line of at most %d bytes", KEY_MAX);
    else {
      keys[n] = (cst_sorted_key){word, key, n};
      n++;
    }
  }
  sort_keys(keys, n);
  for (int i = 1; i < n; i++)
    if (!strcmp(keys[i].word, keys[i - 1].word))
      cst_yaml_error(doc, keys[i].node, d, "duplicate key '%s'", keys[i].word);
  free(keys);
}

static void check_scalar(const cst_document *doc, cst_yaml *n, cst_diag *d) {
  size_t      length = 0;
  const char *s = fy_node_get_scalar(n, &length);
  for (size_t i = 0; s && i < length; i++)
    if (is_control((const unsigned char *)s + i)) {
      cst_yaml_error(doc, n, d, "control character in text (byte 0x%02x)", (unsigned char)s[i]);
      return;
    }
}

static void check_node(const cst_document *doc, cst_yaml *n, cst_diag *d) {
  size_t length = 0;
  if (fy_node_is_alias(n)) {
    cst_yaml_error(doc, n, d, "aliases (*name) are not allowed: write the value out");
    return;
  }
  if (fy_node_get_anchor(n))
    cst_yaml_error(doc, n, d, "anchors (&name) are not allowed: write the value out");
  if (fy_node_get_tag(n, &length))
    cst_yaml_error(doc, n, d, "tags (!name) are not allowed");
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_scalar(n))
    check_scalar(doc, n, d);
  else if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at)))
      check_node(doc, item, d);
  else {
    check_keys(doc, n, d);
    while ((pair = fy_node_mapping_iterate(n, &at))) {
      check_node(doc, fy_node_pair_key(pair), d);
      check_node(doc, fy_node_pair_value(pair), d);
    }
  }
}

/* Parsing. */

/* libfyaml reports what is missing at the end behind the last line; the message then gets the place of the
 * last character. */
static void add_clamped(const cst_document *doc, int line, int column, const char *message,
                        cst_diag *d) {
  int    last = 1, width = 0;
  size_t end = strlen(doc->text);
  while (end && strchr(" \t\r\n", doc->text[end - 1]))
    end--;
  for (size_t i = 0; i < end; i++) {
    if (doc->text[i] == '\n') {
      last++;
      width = 0;
    } else
      width += (doc->text[i] & 0xc0) != 0x80;
  }
  if (line > last) {
    line = last;
    column = width + 1;
  }
  cst_diag_add(d, doc->file, line, column, "%s", message);
}

static void report_syntax(cst_document *doc, cst_diag *d) {
  void                 *at = NULL;
  struct fy_diag_error *e =
      fy_diag_errors_iterate(doc->log, &at); /* later messages only say that loading failed */
  const struct fy_mark *m = e && e->fyt ? fy_token_start_mark(e->fyt) : NULL;
  if (m)
    add_clamped(doc, m->line + 1, m->column + 1, e->msg, d);
  else
    cst_diag_add(d, doc->file, 1, 1, "this is not YAML");
}

static cst_document *create(const char *file, const char *text, size_t length) {
  cst_document *doc = cst_need(calloc(1, sizeof *doc));
  doc->file = cst_need(strdup(file));
  doc->text = cst_need(malloc(length + 1));
  memcpy(doc->text, text, length);
  doc->text[length] = 0;
  struct fy_diag_cfg log;
  fy_diag_cfg_default(&log);
  log.fp = doc->sink = cst_need(open_memstream(&doc->sink_text, &doc->sink_length));
  log.colorize = false;
  doc->log = cst_need(fy_diag_create(&log));
  fy_diag_set_collect_errors(doc->log, true);
  struct fy_parse_cfg how = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 |
                                      FYPCF_ALLOW_DUPLICATE_KEYS,
                             .diag = doc->log};
  doc->parser = cst_need(fy_parser_create(&how));
  fy_parser_set_string(doc->parser, doc->text, length);
  return doc;
}

/* Refuses anything but comments after the first document. */
static void check_alone(cst_document *doc, cst_diag *d) {
  struct fy_document *more = fy_parse_load_document(doc->parser);
  if (more)
    cst_diag_add(d, doc->file, 1, 1,
                 "the file holds more than one YAML document; only one is allowed");
  else if (fy_parser_get_stream_error(doc->parser))
    report_syntax(doc, d);
  if (more)
    fy_parse_document_destroy(doc->parser, more);
}

static void load(cst_document *doc, cst_diag *d) {
  doc->tree = fy_parse_load_document(doc->parser);
  if (!doc->tree) {
    if (fy_parser_get_stream_error(doc->parser))
      report_syntax(doc, d);
    else
      cst_diag_add(d, doc->file, 1, 1, "the file is empty");
    return;
  }
  cst_yaml *root = fy_document_root(doc->tree);
  if (root)
    locate_all(doc);
  if (!root || (cst_yaml_is_scalar(root) && !*cst_yaml_text(root)))
    cst_diag_add(d, doc->file, 1, 1, "the file is empty");
  else if (!cst_yaml_is_map(root))
    cst_yaml_error(doc, root, d, "the file must be a mapping, lines of 'key: value'");
  else
    check_node(doc, root, d);
  check_alone(doc, d);
}

cst_document *cst_document_parse(const char *file, const char *text, size_t length, cst_diag *d) {
  CST_REQUIRE(file && text && d, NULL);
  int before = cst_diag_count(d);
  if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* skip a byte order mark */
    text += 3;
    length -= 3;
  }
  if (length > YAML_MAX)
    cst_diag_add(d, file, 1, 1, "the text has %zu bytes; at most %d MiB are allowed", length,
                 YAML_MAX >> 20);
  if (length > YAML_MAX || !check_bytes(file, text, length, d))
    return NULL;
  cst_document *doc = create(file, text, length);
  load(doc, d);
  if (cst_diag_count(d) == before)
    return doc;
  cst_document_destroy(doc);
  return NULL;
}

void cst_document_destroy(cst_document *doc) {
  if (!doc)
    return;
  if (doc->tree)
    fy_parse_document_destroy(doc->parser, doc->tree);
  if (doc->parser)
    fy_parser_destroy(doc->parser);
  if (doc->log)
    fy_diag_destroy(doc->log);
  if (doc->sink)
    fclose(doc->sink);
  free(doc->sink_text);
  for (cst_place *p = doc->places, *next; p; p = next) {
    next = p->next;
    free(p->value);
    free(p);
  }
  free(doc->text);
  free(doc->file);
  free(doc);
}

cst_yaml *cst_document_root(const cst_document *doc) {
  CST_REQUIRE(doc, NULL);
  return fy_document_root(doc->tree);
}
const char *cst_document_file(const cst_document *doc) {
  CST_REQUIRE(doc, NULL);
  return doc->file;
}
