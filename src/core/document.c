/* document.c: YAML through libfyaml, with the place of every node.
 *
 * What is refused beside syntax errors: invalid UTF-8 and control characters, a second document, aliases, anchors and tags (so no
 * text can grow while it is read), keys that are not plain words, duplicate keys. All refusals of one pass are reported together.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/document.h"
#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 64 << 20, KEY_MAX = 200, MESSAGE_MAX = 4000 };

/* Where a node starts: line and column from 1, start the byte of the text at which its content begins (inside quotes). And what is below it
 * by number: libfyaml counts from the first child every time. */
typedef struct place place;
struct place {
  int        line, column;
  size_t     start;
  place     *next;         /* of the document */
  int        size;         /* children; meaningless while value is NULL */
  cst_yaml **key, **value; /* [size]; made when first asked for, value first in one allocation */
};

struct cst_document {
  char               *file, *text;
  struct fy_diag     *log;
  FILE               *sink;
  char               *sink_text;
  size_t              sink_length;
  struct fy_parser   *parser;
  struct fy_document *tree;
  place              *places; /* all of them; a node's meta pointer is its own */
};

static const place beginning = {.line = 1, .column = 1};

static void *have(void *p) {
  if (p) return p;
  fputs("constella: out of memory\n", stderr);
  abort();
}

/* Reading files. */

const char *cst_file_fetch(const char *path, char **text, size_t *length) {
  static char reason[64];
  FILE       *f = fopen(path, "rb");
  if (!f) return strerror(errno);
  size_t room = 1 << 16, n = 0, k;
  char  *b = have(malloc(room + 1));
  errno = 0;
  while (n <= FILE_MAX && (k = fread(b + n, 1, room - n, f)) > 0) {
    n += k;
    if (n == room) b = have(realloc(b, (room *= 2) + 1));
  }
  bool failed = ferror(f), large = n > FILE_MAX;
  snprintf(reason, sizeof reason, "%.60s", failed ? strerror(errno ? errno : EIO) : "");
  if (large) snprintf(reason, sizeof reason, "the file is larger than %d MiB", FILE_MAX >> 20);
  fclose(f);
  b[n] = 0;
  if (failed || large) {
    free(b);
    return reason;
  }
  *text = b, *length = n;
  return NULL;
}

bool cst_file_read(const char *path, char **text, size_t *length, cst_diag *d) {
  const char *reason = cst_file_fetch(path, text, length);
  if (reason) cst_diag_add(d, path, 0, 0, "%s", reason);
  return !reason;
}

/* Bytes of the UTF-8 character at s (n bytes left), 0 when it is invalid. */
static int character(const unsigned char *s, size_t n) {
  unsigned c = s[0], least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
  int      k = c < 0x80 ? 1 : c >= 0xc2 && c <= 0xdf ? 2 : c >= 0xe0 && c <= 0xef ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
  if (!k || (size_t)k > n) return 0;
  if (k > 1 && (s[1] < least || s[1] > most)) return 0;
  for (int i = 2; i < k; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return k;
}

static bool is_control(const unsigned char *s) {
  return (s[0] < 32 && !strchr("\t\n\r", s[0])) || !s[0] || s[0] == 127 || (s[0] == 0xc2 && s[1] < 0xa0);
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
      cst_diag_add(d, file, line, column, "control character (byte 0x%02x); only text is allowed", s[i]);
    if (!k || s[i] == '\t' || is_control(s + i)) return false;
    if (s[i] == '\n')
      line++, column = 1;
    else
      column++;
    i += (size_t)k;
  }
  return true;
}

/* Places. */

static const place *place_of(cst_yaml *n) {
  const place *p = n ? fy_node_get_meta(n) : NULL;
  return p ? p : &beginning;
}

static const place *remember(cst_document *doc, struct fy_node *n, const struct fy_mark *m, const place *nearby) {
  place *p = have(malloc(sizeof *p));
  *p = (place){.line = nearby->line, .column = nearby->column, .start = nearby->start};
  if (m) {
    enum fy_node_style style = fy_node_get_style(n);
    int                quote = style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED; /* the mark stands behind it */
    *p = (place){.line = m->line + 1, .column = m->column + 1 - quote, .start = m->input_pos};
  }
  p->next = doc->places;
  doc->places = p;
  fy_node_set_meta(n, p);
  return p;
}

