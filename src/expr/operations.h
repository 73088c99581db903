/* operations.h: the operations of expressions, a row each: their names, values, derivatives and rounding errors.
 *
 * Whoever wants something of every operation defines OPERATION and those fields that it reads, and includes this file;
 * fields that it does not define are empty. The file may be included any number of times and leaves no macro behind.
 * functions.c refuses to compile where a row lacks a field. A new row gives a function to texts, methods in C, all
 * evaluators and derivatives; its Taylor coefficients are in graph-series.c.
 *
 *   OPERATION(OP, name, n, kind, fields)   CST_OP_OP, its name in texts, its number of operands, and
 *                      SIGN       it is written with this sign
 *                      HIDDEN     it has no name
 *                      RESERVED   nothing else can have its name
 *                      FREE       a definition of this name goes before it
 *   REAL(x)            the value; operands are a and b everywhere
 *   LANES(f, ...)      the function of lanes.h, or core/inverse-root.h, and its operands
 *   QUAD(x)            the value in quadruple precision
 *   COMPLEX(x, where)  the analytic continuation, and where it is one
 *   ANY(x)             these four, where they are written alike
 *   BY_A(x), BY_B(x)   the nodes of the derivatives of the result r, in the graph g (graph-derive.c)
 *   BOUND(x)           the most that the result z is off by, in units of U (bound.c)
 *   PIECES(name, n)    a function that pieces_NAME of functions.c makes of operations, with a free name
 */
/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
#ifndef OPERATION
#define OPERATION(...)
#endif
#ifndef REAL
#define REAL(...)
#endif
#ifndef LANES
#define LANES(...)
#endif
#ifndef QUAD
#define QUAD(...)
#endif
#ifndef COMPLEX
#define COMPLEX(...)
#endif
#ifndef ANY
#define ANY(...)
#endif
#ifndef BY_A
#define BY_A(...)
#endif
#ifndef BY_B
#define BY_B(...)
#endif
#ifndef BOUND
#define BOUND(...)
#endif
#ifndef PIECES
#define PIECES(...)
#endif

OPERATION(ADD, "+", 2, SIGN,
  ANY(a + b)
  BY_A(one(g))
  BY_B(one(g))
  BOUND(a.error + b.error + fabs(z))) /* subnormal sums are exact */

OPERATION(SUB, "-", 2, SIGN,
  ANY(a - b)
  BY_A(one(g))
  BY_B(number(g, -1))
  BOUND(a.error + b.error + fabs(z)))

OPERATION(MUL, "*", 2, SIGN,
  ANY(a * b)
  BY_A(b)
  BY_B(a)
  BOUND(fabs(a.value) * b.error + fabs(b.value) * a.error + U * a.error * b.error + ROUNDED))

OPERATION(DIV, "/", 2, SIGN,
  ANY(a / b)
  BY_A(over(g, 1, b))
  BY_B(cst_graph_neg(g, cst_graph_mul(g, r, over(g, 1, b))))
  BOUND((a.error + fabs(z) * b.error) / left_of(fabs(b.value), b.error) + ROUNDED))

OPERATION(NEG, "-", 1, SIGN,
  ANY(-a)
  BY_A(number(g, -1))
  BOUND(a.error))

OPERATION(SQRT, "sqrt", 1, RESERVED,
  REAL(sqrt(a))
  LANES(vsqrt, a)
  QUAD(sqrtq(a))
  COMPLEX(csqrt(a), creal(a) > 0)
  BY_A(cst_graph_mul(g, number(g, 0.5), of(g, CST_OP_RSQRT, a)))
  BOUND(error_of_root(z, a.error) + ROUNDED))

OPERATION(RSQRT, NULL, 1, HIDDEN, /* 1/sqrt(a), of core/inverse-root.h (cst_graph_share_divisors) */
  REAL(cst_inverse_root(a))
  LANES(vrsqrt, a)
  QUAD(1 / sqrtq(a))
  COMPLEX(1 / csqrt(a), creal(a) > 0)
  BY_A(cst_graph_mul(g, number(g, -0.5), cst_graph_mul(g, r, square(g, r))))
  BOUND(z * a.error / (2 * left_of(a.value, a.error)) + z + ROUNDED))

OPERATION(SIN, "sin", 1, RESERVED,
  REAL(cst_elementary_sin(a))
  LANES(vsin, a)
  QUAD(sinq(a))
  COMPLEX(csin(a), true)
  BY_A(of(g, CST_OP_COS, a))
  BOUND(error_of_wave(cst_elementary_cos(a.value), a.error) + fabs(z) + ROUNDED))

OPERATION(COS, "cos", 1, RESERVED,
  REAL(cst_elementary_cos(a))
  LANES(vcos, a)
  QUAD(cosq(a))
  COMPLEX(ccos(a), true)
  BY_A(cst_graph_neg(g, of(g, CST_OP_SIN, a)))
  BOUND(error_of_wave(cst_elementary_sin(a.value), a.error) + fabs(z) + ROUNDED))

OPERATION(TAN, "tan", 1, RESERVED,
  REAL(cst_elementary_tan(a))
  LANES(vtan, a)
  QUAD(tanq(a))
  COMPLEX(csin(a) / ccos(a), true)
  BY_A(cst_graph_add(g, one(g), square(g, r)))
  BOUND(error_of_tan(z, a.error) + fabs(z) + ROUNDED))

OPERATION(EXP, "exp", 1, RESERVED,
  REAL(cst_elementary_exp(a))
  LANES(vexp, a)
  QUAD(expq(a))
  COMPLEX(cexp(a), true)
  BY_A(r)
  BOUND(error_of_exp(z, a.error) + z + ROUNDED))

