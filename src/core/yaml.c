/* yaml.c: reads and changes the nodes of a document; reports errors at them, also in the middle of a scalar.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include "core/need.h"
#include "core/document-places.h"
#include "core/diag.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 4000 };

/* Reading nodes. */

bool cst_yaml_is_scalar(const cst_yaml *n) {
  return n && fy_node_get_type((cst_yaml *)n) == FYNT_SCALAR && !fy_node_is_alias((cst_yaml *)n);
}
bool cst_yaml_is_list(const cst_yaml *n) {
  return n && fy_node_get_type((cst_yaml *)n) == FYNT_SEQUENCE;
}
bool cst_yaml_is_map(const cst_yaml *n) {
  return n && fy_node_get_type((cst_yaml *)n) == FYNT_MAPPING;
}

const char *cst_yaml_text(cst_yaml *n) {
  if (!cst_yaml_is_scalar(n))
    return NULL;
  const char *s = fy_node_get_scalar0(n);
  return s ? s : "";
}

/* The place of a node with its children; NULL for a scalar. */
static const cst_place *children(cst_yaml *n) {
  cst_place *p = cst_yaml_is_list(n) || cst_yaml_is_map(n) ? fy_node_get_meta(n) : NULL;
  if (!p || p->value)
    return p;
  p->size = cst_yaml_is_list(n) ? fy_node_sequence_item_count(n) : fy_node_mapping_item_count(n);
  p->value = cst_need(calloc(2 * (size_t)p->size + 1, sizeof *p->value));
  p->key = p->value + p->size;
  cst_yaml_children(n, p->key, p->value);
  return p;
}

/* Forgets the children after a change. */
static void changed(cst_yaml *n) {
  cst_place *p = fy_node_get_meta(n);
  if (!p)
    return;
  free(p->value);
  p->key = p->value = NULL;
}

int cst_yaml_size(cst_yaml *n) {
  const cst_place *p = children(n);
  return p ? p->size : 0;
}

static cst_yaml *child(cst_yaml *n, int i, bool key) {
  const cst_place *p = children(n);
  return !p || i < 0 || i >= p->size ? NULL : key ? p->key[i] : p->value[i];
}

cst_yaml *cst_yaml_item(cst_yaml *list, int i) {
  return cst_yaml_is_list(list) ? child(list, i, false) : NULL;
}
cst_yaml *cst_yaml_key(cst_yaml *map, int i) {
  return cst_yaml_is_map(map) ? child(map, i, true) : NULL;
}
cst_yaml *cst_yaml_value(cst_yaml *map, int i) {
  return cst_yaml_is_map(map) ? child(map, i, false) : NULL;
}

cst_yaml *cst_yaml_get(cst_yaml *map, const char *key) {
  CST_REQUIRE(key, NULL);
  void                *at = NULL;
  struct fy_node_pair *pair;
  if (!cst_yaml_is_map(map))
    return NULL;
  while ((pair = fy_node_mapping_iterate(map, &at))) {
    const char *word = cst_yaml_text(fy_node_pair_key(pair));
    if (word && !strcmp(word, key))
      return fy_node_pair_value(pair);
  }
  return NULL;
}

void cst_yaml_children(cst_yaml *n, cst_yaml **key, cst_yaml **value) {
  CST_REQUIRE(n && value);
  void                *at = NULL;
  struct fy_node      *item;
  struct fy_node_pair *pair;
  if (cst_yaml_is_list(n))
    while ((item = fy_node_sequence_iterate(n, &at)))
      *value++ = item;
  if (!cst_yaml_is_map(n))
    return;
  while ((pair = fy_node_mapping_iterate(n, &at))) {
    if (key)
      *key++ = fy_node_pair_key(pair);
    *value++ = fy_node_pair_value(pair);
  }
}

void cst_yaml_remove(cst_yaml *map, const char *key) {
  CST_REQUIRE(map && key);
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
  CST_REQUIRE(map && key && text);
  struct fy_document *tree = fy_node_document(map);
  cst_yaml_remove(map, key);
  if (fy_node_mapping_append(map, fy_node_create_scalar_copy(tree, key, FY_NT),
                             fy_node_create_scalar_copy(tree, text, FY_NT)))
    cst_need_fail(); /* out of memory: the key is new */
  changed(map);
}

/* The new map takes the place of the scalar. */
void cst_yaml_wrap(cst_yaml *map, const char *key, const char *inner) {
  CST_REQUIRE(map && key && inner);
  cst_yaml *old = cst_yaml_get(map, key);
  CST_REQUIRE(cst_yaml_is_scalar(old));
  struct fy_document *tree = fy_node_document(map);
  struct fy_node     *inside = fy_node_create_mapping(tree);
  cst_place          *place = fy_node_get_meta(old);
  if (fy_node_mapping_append(inside, fy_node_create_scalar_copy(tree, inner, FY_NT),
                             fy_node_create_scalar_copy(tree, cst_yaml_text(old), FY_NT)))
    cst_need_fail();
  fy_node_clear_meta(old);
  cst_yaml_remove(map, key);
  if (fy_node_mapping_append(map, fy_node_create_scalar_copy(tree, key, FY_NT), inside) ||
      fy_node_set_meta(inside, place))
    cst_need_fail();
  changed(map);
}