/* The places of n and everything below it; events come in the order of the tree. An empty value stands where its key does. */
static void locate(cst_document *doc, struct fy_document_iterator *it, struct fy_node *n, const place *nearby) {
  struct fy_event *e = fy_document_iterator_body_next(it);
  const place     *here = remember(doc, n, e ? fy_event_start_mark(e) : NULL, nearby);
  if (e) fy_document_iterator_event_free(it, e);
  if (!cst_yaml_is_list(n) && !cst_yaml_is_map(n)) return;
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at))) locate(doc, it, item, here);
  else
    while ((pair = fy_node_mapping_iterate(n, &at))) {
      locate(doc, it, fy_node_pair_key(pair), here);
      locate(doc, it, fy_node_pair_value(pair), place_of(fy_node_pair_key(pair)));
    }
  e = fy_document_iterator_body_next(it); /* the end of n */
  if (e) fy_document_iterator_event_free(it, e);
}

static void locate_all(cst_document *doc) {
  struct fy_document_iterator *it = have(fy_document_iterator_create());
  struct fy_event             *e = fy_document_iterator_stream_start(it);
  if (e) fy_document_iterator_event_free(it, e);
  e = fy_document_iterator_document_start(it, doc->tree);
  if (e) fy_document_iterator_event_free(it, e);
  locate(doc, it, fy_document_root(doc->tree), &beginning);
  fy_document_iterator_destroy(it);
}

/* What YAML allows and we do not. */

typedef struct {
  const char *word;
  cst_yaml   *node;
  int         rank;
} key_entry;

static int by_word(const void *x, const void *y) {
  const key_entry *a = x, *b = y;
  int              c = strcmp(a->word, b->word);
  return c ? c : a->rank - b->rank;
}

static void check_keys(const cst_document *doc, cst_yaml *map, cst_diag *d) {
  int                  n = 0;
  key_entry           *keys = have(malloc(sizeof *keys * (size_t)(cst_yaml_size(map) + 1)));
  void                *at = NULL;
  struct fy_node_pair *pair;
  while ((pair = fy_node_mapping_iterate(map, &at))) {
    cst_yaml   *key = fy_node_pair_key(pair);
    const char *word = cst_yaml_text(key);
    if (!word || !*word)
      cst_yaml_error(doc, key, d, "a key must be a word");
    else if (strlen(word) > KEY_MAX || strchr(word, '\n'))
      cst_yaml_error(doc, key, d, "a key must be one line of at most %d bytes", KEY_MAX);
    else
      keys[n] = (key_entry){word, key, n}, n++;
  }
  qsort(keys, (size_t)n, sizeof *keys, by_word);
  for (int i = 1; i < n; i++)
    if (!strcmp(keys[i].word, keys[i - 1].word)) cst_yaml_error(doc, keys[i].node, d, "duplicate key '%s'", keys[i].word);
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
  if (fy_node_get_anchor(n)) cst_yaml_error(doc, n, d, "anchors (&name) are not allowed: write the value out");
  if (fy_node_get_tag(n, &length)) cst_yaml_error(doc, n, d, "tags (!name) are not allowed");
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_scalar(n))
    check_scalar(doc, n, d);
  else if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at))) check_node(doc, item, d);
  else {
    check_keys(doc, n, d);
    while ((pair = fy_node_mapping_iterate(n, &at)))
      check_node(doc, fy_node_pair_key(pair), d), check_node(doc, fy_node_pair_value(pair), d);
  }
}

/* Parsing. */

/* libfyaml places what is missing at the end behind the last line: the last character is meant. */
static void add_clamped(const cst_document *doc, int line, int column, const char *message, cst_diag *d) {
  int    last = 1, width = 0;
  size_t end = strlen(doc->text);
  while (end && strchr(" \t\r\n", doc->text[end - 1])) end--;
  for (size_t i = 0; i < end; i++) {
    if (doc->text[i] == '\n')
      last++, width = 0;
    else
      width += (doc->text[i] & 0xc0) != 0x80;
  }
  if (line > last) line = last, column = width + 1;
  cst_diag_add(d, doc->file, line, column, "%s", message);
}

