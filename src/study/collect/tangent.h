/* tangent.h: what the key `tangent` of a study file and the observables measured by nearby trajectories ask for, and
 * what the collectors that measure them share.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TANGENT_H
#define CST_TANGENT_H
#include "study/channels/channels.h"
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/plan/plan.h"

/* The observables, in the order of the table in tangent.c. */
enum {
  CST_TANGENT_LYAPUNOV,
  CST_TANGENT_MEGNO,
  CST_TANGENT_TWO_FORM,
  CST_TANGENT_VOLUME,
  CST_TANGENT_REVERSIBILITY,
  CST_TANGENT_MOMENTUM_BALANCE,
  CST_TANGENTS
};

enum { CST_TANGENT_MOST = 64 }; /* vectors */

typedef struct {
  int    vectors; /* k */
  double every;   /* time between renormalisations, or between measurements */
  bool   asked[CST_TANGENTS];
  bool   exact; /* derivatives of a step in the place of companions */
} cst_tangent;

/* What a step with its derivative in scalars costs, and each vector of it, in steps of a lane. */
enum { CST_TANGENT_SCALAR_STEP = 50, CST_TANGENT_SCALAR_VECTOR = 8 };

const cst_tangent *cst_tangent_of(const cst_plan *p);
/* The steps of a class between two renormalisations. */
long cst_tangent_steps(const cst_plan *p, const cst_class *k);
/* The dimension of T*Q: 2 (nq - rank G), less the constraints on velocities. */
int cst_tangent_dimension(const cst_system *s);
/* The entry of the list `observables` that is this name; NULL: there is none. Reports a second one. */
cst_yaml *cst_tangent_entry(cst_reader *r, const char *name);

/* Numbers of a trajectory that are the largest of all measurements by companions, with one column each. row: their channels, named as the columns are. has: whether the study asks for number i. */
typedef struct {
  const cst_channel_row *row;
  int                    n;
  bool (*has)(const cst_plan *p, int i);
  struct {
    const char *name, *doc;
  } text[4]; /* [n] */
} cst_tangent_numbers;

void cst_tangent_numbers_declare(const cst_tangent_numbers *x, const cst_plan *p, cst_channels *c);
/* As cst_collector.columns and conclude. */
void *cst_tangent_numbers_columns(const cst_tangent_numbers *x, const cst_plan *p, cst_columns *c);
cst_error cst_tangent_numbers_conclude(const cst_tangent_numbers *x, cst_case_rows *rows,
                                       const void *handles);
/* As cst_collector.next: after every period; never in a replay. */
long cst_tangent_next(const cst_collection *x, long step);
#endif
