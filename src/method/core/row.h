/* row.h: included by a core's file when it is compiled without lanes, for its row. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/core.h"
#include "method/substeps.h"

/* Checks that there is room for both kinds of data: the parameters of a substep, and what lane code reads. */
#define CST_DATA_FITS(parameters, lane)                                                            \
  _Static_assert(sizeof(parameters) <= CST_SUBSTEP_DATA && sizeof(lane) <= CST_LANE_DATA,          \
                 "raise CST_SUBSTEP_DATA or CST_LANE_DATA")