static void report_syntax(cst_document *doc, cst_diag *d) {
  void                 *at = NULL;
  struct fy_diag_error *e = fy_diag_errors_iterate(doc->log, &at); /* later ones only say that loading failed */
  const struct fy_mark *m = e && e->fyt ? fy_token_start_mark(e->fyt) : NULL;
  if (m)
    add_clamped(doc, m->line + 1, m->column + 1, e->msg, d);
  else
    cst_diag_add(d, doc->file, 1, 1, "this is not YAML");
}

static cst_document *create(const char *file, const char *text, size_t length) {
  cst_document *doc = have(calloc(1, sizeof *doc));
  doc->file = have(strdup(file));
  doc->text = have(malloc(length + 1));
  memcpy(doc->text, text, length);
  doc->text[length] = 0;
  struct fy_diag_cfg log;
  fy_diag_cfg_default(&log);
  log.fp = doc->sink = have(open_memstream(&doc->sink_text, &doc->sink_length));
  log.colorize = false;
  doc->log = have(fy_diag_create(&log));
  fy_diag_set_collect_errors(doc->log, true);
  struct fy_parse_cfg how = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_ALLOW_DUPLICATE_KEYS,
                             .diag = doc->log};
  doc->parser = have(fy_parser_create(&how));
  fy_parser_set_string(doc->parser, doc->text, length);
  return doc;
}

/* Whether anything but a comment follows the first document; it is refused, not ignored. */
static void check_alone(cst_document *doc, cst_diag *d) {
  struct fy_document *more = fy_parse_load_document(doc->parser);
  if (more)
    cst_diag_add(d, doc->file, 1, 1, "the file holds more than one YAML document; only one is allowed");
  else if (fy_parser_get_stream_error(doc->parser))
    report_syntax(doc, d);
  if (more) fy_parse_document_destroy(doc->parser, more);
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
  if (root) locate_all(doc);
  if (!root || (cst_yaml_is_scalar(root) && !*cst_yaml_text(root)))
    cst_diag_add(d, doc->file, 1, 1, "the file is empty");
  else if (!cst_yaml_is_map(root))
    cst_yaml_error(doc, root, d, "the file must be a mapping, lines of 'key: value'");
  else
    check_node(doc, root, d);
  check_alone(doc, d);
}

cst_document *cst_document_parse(const char *file, const char *text, size_t length, cst_diag *d) {
  int before = cst_diag_count(d);
  if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, length -= 3; /* a byte order mark says nothing about UTF-8 */
  if (!check_bytes(file, text, length, d)) return NULL;
  cst_document *doc = create(file, text, length);
  load(doc, d);
  if (cst_diag_count(d) == before) return doc;
  cst_document_destroy(doc);
  return NULL;
}

void cst_document_destroy(cst_document *doc) {
  if (!doc) return;
  if (doc->tree) fy_parse_document_destroy(doc->parser, doc->tree);
  if (doc->parser) fy_parser_destroy(doc->parser);
  if (doc->log) fy_diag_destroy(doc->log);
  if (doc->sink) fclose(doc->sink);
  free(doc->sink_text);
  for (place *p = doc->places, *next; p; p = next) {
    next = p->next;
    free(p->value);
    free(p);
  }
  free(doc->text);
  free(doc->file);
  free(doc);
}

cst_yaml   *cst_document_root(const cst_document *doc) { return fy_document_root(doc->tree); }
const char *cst_document_file(const cst_document *doc) { return doc->file; }

/* Canonical text, written by ourselves so that it does not change with the version of libfyaml. */

/* Whether s may stand without quotes: no character of YAML's syntax, no blank at the end. */
static bool is_plain(const char *s) {
  static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*^/()=<>, '";
  size_t            n = strlen(s);
  const char       *first = *s == '-' || *s == '.' || *s == '+' ? s + 1 : s;
  return n && strspn(s, inside) == n && *first && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_(", *first) &&
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
  key_entry           *keys = have(malloc(sizeof *keys * (size_t)cst_yaml_size(n)));
  while ((pair = fy_node_mapping_iterate(n, &at)))
    keys[count] = (key_entry){cst_yaml_text(fy_node_pair_key(pair)), fy_node_pair_value(pair), count}, count++;
  qsort(keys, (size_t)count, sizeof *keys, by_word);
  for (int i = 0; i < count; i++) {
    fprintf(f, "%*s", indent, "");
    write_scalar(keys[i].word, f);
    fputc(':', f);
    write_node(keys[i].node, indent + 2, f);
  }
  free(keys);
}

/* n behind a colon or dash: on the same line when it is one word or empty, else on lines of its own. */
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
  char     *text = NULL;
  size_t    length = 0;
  FILE     *f = have(open_memstream(&text, &length));
  cst_yaml *root = cst_document_root(doc);
  if (cst_yaml_size(root))
    write_map(root, 0, f);
  else
    fputs("{}\n", f);
  fclose(f);
  return text;
}

