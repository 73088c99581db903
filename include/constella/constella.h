/* constella.h: all public headers: systems, methods, studies, results, statistics. Lane code includes
 * constella/lanes.h directly.
 *
 * L(q, v) = 1/2 v' M v - V(q), g(q) = 0, G = Dg; everywhere M A = f - G' lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_H
#define CONSTELLA_H
#include "constella/diag.h"
#include "constella/document.h"
#include "constella/expr.h"
#include "constella/integrator.h"
#include "constella/isa.h"
#include "constella/kernels.h"
#include "constella/layer.h"
#include "constella/method.h"
#include "constella/random.h"
#include "constella/record.h"
#include "constella/statistics.h"
#include "constella/study.h"
#include "constella/system.h"

#define CST_RELEASE "0.1.0"
#endif
