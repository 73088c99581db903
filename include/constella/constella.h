/* constella.h: all public headers: systems, methods, studies, results, statistics. Lane code includes
 * constella/lanes.h directly. C++ includes this header alone.
 *
 * L(q, v) = 1/2 v' M v - V(q), g(q) = 0, G = Dg; everywhere M A = f - G' lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_H
#define CONSTELLA_H
#ifdef __cplusplus       /* the headers of others, before the functions of C */
#ifndef OMPI_SKIP_MPICXX /* the bindings of C++ that MPI had would need another library */
#define OMPI_SKIP_MPICXX
#endif
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
extern "C" {
#endif
#include "constella/diag.h"
#include "constella/expr.h"
#include "constella/foreign.h"
#include "constella/integrator.h"
#include "constella/isa.h"
#include "constella/layer.h"
#include "constella/method.h"
#include "constella/random.h"
#include "constella/record.h"
#include "constella/statistics.h"
#include "constella/system.h"
#ifdef __cplusplus
}
#endif

#define CST_RELEASE "0.1.0"
#endif
