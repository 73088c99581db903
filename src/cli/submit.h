/* submit.h: private to src/cli: the values of `constella submit`, and the job script. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SUBMIT_H
#define CST_SUBMIT_H
#include <limits.h>
#include <stdbool.h>
#include "constella/diag.h"
#include "system/compile/compile.h"

typedef struct {
  const char *name;    /* also the extension of its template and of its scripts */
  const char *program; /* takes a script, prints the job's identity */
  const char *flags;   /* flags that make it print nothing else */
  const char *log; /* the end of the name of a job's log, behind the job's name; %s: its identity */
  const char *log_of_parts;             /* the same of an array, whose parts are K */
  const char *log_of_job, *log_of_part; /* how the script names them: the word LOG */
  const char *after; /* flags for a job that begins when job %s has ended, however it did */
  char        ends;  /* ends the identity of an array in what the program prints; 0: nothing does */
} cst_scheduler;

enum { CST_MODULES = 1024 };

typedef struct {
  const char *study, *output, *template_file; /* output, template_file NULL: the defaults */
  const cst_scheduler *scheduler;
  int                  which;           /* of them */
  const char          *account, *queue; /* NULL: the default of the site */
  char   stem[256]; /* the study's name without folder and extension; that of the default output */
  char   name[264]; /* a letter, then letters, digits and . _ + - */
  char   modules[CST_MODULES]; /* with blanks between them; empty: none */
  long   ranks, nodes;         /* nodes 0: the scheduler decides */
  long   requeues;             /* at most */
  long   array;                /* parts of the study; 0: it is one job */
  double hours;
  bool   dry_run;
} cst_submission;

/* The folder and files of a job. */
typedef struct {
  char folder[PATH_MAX], output[PATH_MAX + 304], study[PATH_MAX], program[PATH_MAX];
  bool trusts; /* the study has methods in C */
} cst_places;

/* A job of the whole study; an array of jobs for its parts; the job that merges these. */
typedef enum { CST_JOB_WHOLE, CST_JOB_PARTS, CST_JOB_MERGE } cst_job_kind;

/* The job's name; the path of its script; its text, NULL with errors in d. Owned, free(). */
char *cst_submit_name(const cst_submission *s, cst_job_kind kind);
char *cst_submit_path(const cst_submission *s, const cst_places *p, cst_job_kind kind);
char *cst_submit_make(const cst_submission *s, const cst_places *p, cst_job_kind kind, cst_diag *d);
/* Whether the script exists with these contents. One that was made for the same output, with other hours or
 * ranks, is removed, and else it is an error. */
bool cst_submit_is_there(const char *path, const cst_places *p, const char *script, cst_diag *d);
/* text quoted as one word of the shell. Owned, free(). */
char *cst_submit_quote(const char *text);

extern const cst_source cst_templates[]; /* jobs/submit.SCHEDULER; written by embed.sh */
extern const int        cst_template_count;
#endif
