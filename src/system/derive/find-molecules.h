/* find-molecules.h: systems that fall into like molecules: no constraint joins two of them, and the constraints of
 * each are those of the first on other coordinates. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_MOLECULES_H
#define CST_MOLECULES_H
#include "system/internal.h"

/* Molecule m has coordinates q[k] + m qstep[k], 0 <= k < nq, and constraints g[a] + m gstep[a], 0 <= a < ng,
 * both ascending. */
typedef struct {
  int  n, nq, ng;
  int *q, *qstep, *g, *gstep;
  int *order; /* [ng] which of them elimination takes first, second ... */
  int *class; /* [nq] of mass */
  /* [ng] the constraints as expressions of the inputs 'x', the molecule's coordinates, and 'c' */
  cst_node *value;
  int *at; /* [ng * nq] the entry of G that stands there, -1: none; entries are numbered by rows */
  int  entries;    /* so many */
  cst_node *slope; /* [entries] of them */
} cst_molecules;

/* false where s is no such system, or no lane code for them is of use: it is one with pairs, a diagonal
 * constant mass, and constraints whose matrix is banded. m is destroyed all the same. */
bool cst_molecules_find(const cst_system *s, cst_molecules *m);
void cst_molecules_destroy(cst_molecules *m);
/* Whether it is. */
bool cst_molecules_are(const cst_system *s);
/* Their sizes and functions as C, behind those of pairs; SYS_MOLECULES 0 where there are none. */
void cst_molecules_emit(const cst_system *s, FILE *f);
#endif