/* Errors at nodes. */

void cst_yaml_place(cst_yaml *n, int *line, int *column) {
  CST_REQUIRE(n && line && column);
  const cst_place *p = cst_document_place_of(n);
  *line = p->line;
  *column = p->column;
}

void cst_yaml_error(const cst_document *doc, cst_yaml *n, cst_diag *d, const char *format, ...) {
  CST_REQUIRE(doc && d && format);
  char    text[MESSAGE_MAX];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  const cst_place *p = cst_document_place_of(n);
  cst_diag_add(d, doc->file, p->line, p->column, "%s", text);
}

static void advance(cst_place *p, const char *text) {
  if (text[p->start] == '\n') {
    p->line++;
    p->column = 0;
  }
  p->start++;
  if ((text[p->start] & 0xc0) != 0x80)
    p->column++;
}

/* Skips a line break of a flow scalar with the blanks around it; returns the number of content characters
 * that it stands for. */
static int fold(cst_place *p, const char *text) {
  cst_place q = *p;
  int       lines = 0;
  while (text[q.start] && strchr(" \t\r\n", text[q.start])) {
    lines += text[q.start] == '\n';
    advance(&q, text);
  }
  if (!lines)
    return 0;
  *p = q;
  return lines > 1 ? lines - 1 : 1;
}

/* Skip one escape of a double-quoted scalar. */
static void skip_escape(cst_place *p, const char *text) {
  char c = text[p->start + 1];
  int  n = c == 'x' ? 4 : c == 'u' ? 6 : c == 'U' ? 10 : 2;
  while (n-- > 0 && text[p->start])
    advance(p, text);
}

/* The place of byte `offset` of the content of a plain or quoted scalar whose content starts at p. */
static cst_place inside_flow(cst_place p, const char *text, enum fy_node_style style, int offset) {
  while (offset > 0 && text[p.start]) {
    int folded = fold(&p, text);
    if (folded)
      offset -= folded;
    else if (style == FYNS_DOUBLE_QUOTED && text[p.start] == '\\') {
      skip_escape(&p, text);
      offset--;
    } else {
      if (style == FYNS_SINGLE_QUOTED && text[p.start] == '\'')
        advance(&p, text);
      advance(&p, text);
      offset--;
    }
  }
  return p;
}

/* The same in a literal block: its lines are taken as they are, after the indentation. */
static cst_place inside_literal(cst_place p, const char *text, const char *content, int offset) {
  const char *line = content;
  for (const char *end; (end = strchr(line, '\n')) && end - content < offset; line = end + 1) {
    p.start += strcspn(text + p.start, "\n");
    if (text[p.start])
      p.start++;
    p.line++;
  }
  p.column = 1 + (int)strspn(text + p.start, " ") - (int)strspn(line, " ") +
             (offset - (int)(line - content));
  return p;
}

static cst_place inside(const cst_document *doc, cst_yaml *n, int offset) {
  cst_place          p = *cst_document_place_of(n);
  const char        *content = cst_yaml_text(n);
  enum fy_node_style style = n ? fy_node_get_style(n) : FYNS_ANY;
  if (!content || !*content || style == FYNS_FOLDED)
    return p;
  if (style == FYNS_LITERAL)
    return inside_literal(p, doc->text, content, offset);
  if (style == FYNS_SINGLE_QUOTED || style == FYNS_DOUBLE_QUOTED)
    p.column++;
  return inside_flow(p, doc->text, style, offset);
}

void cst_yaml_error_at(const cst_document *doc, cst_yaml *n, int offset, cst_diag *d,
                       const char *format, ...) {
  CST_REQUIRE(doc && d && format);
  char    text[MESSAGE_MAX];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  cst_place p = inside(doc, n, offset);
  cst_diag_add(d, doc->file, p.line, p.column, "%s", text);
}

void cst_yaml_check_keys(const cst_document *doc, cst_yaml *map, const char *const *allowed, int n,
                         cst_diag *d) {
  CST_REQUIRE(doc && map && d && (allowed || n <= 0));
  for (int i = 0; i < cst_yaml_size(map) && !cst_diag_full(d); i++) {
    cst_yaml   *key = cst_yaml_key(map, i);
    const char *word = cst_yaml_text(key);
    bool        known = false;
    for (int k = 0; k < n; k++)
      known |= word && !strcmp(word, allowed[k]);
    if (known)
      continue;
    const char *near = word ? cst_diag_nearest(word, allowed, n) : NULL;
    if (near)
      cst_yaml_error(doc, key, d, "unknown key '%s'; did you mean '%s'? Allowed: %s", word, near,
                     cst_diag_join(allowed, n));
    else
      cst_yaml_error(doc, key, d, "unknown key '%s'; allowed: %s", word ? word : "",
                     cst_diag_join(allowed, n));
  }
}
