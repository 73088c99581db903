/* jumps.h: where the constraints and forces of a system may jump, in words. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_JUMPS_H
#define CST_JUMPS_H
#include "system/system.h"

enum { CST_JUMPS_TOLD = 6 }; /* texts at most, of CST_JUMP_TEXT characters each */
enum { CST_JUMP_TEXT = 200 };

/* "constraint gear: atan2(y, x) jumps where y = 0 and x < 0"; returns the number of texts, of the first places that there are.
 * Makes nodes of the graph. */
int cst_jumps_tell(const cst_system *s, char text[CST_JUMPS_TOLD][CST_JUMP_TEXT]);
#endif
