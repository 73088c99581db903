/* extend-studies.h: inside the room: whether a study differs from another one only where it may ask for more.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTEND_STUDIES_H
#define CST_EXTEND_STUDIES_H
#include "constella/study.h"

/* path: of the result that the old one comes from. Steps, methods, members, tolerances, parameters and the
 * title are not compared, nor layers that are new. True where the end is a later one, which both have to be
 * extensible for. */
bool cst_extend_compare(const cst_study *old, const cst_study *now, const char *path, cst_diag *d);
#endif
