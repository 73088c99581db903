/* test-random.c: Philox and SHA-256 against published values; uniforms and normals against their moments. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "constella/random.h"
#include "tap.h"

/* Random123 1.14, tests/kat_vectors: philox4x32 10. */
static void philox(void) {
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
               {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
               {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                {0xa4093822, 0x299f31d0},
                {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (int i = 0; i < 3; i++) {
    uint32_t out[4];
    cst_random_philox(known[i].counter, known[i].key, out);
    OK(!memcmp(out, known[i].out, sizeof out), "philox 4x32-10: published answer %d", i + 1);
  }
}

enum { DRAWS = 200000 };

static void uniforms(void) {
  double sum = 0, square = 0, low = 1, high = 0;
  int    bin[16] = {0};
  for (int i = 0; i < DRAWS; i++) {
    double u = cst_random_uniform(7, (uint64_t)i, CST_PURPOSE_TEST, 0, 0);
    sum += u;
    square += u * u;
    low = fmin(low, u);
    high = fmax(high, u);
    bin[(int)(16 * u)]++;
  }
  double chi = 0, mean = sum / DRAWS, var = square / DRAWS - mean * mean;
  for (int i = 0; i < 16; i++)
    chi += pow(bin[i] - DRAWS / 16., 2) / (DRAWS / 16.);
  OK(low > 0 && high < 1, "uniforms lie in (0, 1): from %.3g to 1 - %.3g", low, 1 - high);
  OK(fabs(mean - 0.5) < 4 / sqrt(12. * DRAWS), "uniforms: mean %.5f", mean);
  OK(fabs(var - 1 / 12.) < 4 * sqrt(1 / 180. / DRAWS), "uniforms: variance %.6f", var);
  OK(chi < 37.7, "uniforms: chi-square of 16 bins is %.1f, below the 0.999 quantile 37.7", chi);
}

/* Moments 1 to 4 of the normal distribution are 0, 1, 0, 3; the k-th sample moment has variance (E x^2k - (E
 * x^k)^2) / n. */
static void normals(void) {
  static const double expect[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
  double              m[4] = {0}, cross = 0;
  for (int i = 0; i < DRAWS; i++) {
    double x = cst_random_normal(11, (uint64_t)i, CST_PURPOSE_TEST, 3, 1),
           y = cst_random_normal(11, (uint64_t)i, CST_PURPOSE_TEST, 3, 2);
    double p = 1;
    for (int k = 0; k < 4; k++)
      m[k] += (p *= x) / DRAWS;
    cross += x * y / DRAWS;
  }
  for (int k = 0; k < 4; k++)
    OK(fabs(m[k] - expect[k]) < 4 * sqrt(variance[k] / DRAWS), "normals: moment %d is %.4f", k + 1,
       m[k]);
  OK(fabs(cross) < 4 / sqrt(DRAWS), "normals: neighbouring components are uncorrelated: %.4f",
     cross);
}

/* Kolmogorov-Smirnov distance from the normal distribution. */
static int ascending(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}
static void normal_shape(void) {
  enum { N = 20000 };
  static double x[N];
  double        worst = 0;
  for (int i = 0; i < N; i++)
    x[i] = cst_random_normal(12, 5, CST_PURPOSE_TEST, (uint32_t)i, 0);
  qsort(x, N, sizeof *x, ascending);
  for (int i = 0; i < N; i++) {
    double f = 0.5 * erfc(-x[i] / sqrt(2));
    worst = fmax(worst, fmax(fabs(f - i / (double)N), fabs(f - (i + 1) / (double)N)));
  }
  OK(worst * sqrt(N) < 1.95,
     "normals: Kolmogorov-Smirnov statistic %.2f is below the 0.999 quantile 1.95",
     worst * sqrt(N));
}

static void addresses(void) {
  struct {
    uint64_t seed, member;
    uint32_t purpose, substep, component;
  } a[] = {{1, 2, 3, 4, 5},
           {9, 2, 3, 4, 5},
           {1ull << 32 | 1, 2, 3, 4, 5},
           {1, 9, 3, 4, 5},
           {1, 1ull << 32 | 2, 3, 4, 5},
           {1, 2, 9, 4, 5},
           {1, 2, 3, 9, 5},
           {1, 2, 3, 4, 9}};
  enum { N = sizeof a / sizeof *a };
  double u[N];
  int    equal = 0;
  for (int i = 0; i < N; i++)
    u[i] = cst_random_uniform(a[i].seed, a[i].member, a[i].purpose, a[i].substep, a[i].component);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      equal += u[i] == u[j];
  OK(equal == 0, "every field of the address matters, high words too");
  OK(u[0] == cst_random_uniform(1, 2, 3, 4, 5), "the same address gives the same bits");
}

/* FIPS 180-4 examples (NIST, SHA256.pdf), and lengths around the limits of the padding. */
static void sha(void) {
  char hex[65];
  cst_sha256("", 0, hex);
  OK(!strcmp(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
     "sha256 of nothing");
  cst_sha256("abc", 3, hex);
  OK(!strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
     "sha256 of abc");
  const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  cst_sha256(two, strlen(two), hex);
  OK(!strcmp(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
     "sha256 of 56 bytes (two blocks)");
  char *million = malloc(1000000);
  memset(million, 'a', 1000000);
  cst_sha256(million, 1000000, hex);
  OK(!strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
     "sha256 of a million a");
  cst_sha256(million, 55, hex);
  OK(!strcmp(hex, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
     "sha256 of 55 a");
  cst_sha256(million, 64, hex);
  OK(!strcmp(hex, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
     "sha256 of 64 a");
  free(million);
}

static void finish(cst_sha256_context *s, char hex[65]) {
  unsigned char digest[32];
  cst_sha256_final(s, digest);
  for (int i = 0; i < 32; i++)
    sprintf(hex + 2 * i, "%02x", digest[i]);
}

/* Every length up to four blocks, in pieces of every size up to a hundred, with the processor's instructions
 * and without. */
static void sha_in_pieces(void) {
  unsigned char text[256];
  char          whole[65], pieces[65], portable[65];
  int           wrong = 0, other = 0;
  for (int i = 0; i < 256; i++)
    text[i] = (unsigned char)(i * i + 7 * i);
  for (unsigned long length = 0; length <= 256; length++) {
    cst_sha256(text, length, whole);
    for (unsigned long piece = 1; piece <= 100; piece++) {
      cst_sha256_context a, b;
      cst_sha256_init(&a), cst_sha256_init(&b);
      b.compress = cst_sha256_portable;
      for (unsigned long at = 0; at < length; at += piece) {
        unsigned long n = at + piece < length ? piece : length - at;
        cst_sha256_update(&a, text + at, n), cst_sha256_update(&b, text + at, n);
      }
      finish(&a, pieces), finish(&b, portable);
      wrong += strcmp(whole, pieces) != 0;
      other += strcmp(whole, portable) != 0;
    }
  }
  OK(!wrong && !other,
     "sha256 in pieces is that of the whole (%d differ), portable too (%d differ)", wrong, other);
  text[100] ^= 1;
  cst_sha256(text, 256, pieces);
  OK(strcmp(whole, pieces), "and another one where a bit is turned");
}

static void sha_speed(void) {
  enum { N = 1 << 24 };
  unsigned char     *bytes = calloc(1, N);
  char               a[65], b[65];
  cst_sha256_context s;
  clock_t            t = clock();
  cst_sha256(bytes, N, a);
  double chosen = (double)(clock() - t) / CLOCKS_PER_SEC;
  t = clock();
  cst_sha256_init(&s);
  s.compress = cst_sha256_portable;
  cst_sha256_update(&s, bytes, N);
  finish(&s, b);
  double portable = (double)(clock() - t) / CLOCKS_PER_SEC;
  OK(!strcmp(a, b), "sha256 of 16 MiB either way");
  NOTE("chosen %.0f MB/s, portable %.0f MB/s", N / 1e6 / chosen, N / 1e6 / portable);
  free(bytes);
}

int main(void) {
  philox();
  uniforms();
  normals();
  normal_shape();
  addresses();
  sha();
  sha_in_pieces();
  sha_speed();
  return tap_done();
}
