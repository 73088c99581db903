/* document.h: YAML texts with the places of their nodes: a thin layer on libfyaml for study files and system
 * files.
 *
 * The text must be UTF-8 without control characters; this is checked before libfyaml reads it (0.7.12 does
 * not return from some invalid bytes); an empty text, a syntax error and a duplicate key are reported into
 * the cst_diag with their place. Anchors, aliases, tags, keys that are not single words and a second document
 * are refused: no text grows while it is read. Nodes belong to the document and live as long as it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_DOCUMENT_H
#define CST_CORE_DOCUMENT_H
#include <stdbool.h>
#include <stddef.h>
#include "constella/diag.h"

typedef struct cst_document cst_document;
typedef struct fy_node      cst_yaml; /* a node: scalar, sequence or mapping */

/* Reads the whole file into *text, zero-terminated (owned by the caller, free()). NULL, or the reason why it
 * cannot be read (static text). */
const char *cst_document_fetch(const char *path, char **text, size_t *length);

/* Parses text; file is its name in messages (copied). NULL when it is not a YAML mapping, with the reason in
 * d. Owned. */
cst_document *cst_document_parse(const char *file, const char *text, size_t length, cst_diag *d);
void          cst_document_destroy(cst_document *doc);
cst_yaml     *cst_document_root(const cst_document *doc);
const char   *cst_document_file(const cst_document *doc);
/* Canonical text: keys sorted, block style, comments dropped; a fixed point of parse and print. Owned,
 * free(). */
char *cst_document_canonical(const cst_document *doc);

bool        cst_yaml_is_scalar(const cst_yaml *n);
bool        cst_yaml_is_list(const cst_yaml *n);
bool        cst_yaml_is_map(const cst_yaml *n);
const char *cst_yaml_text(cst_yaml *n); /* of a scalar, borrowed; NULL for others */
int         cst_yaml_size(cst_yaml *n); /* entries of a list or map */
cst_yaml   *cst_yaml_item(cst_yaml *list, int i);
cst_yaml *cst_yaml_get(cst_yaml *map, const char *key); /* NULL when absent; map NULL gives NULL */
cst_yaml *cst_yaml_key(cst_yaml *map, int i); /* the i-th key node, in the order of the file */
cst_yaml *cst_yaml_value(cst_yaml *map, int i);
/* All at once, for long lists and maps: value[cst_yaml_size(n)] gets the items of a list or the values of a
 * map, key (may be NULL) its keys. */
void cst_yaml_children(cst_yaml *n, cst_yaml **key, cst_yaml **value);
void cst_yaml_remove(cst_yaml   *map,
                     const char *key); /* removes and frees the key with its value, if present */
void cst_yaml_put(cst_yaml *map, const char *key,
                  const char *text); /* sets key: text, replacing an entry of this key; copied */
void cst_yaml_place(cst_yaml *n, int *line, int *column); /* first token of the node, from 1 */

/* Reports an error at node n (NULL: at 1:1). */
void cst_yaml_error(const cst_document *doc, cst_yaml *n, cst_diag *d, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, offset characters further right in a scalar (expressions inside quoted text). */
void cst_yaml_error_at(const cst_document *doc, cst_yaml *n, int offset, cst_diag *d,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Reports every key of map that is not in allowed[0..n), with the nearest allowed one. */
void cst_yaml_check_keys(const cst_document *doc, cst_yaml *map, const char *const *allowed, int n,
                         cst_diag *d);
#endif