/* Looking at nodes. */

bool cst_yaml_is_scalar(const cst_yaml *n) {
  return n && fy_node_get_type((cst_yaml *)n) == FYNT_SCALAR && !fy_node_is_alias((cst_yaml *)n);
}
bool cst_yaml_is_list(const cst_yaml *n) { return n && fy_node_get_type((cst_yaml *)n) == FYNT_SEQUENCE; }
bool cst_yaml_is_map(const cst_yaml *n) { return n && fy_node_get_type((cst_yaml *)n) == FYNT_MAPPING; }

const char *cst_yaml_text(cst_yaml *n) {
  if (!cst_yaml_is_scalar(n)) return NULL;
  const char *s = fy_node_get_scalar0(n);
  return s ? s : "";
}

/* The node's place with its children; NULL of a scalar. */
static const place *children(cst_yaml *n) {
  place *p = cst_yaml_is_list(n) || cst_yaml_is_map(n) ? fy_node_get_meta(n) : NULL;
  if (!p || p->value) return p;
  p->size = cst_yaml_is_list(n) ? fy_node_sequence_item_count(n) : fy_node_mapping_item_count(n);
  p->value = have(calloc(2 * (size_t)p->size + 1, sizeof *p->value));
  p->key = p->value + p->size;
  cst_yaml_children(n, p->key, p->value);
  return p;
}

/* They are no longer what they were. */
static void changed(cst_yaml *n) {
  place *p = fy_node_get_meta(n);
  if (!p) return;
  free(p->value);
  p->key = p->value = NULL;
}

int cst_yaml_size(cst_yaml *n) {
  const place *p = children(n);
  return p ? p->size : 0;
}

static cst_yaml *child(cst_yaml *n, int i, bool key) {
  const place *p = children(n);
  return !p || i < 0 || i >= p->size ? NULL : key ? p->key[i] : p->value[i];
}

cst_yaml *cst_yaml_item(cst_yaml *list, int i) { return cst_yaml_is_list(list) ? child(list, i, false) : NULL; }
cst_yaml *cst_yaml_key(cst_yaml *map, int i) { return cst_yaml_is_map(map) ? child(map, i, true) : NULL; }
cst_yaml *cst_yaml_value(cst_yaml *map, int i) { return cst_yaml_is_map(map) ? child(map, i, false) : NULL; }

cst_yaml *cst_yaml_get(cst_yaml *map, const char *key) {
  void                *at = NULL;
  struct fy_node_pair *pair;
  if (!cst_yaml_is_map(map)) return NULL;
  while ((pair = fy_node_mapping_iterate(map, &at))) {
    const char *word = cst_yaml_text(fy_node_pair_key(pair));
    if (word && !strcmp(word, key)) return fy_node_pair_value(pair);
  }
  return NULL;
}

void cst_yaml_children(cst_yaml *n, cst_yaml **key, cst_yaml **value) {
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at))) *value++ = item;
  if (!cst_yaml_is_map(n)) return;
  while ((pair = fy_node_mapping_iterate(n, &at))) {
    if (key) *key++ = fy_node_pair_key(pair);
    *value++ = fy_node_pair_value(pair);
  }
}

void cst_yaml_remove(cst_yaml *map, const char *key) {
  void                *at = NULL;
  struct fy_node_pair *pair;
  while (cst_yaml_is_map(map) && (pair = fy_node_mapping_iterate(map, &at)))
    if (!strcmp(cst_yaml_text(fy_node_pair_key(pair)), key)) {
      fy_node_free(fy_node_mapping_remove_by_key(map, fy_node_pair_key(pair)));
      changed(map);
      return;
    }
}

void cst_yaml_put(cst_yaml *map, const char *key, const char *text) {
  struct fy_document *tree = fy_node_document(map);
  cst_yaml_remove(map, key);
  if (fy_node_mapping_append(map, fy_node_create_scalar_copy(tree, key, FY_NT), fy_node_create_scalar_copy(tree, text, FY_NT)))
    abort(); /* out of memory: the key is new */
  changed(map);
}

