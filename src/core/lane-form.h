/* lane-form.h: finds lane code that the build compiled for a row of cst_isas. The table is lane-forms.c, which
 * tools/lane-forms.sh writes into the build folder: no other file knows which instruction sets are built. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LANE_FORM_H
#define CST_LANE_FORM_H
#include "constella/isa.h"

/* What src/ROOM/core/NAME.c (or src/expr/interpret.c) exports for row isa, under the symbol that its room agrees on; NULL: not
 * compiled for this row. */
const void *cst_lane_form(int isa, const char *name);
/* The compiled kernels of a system of the catalogue; NULL: none. */
const void *cst_lane_kernels(int isa, const char *system);
/* What ends the names of exported symbols of lane code of this row (CST_ISA in its files), and the flags of its compilation. */
const char *cst_lane_suffix(int isa), *cst_lane_flags(int isa);

/* ---- for lane-forms.c and isa.c ----------------------------------------------------------------- */
typedef struct {
  const char *name;
  const void *form;
} cst_lane_entry;
typedef struct {
  const char           *suffix, *flags;
  const cst_lane_entry *forms, *kernels; /* terminated by an entry without a name */
} cst_lane_row;
extern const cst_lane_row cst_lane_rows[CST_ISA_MOST];
#endif
