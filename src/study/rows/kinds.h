/* kinds.h: every kind of study, in the order that `list` prints. A new kind is one file with its row and one
 * line here. */
/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
KIND(order)
KIND(conservation)
KIND(ensemble)
KIND(work_precision)
KIND(certify)
KIND(choose)