/* Errors at nodes. */

void cst_yaml_place(cst_yaml *n, int *line, int *column) {
  const place *p = place_of(n);
  *line = p->line, *column = p->column;
}

void cst_yaml_error(const cst_document *doc, cst_yaml *n, cst_diag *d, const char *format, ...) {
  char    text[MESSAGE_MAX];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  const place *p = place_of(n);
  cst_diag_add(d, doc->file, p->line, p->column, "%s", text);
}

static void advance(place *p, const char *text) {
  if (text[p->start] == '\n') p->line++, p->column = 0;
  p->start++;
  if ((text[p->start] & 0xc0) != 0x80) p->column++;
}

/* Skip a line break of a flow scalar with the blanks around it; the number of content characters that it stands for. */
static int fold(place *p, const char *text) {
  place q = *p;
  int   lines = 0;
  while (text[q.start] && strchr(" \t\r\n", text[q.start])) lines += text[q.start] == '\n', advance(&q, text);
  if (!lines) return 0;
  *p = q;
  return lines > 1 ? lines - 1 : 1;
}

/* Skip one escape of a double-quoted scalar. */
static void skip_escape(place *p, const char *text) {
  char c = text[p->start + 1];
  int  n = c == 'x' ? 4 : c == 'u' ? 6 : c == 'U' ? 10 : 2;
  while (n-- > 0 && text[p->start]) advance(p, text);
}

/* The place of byte `offset` of the content of a plain or quoted scalar whose content starts at p. */
static place inside_flow(place p, const char *text, enum fy_node_style style, int offset) {
  while (offset > 0 && text[p.start]) {
    int folded = fold(&p, text);
    if (folded)
      offset -= folded;
    else if (style == FYNS_DOUBLE_QUOTED && text[p.start] == '\\')
      skip_escape(&p, text), offset--;
    else {
      if (style == FYNS_SINGLE_QUOTED && text[p.start] == '\'') advance(&p, text);
      advance(&p, text), offset--;
    }
  }
  return p;
}

/* The same in a literal block: its lines stand as they are behind an indentation. */
static place inside_literal(place p, const char *text, const char *content, int offset) {
  const char *line = content;
  for (const char *end; (end = strchr(line, '\n')) && end - content < offset; line = end + 1) {
    p.start += strcspn(text + p.start, "\n");
    if (text[p.start]) p.start++;
    p.line++;
  }
  p.column = 1 + (int)strspn(text + p.start, " ") - (int)strspn(line, " ") + (offset - (int)(line - content));
  return p;
}

static place inside(const cst_document *doc, cst_yaml *n, int offset) {
  place              p = *place_of(n);
  const char        *content = cst_yaml_text(n);
  enum fy_node_style style = n ? fy_node_get_style(n) : FYNS_ANY;
  if (!content || !*content || style == FYNS_FOLDED) return p;
  if (style == FYNS_LITERAL) return inside_literal(p, doc->text, content, offset);
  if (style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED) p.column++;
  return inside_flow(p, doc->text, style, offset);
}

void cst_yaml_error_at(const cst_document *doc, cst_yaml *n, int offset, cst_diag *d, const char *format, ...) {
  char    text[MESSAGE_MAX];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  place p = inside(doc, n, offset);
  cst_diag_add(d, doc->file, p.line, p.column, "%s", text);
}

void cst_yaml_check_keys(const cst_document *doc, cst_yaml *map, const char *const *allowed, int n, cst_diag *d) {
  for (int i = 0; i < cst_yaml_size(map); i++) {
    cst_yaml   *key = cst_yaml_key(map, i);
    const char *word = cst_yaml_text(key), *near = word ? cst_nearest(word, allowed, n) : NULL;
    bool        known = false;
    for (int k = 0; k < n; k++) known |= word && !strcmp(word, allowed[k]);
    if (known) continue;
    if (near)
      cst_yaml_error(doc, key, d, "unknown key '%s'; did you mean '%s'? Allowed: %s", word, near, cst_join(allowed, n));
    else
      cst_yaml_error(doc, key, d, "unknown key '%s'; allowed: %s", word ? word : "", cst_join(allowed, n));
  }
}
