/* read-text.c: names, keys and texts of a description. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/read/system-reader.h"

enum { NAME_MAX_BYTES = 60 };

static const char *const reserved[] = {"t", "pi",
#define OPERATION(OP, name, n, kind, ...) RESERVE_##kind(name)
#define RESERVE_SIGN(name)
#define RESERVE_HIDDEN(name)
#define RESERVE_FREE(name)
#define RESERVE_RESERVED(name) name,
#include "expr/operations.h"
                                       "sum"};
enum { RESERVED = sizeof reserved / sizeof *reserved };

bool cst_read_goes_on(const cst_reading *r) {
  return !r->stopped && cst_diag_count(r->d) - r->before < CST_READING_ERRORS;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* True for a name: letters, digits and '_' (outside expressions also '-'), with a letter first. */
bool cst_read_is_name(const char *s, bool dashes) {
  if (!is_letter(*s) || strlen(s) > NAME_MAX_BYTES)
    return false;
  for (; *s; s++)
    if (!is_letter(*s) && !is_digit(*s) && *s != '_' && !(dashes && *s == '-'))
      return false;
  return true;
}

static bool is_reserved(const char *name) {
  for (int i = 0; i < RESERVED; i++)
    if (!strcmp(name, reserved[i]))
      return true;
  return false;
}

bool cst_read_wrong_symbol(const char *name, const char *what, char *why, size_t size) {
  if (!name || !cst_read_is_name(name, false))
    snprintf(why, size,
             "'%s' is not a valid name of a %s; a name has letters, digits and _, a letter first, "
             "at most %d "
             "characters",
             name ? name : "", what, NAME_MAX_BYTES);
  else if (is_reserved(name))
    snprintf(why, size, "'%s' is reserved and cannot name a %s; reserved: %s", name, what,
             cst_diag_join(reserved, RESERVED));
  else if (!strncmp(name, "lambda_", 7))
    snprintf(why, size,
             "'%s' cannot name a %s; names that begin with lambda_ belong to multipliers", name,
             what);
  else
    return false;
  return true;
}

bool cst_read_symbol(cst_reading *r, cst_yaml *n, int offset, const char *name, const char *what) {
  char why[4096];
  if (!cst_read_wrong_symbol(name, what, why, sizeof why))
    return true;
  if (offset < 0)
    cst_yaml_error(r->doc, n, r->d, "%s", why);
  else
    cst_yaml_error_at(r->doc, n, offset, r->d, "%s", why);
  return false;
}

bool cst_read_label(cst_reading *r, cst_yaml *n, const char *what) {
  const char *name = cst_yaml_text(n);
  if (name && cst_read_is_name(name, true))
    return true;
  cst_yaml_error(
      r->doc, n, r->d,
      "'%s' is not a valid name of a %s; a name has letters, digits, _ and -, a letter first, at "
      "most %d characters",
      name ? name : "", what, NAME_MAX_BYTES);
  return false;
}

/* The entry `key` of map. Reports an error and returns NULL if it is absent. */
cst_yaml *cst_read_required(cst_reading *r, cst_yaml *map, const char *key, const char *of) {
  cst_yaml *n = cst_yaml_get(map, key);
  if (!n)
    cst_yaml_error(r->doc, map, r->d, "missing key '%s' %s", key, of);
  return n;
}

const char *cst_read_text(cst_reading *r, cst_yaml *n, const char *key) {
  if (!n)
    return "";
  if (!cst_yaml_is_scalar(n))
    cst_yaml_error(r->doc, n, r->d, "'%s' must be text", key);
  return cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "";
}

/* The map `key`; NULL if it is absent or not a map. */
cst_yaml *cst_read_map(cst_reading *r, const char *key, const char *form) {
  cst_yaml *map = cst_yaml_get(r->root, key);
  if (!map || cst_yaml_is_map(map))
    return map;
  cst_yaml_error(r->doc, map, r->d, "'%s' must be a map of '%s'", key, form);
  return NULL;
}

cst_yaml **cst_read_children(cst_yaml *n, cst_yaml ***keys) {
  size_t     size = (size_t)cst_yaml_size(n);
  cst_yaml **value = cst_need(calloc(2 * size + 1, sizeof *value));
  cst_yaml_children(n, value + size, value);
  if (keys)
    *keys = value + size;
  return value;
}

static void write_entry(FILE *f, cst_yaml *n) {
  if (!cst_yaml_is_list(n)) {
    fputs(cst_yaml_is_scalar(n) ? cst_yaml_text(n) : "", f);
    return;
  }
  cst_yaml **item = cst_read_children(n, NULL);
  fputc('[', f);
  for (int i = 0; i < cst_yaml_size(n); i++) {
    fputs(i ? ", " : "", f);
    if (cst_yaml_is_scalar(item[i]))
      fputs(cst_yaml_text(item[i]), f);
  }
  fputc(']', f);
  free(item);
}

static const char *keep_text(cst_reading *r, const char *text) {
  return strcpy(cst_system_keep(r->s, strlen(text) + 1, 1), text);
}

const char *cst_read_written(cst_reading *r, cst_yaml *n) {
  char  *text = NULL;
  size_t length = 0;
  if (cst_yaml_is_scalar(n))
    return cst_yaml_text(n);
  FILE *f = cst_need(open_memstream(&text, &length));
  write_entry(f, n);
  fclose(f);
  const char *kept = keep_text(r, text);
  free(text);
  return kept;
}

const char *cst_read_join(cst_reading *r, cst_yaml *list) {
  char      *text = NULL;
  size_t     length = 0;
  FILE      *f = cst_need(open_memstream(&text, &length));
  cst_yaml **item = cst_read_children(list, NULL);
  for (int i = 0; i < cst_yaml_size(list); i++) {
    fputs(i ? ", " : "", f);
    write_entry(f, item[i]);
  }
  fclose(f);
  const char *kept = keep_text(r, text);
  free(item);
  free(text);
  return kept;
}
