/* collector.c: the list of all collectors. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collector.h"

#define COLLECTOR(name) extern const cst_collector cst_collector_##name;
#include "study/collectors.h"
#undef COLLECTOR

#define COLLECTOR(name) &cst_collector_##name,
const cst_collector *const cst_collectors[CST_COLLECTORS] = {
#include "study/collectors.h"
};
#undef COLLECTOR
