/* of-study.h: the channels of every study: those that stand before the channels of all collectors, and those
 * that stand behind them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OF_STUDY_H
#define CST_OF_STUDY_H
#include "study/channels/channels.h"

void cst_channels_declare_first(cst_channels *c);
void cst_channels_declare_last(cst_channels *c);
#endif
