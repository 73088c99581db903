/* observers.h: the observers, in the order of their quantities. OBSERVER(name): src/observe/name.c has lane code;
 * PLAIN_OBSERVER(name): none. */
/* SPDX-License-Identifier: BSD-2-Clause */
OBSERVER(energy)
OBSERVER(momentum)
OBSERVER(constraint)
OBSERVER(balance)
OBSERVER(displacement)
OBSERVER(temperature)
OBSERVER(travel)
PLAIN_OBSERVER(rejected)
PLAIN_OBSERVER(expression)
