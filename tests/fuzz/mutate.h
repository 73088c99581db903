/* mutate.h: mutations of texts, for fuzzing with and without libFuzzer. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MUTATE_H
#define MUTATE_H
#include <stddef.h>
#include <stdint.h>

enum { MUTATE_BYTES = 1 << 17 }; /* of a text, at most */

typedef struct {
  char  *s;
  size_t n;
} text;

/* A file to take pieces from, and the i-th of those given; NULL behind the last. */
void        mutate_add(const char *name);
const text *mutate_file(int i);
/* Words to insert: lines "token" with the escapes \xAB \" \\; others are comments. */
void mutate_dictionary(const char *name);
/* One to four mutations of t, whose room is MUTATE_BYTES, drawn from the seed. */
void mutate(text *t, uint64_t seed);
/* Prints what failed with the reason in errno, and ends the process. */
void mutate_fail(const char *what);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
#endif
