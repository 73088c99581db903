/* march-apart.h: from here on, what a substep does is called, not inlined. Part of march.h, for generic code, and
 * of march-pieces.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define enter     enter_apart
#define begin     begin_apart
#define evaluate  evaluate_apart
#define direction direction_apart
#define finish    finish_apart
