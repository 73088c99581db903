/* list.h: every method, once, in the order that `list` prints. A new method is one file with its row and one line here. */
/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
METHOD(euler_a)
METHOD(euler_b)
METHOD(midpoint)
METHOD(shake)
METHOD(rattle)
METHOD(compose)
METHOD(adjoint)
METHOD(euler)
METHOD(explicit_midpoint)
METHOD(heun)
METHOD(rk3)
METHOD(rk4)
METHOD(rk5)
METHOD(rk6)
METHOD(gauss)
METHOD(project)
