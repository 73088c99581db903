/* sound.h: whether numbers that are read back from a result are possible in its study.
 *
 * A digest shows that a file is as it was written, not that this program wrote it. Numbers that are read back
 * to compute with them are therefore compared with the plan, wherever they come from.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SOUND_H
#define CST_SOUND_H
#include "study/channels/channels.h"

/* True if all n numbers x, of the type of the channel, are possible in case icase of the plan. Else why[size]
 * tells the first that is not, and what is possible. */
bool cst_sound(const cst_plan *p, int icase, const cst_channel *c, const void *x, size_t n,
               char *why, size_t size);
#endif