OPERATION(LOG, "log", 1, RESERVED,
  REAL(cst_elementary_log(a))
  LANES(vlog, a)
  QUAD(logq(a))
  COMPLEX(clog(a), creal(a) > 0)
  BY_A(over(g, 1, a))
  BOUND(a.error / left_of(a.value, a.error) + fabs(z) + ROUNDED))

OPERATION(ATAN2, "atan2", 2, RESERVED,
  REAL(cst_elementary_atan2(a, b))
  LANES(vatan2, a, b)
  QUAD(atan2q(a, b))
  COMPLEX(angle(a, b), creal(a) != 0 || creal(b) != 0)
  BY_A(cst_graph_mul(g, b, over(g, 1, cst_graph_add(g, square(g, a), square(g, b)))))
  BY_B(cst_graph_neg(g, cst_graph_mul(g, a, over(g, 1, cst_graph_add(g, square(g, a), square(g, b))))))
  BOUND(error_of_angle(a, b) + fabs(z) + ROUNDED))

OPERATION(POW, NULL, 2, HIDDEN, /* written a^b */
  REAL(cst_elementary_pow(a, b))
  LANES(vpow, a, b)
  QUAD(powq(a, b))
  COMPLEX(power(a, b), is_product(b) || creal(a) > 0)
  BY_A(cst_graph_mul(g, b, cst_graph_pow(g, a, cst_graph_sub(g, b, one(g)))))
  BY_B(cst_graph_mul(g, r, of(g, CST_OP_LOG, a)))
  BOUND(error_of_power(z, a, b) + fabs(z) + ROUNDED))

OPERATION(STEP, NULL, 1, HIDDEN, /* 0, 1/2, 1 for a < 0, a = 0, a > 0 */
  REAL(a > 0 ? 1 : a < 0 ? 0 : a + 0.5)
  LANES(vstep, a)
  QUAD(a > 0 ? 1 : a < 0 ? 0 : a + 0.5Q)
  COMPLEX(cst_elementary_apply(CST_OP_STEP, creal(a), 0), creal(a) != 0) /* constant between the pieces */
  BY_A(number(g, 0))
  BOUND(0))

PIECES(step, 1)
PIECES(sign, 1)
PIECES(abs, 1)
PIECES(min, 2)
PIECES(max, 2)
PIECES(ramp, 2)
PIECES(smoothstep, 1)

OPERATION(EXPM1, "expm1", 1, FREE, /* exp(a) - 1 */
  REAL(Sleef_cinz_expm1d1_u10purec(a))
  LANES(vexpm1, a)
  QUAD(expm1q(a))
  COMPLEX(exponential_less_1(a), true)
  BY_A(of(g, CST_OP_EXP, a))
  BOUND(error_of_exp(cst_elementary_exp(a.value), a.error) + fabs(z) + ROUNDED))

OPERATION(LOG1P, "log1p", 1, FREE, /* log(1 + a) */
  REAL(Sleef_cinz_log1pd1_u10purec(a))
  LANES(vlog1p, a)
  QUAD(log1pq(a))
  COMPLEX(logarithm_of_1_and(a), creal(a) > -1)
  BY_A(over(g, 1, cst_graph_add(g, one(g), a)))
  BOUND(a.error / left_of(1 + a.value, a.error) + fabs(z) + ROUNDED))

OPERATION(SINH, "sinh", 1, FREE,
  REAL(Sleef_cinz_sinhd1_u10purec(a))
  LANES(vsinh, a)
  QUAD(sinhq(a))
  COMPLEX(csinh(a), true)
  BY_A(of(g, CST_OP_COSH, a))
  BOUND(error_of_growth(cosh(a.value), z, a.error) + fabs(z) + ROUNDED))

OPERATION(COSH, "cosh", 1, FREE,
  REAL(Sleef_cinz_coshd1_u10purec(a))
  LANES(vcosh, a)
  QUAD(coshq(a))
  COMPLEX(ccosh(a), true)
  BY_A(of(g, CST_OP_SINH, a))
  BOUND(error_of_growth(sinh(a.value), z, a.error) + z + ROUNDED))

OPERATION(TANH, "tanh", 1, FREE,
  REAL(Sleef_cinz_tanhd1_u10purec(a))
  LANES(vtanh, a)
  QUAD(tanhq(a))
  COMPLEX(ctanh(a), true)
  BY_A(cst_graph_sub(g, one(g), square(g, r)))
  BOUND(error_of_tanh(z, a.error) + fabs(z) + ROUNDED))

OPERATION(ACOS, "acos", 1, FREE,
  REAL(Sleef_cinz_acosd1_u10purec(a))
  LANES(vacos, a)
  QUAD(acosq(a))
  COMPLEX(cacos(a), fabs(creal(a)) < 1)
  BY_A(cst_graph_neg(g, slope_of_arc(g, a)))
  BOUND(error_of_arc(a.value, a.error) + z + ROUNDED))

OPERATION(ASIN, "asin", 1, FREE,
  REAL(Sleef_cinz_asind1_u10purec(a))
  LANES(vasin, a)
  QUAD(asinq(a))
  COMPLEX(casin(a), fabs(creal(a)) < 1)
  BY_A(slope_of_arc(g, a))
  BOUND(error_of_arc(a.value, a.error) + fabs(z) + ROUNDED))

#undef OPERATION
#undef REAL
#undef LANES
#undef QUAD
#undef COMPLEX
#undef ANY
#undef BY_A
#undef BY_B
#undef BOUND
#undef PIECES
