/* text.h: tests and small changes of text that several parts of the program need. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_TEXT_H
#define CST_CORE_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool cst_text_begins(const char *text, const char *start);
/* Whether text is longer than `end` and ends with it. */
bool cst_text_ends(const char *text, const char *end);
/* A letter of ASCII, then letters, digits and characters of `more`. */
bool cst_text_is_name(const char *text, const char *more);
/* The name of a file without its folder and ending: *name is within path; returns its length. */
int cst_text_stem(const char *path, const char **name);
/* The shortest decimal that strtod reads back as x; 32 bytes suffice. */
void cst_text_shortest(double x, char *out, size_t size);
/* The same with 10 instead of 1e+01, as people write it. Returns out. */
char *cst_text_number(double x, char *out, size_t size);
/* Replaces control characters by '?', so that text from a file cannot steer a terminal. `kept`: one that
 * stays, 0: none. */
void cst_text_disarm(char *text, char kept);
/* Writes text as a string of JSON, with its quotes. */
void cst_text_json(const char *text, FILE *out);
#endif
