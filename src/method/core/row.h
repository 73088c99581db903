/* row.h: included by a core's file when it is compiled without lanes, for its row. CORE is its name,
 * CST_CORES_HERE its generic forms. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/isa.h"
#include "method/core.h"
#include "method/substeps.h"

#define CST_CORE_NAME_(core, isa)    cst_core_##core##_generic_##isa
#define CST_CORE_NAME(core, isa)     CST_CORE_NAME_(core, isa)
#define CST_CORE_DECLARE(isa, lanes) extern const cst_core CST_CORE_NAME(CORE, isa);
#define CST_CORE_ENTRY(isa, lanes)   &CST_CORE_NAME(CORE, isa),
CST_ISA_LIST(CST_CORE_DECLARE)
/* Checks that there is room for both kinds of data: the parameters of a substep, and what lane code reads. */
#define CST_DATA_FITS(parameters, lane)                                                            \
  _Static_assert(sizeof(parameters) <= CST_SUBSTEP_DATA && sizeof(lane) <= CST_LANE_DATA,          \
                 "raise CST_SUBSTEP_DATA or CST_LANE_DATA")

#define CST_CORES_HERE                                                                             \
  { CST_ISA_LIST(CST_CORE_ENTRY) }
