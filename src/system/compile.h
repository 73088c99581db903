/* compile.h: a user's system as machine code: its emitted C with the lane code that steps it, compiled where
 * a compiler is, kept by content.
 *
 * cst_compile makes the bytes of a shared object, on one rank; cst_code_load attaches them to a system, on
 * every rank that runs that instruction set. The bytes, not a file, are what travels: other nodes need to see
 * no folder of ours. Both back ends, this one and the interpreter, give the same bits. Nothing here knows
 * MPI.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_COMPILE_H
#define CST_COMPILE_H
#include "constella/system.h"

enum { CST_WHY = 2000 }; /* bytes of a reason */

/* What the program carries of its own text: include/..., src/..., gen/...; those that end in .c are compiled.
 * Written by embed.sh. */
typedef struct {
  const char   *path, *text;
  unsigned long length;
} cst_source;
extern const cst_source cst_sources[];
extern const int        cst_source_count;

/* A shared object for one instruction set. */
typedef struct {
  char   key[65];       /* sha256 of what it is made from */
  char   compiler[256]; /* first line of its --version */
  int    isa;
  char  *bytes; /* [size]; owned */
  size_t size;
  bool   cached;  /* it was found, not made */
  double seconds; /* that finding or making it took */
} cst_code;

/* The code of s for instruction set isa, its kernels and the lane code of `cores` with them inlined: names of
 * files of src/method/core and src/observe/core, ending with NULL. Those that are not compiled for a system
 * of its kind are passed over, and what is not compiled is generic; the bits are the same. Each set of cores
 * is an object of its own: from ${XDG_CACHE_HOME:-$HOME/.cache}/constella, else by the compiler, then kept
 * there. The compiler is that of the environment variable CONSTELLA_CC, or the one that built the program, or
 * cc. only_cached: never compile. false with a reason (lines end in \n but for the last) when there is none.
 * Several processes may do this at once. */
bool cst_compile(const cst_system *s, int isa, const char *const *cores, bool only_cached, cst_code *code,
                 char why[CST_WHY]);
/* Seconds that compiling s with these cores takes, roughly. */
double cst_compile_seconds(const cst_system *s, const char *const *cores);
void   cst_compile_free(cst_code *code);

/* Load the bytes into this process and attach them to s, which then owns what is loaded. false with a reason,
 * and s unchanged. */
bool cst_code_load(cst_system *s, const cst_code *code, char why[CST_WHY]);

/* The code of a C file of the user's, text[length], which includes public headers only (code->isa is unused);
 * compiled and kept like that of a system. file names it in the compiler's messages. */
bool cst_compile_file(const char *file, const char *text, size_t length, cst_code *code, char why[CST_WHY]);
/* Bytes of a shared object as a part of this process; NULL with a reason. Owned. */
typedef struct cst_object cst_object;
cst_object               *cst_object_load(const cst_code *code, char why[CST_WHY]);
void                     *cst_load_object_symbol(const cst_object *o,
                                                 const char       *name); /* NULL when it exports none of this name */
void                      cst_load_object_unload(cst_object *o);

/* ---- inside
 * ----------------------------------------------------------------------------------------------------------------------
 */

/* compiler.c. folder: a private one, for temporary files and for what the command prints. */
typedef struct {
  char command[1024], version[256]; /* first line of --version */
} cst_compiler;
/* The first compiler that answers --version. */
bool cst_compiler_find(cst_compiler *c, const char *folder, char why[CST_WHY]);
/* Flags beside those of the instruction set, and those: words with blanks between them. */
const char *cst_compiler_flags(void), *cst_compiler_isa_flags(int isa);
/* Run the words of `command` (the first is searched in PATH) and the arguments (up to NULL). false with a
 * reason when it cannot be run, fails, or takes more than `seconds`. */
bool cst_compiler_run(const char *command, const char *const *arguments, const char *folder, double seconds,
                      char why[CST_WHY]);

/* folder.c: a private folder; its files by names below it, whose parents are made; the object.so that a
 * compiler left there. */
enum { CST_PATH = 4096 };
bool cst_folder_open(char folder[CST_PATH], char why[CST_WHY]);
bool cst_folder_write(const char *folder, const char *name, const char *text, size_t length,
                      char why[CST_WHY]);
bool cst_folder_object(const char *folder, cst_code *code, char why[CST_WHY]);
void cst_folder_remove(const char *folder);

/* cache.c: the folder; NULL when there can be none. Static. */
const char *cst_cache_folder(void);
/* The entry of code->key into code->bytes. false when there is none or it is damaged. */
bool cst_cache_read(cst_code *code);
/* Keep code; when that is not possible nothing happens. */
void cst_cache_write(const cst_code *code);
#endif
