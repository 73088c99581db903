/* guide.c: with libFuzzer, half of the mutations are those of mutate.c. The environment names its dictionary
 * and the files for pieces: FUZZ_DICT, FUZZ_FILES (lines). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include "mutate.h"

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t most, unsigned seed);
int    LLVMFuzzerInitialize(int *count, char ***word);

int LLVMFuzzerInitialize(int *count, char ***word) {
  const char *dictionary = getenv("FUZZ_DICT"), *names = getenv("FUZZ_FILES");
  char       *files = strdup(names ? names : "");
  if (dictionary)
    mutate_dictionary(dictionary);
  for (char *name = strtok(files, "\n"); name; name = strtok(NULL, "\n"))
    mutate_add(name);
  free(files);
  return (void)count, (void)word, 0;
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t most, unsigned seed) {
  static char room[MUTATE_BYTES];
  if (seed % 2 || size > sizeof room)
    return LLVMFuzzerMutate(data, size, most);
  text t = {memcpy(room, data, size), size};
  mutate(&t, seed);
  if (t.n > most)
    t.n = most;
  memcpy(data, t.s, t.n);
  return t.n;
}
