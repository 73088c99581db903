/* modified-pendulum.h: written by generate from modified-pendulum.yaml; not to be edited. */
#define SYS_ID modified_pendulum
#define NQ 3
#define NG 1
#define NPAR 0
#define NSYM 0
#define NMASS 1
#define MASS_UNIT 1
#define LINEAR_V 0
static const unsigned char sys_pattern_g[3] __attribute__((unused)) = {1,1,1};
static const unsigned char sys_pattern_v[9] __attribute__((unused)) = {0,0,0, 0,0,0, 0,0,1};
static const unsigned char sys_pattern_xi[1] __attribute__((unused)) = {0};
static const int sys_mass_class[3] __attribute__((unused)) = {0,0,0};
CST_INLINE void sys_V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[2] * q[2];
  const vd t1 = t0 * t0;
  o[0] = t1;
}
CST_INLINE void sys_dV(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  const vd t0 = q[2] * q[2];
  const vd t1 = t0 + t0;
  const vd t2 = q[2] * t1;
  const vd t3 = t2 + t2;
  o[2] = t3;
}
CST_INLINE void sys_d2V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[2] * 2.0;
  const vd t1 = t0 + t0;
  const vd t2 = q[2] * t1;
  const vd t3 = q[2] * q[2];
  const vd t4 = t3 + t3;
  const vd t5 = 2.0 * t4;
  const vd t6 = t5 + t2;
  const vd t7 = t2 + t6;
  o[8] = t7;
}
CST_INLINE void sys_mass(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(1.0);
}
CST_INLINE void sys_g(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[2] * q[2];
  const vd t1 = q[0] * q[0];
  const vd t2 = t1 * t1;
  const vd t3 = t1 * t2;
  const vd t4 = q[1] * q[1];
  const vd t5 = t4 * t4;
  const vd t6 = t3 + t5;
  const vd t7 = t0 + t6;
  const vd t8 = t7 - 0.625;
  o[0] = t8;
}
CST_INLINE void sys_G(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = t0 * t0;
  const vd t2 = t1 + t1;
  const vd t3 = t1 + t2;
  const vd t4 = q[0] * t3;
  const vd t5 = t4 + t4;
  o[0] = t5;
  const vd t6 = q[1] * q[1];
  const vd t7 = t6 + t6;
  const vd t8 = q[1] * t7;
  const vd t9 = t8 + t8;
  o[1] = t9;
  const vd t10 = q[2] + q[2];
  o[2] = t10;
}
CST_INLINE void sys_D2gvv(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = v[2] * v[2];
  const vd t1 = t0 + t0;
  const vd t2 = q[0] * v[0];
  const vd t3 = t2 + t2;
  const vd t4 = q[0] * q[0];
  const vd t5 = t4 * t3;
  const vd t6 = t5 + t5;
  const vd t7 = t3 * t6;
  const vd t8 = t4 * t4;
  const vd t9 = v[0] * v[0];
  const vd t10 = t9 + t9;
  const vd t11 = t8 * t10;
  const vd t12 = t7 + t11;
  const vd t13 = t3 * t3;
  const vd t14 = t4 * t10;
  const vd t15 = t13 + t14;
  const vd t16 = t15 + t15;
  const vd t17 = t4 * t16;
  const vd t18 = t7 + t17;
  const vd t19 = t12 + t18;
  const vd t20 = q[1] * v[1];
  const vd t21 = t20 + t20;
  const vd t22 = t21 * t21;
  const vd t23 = q[1] * q[1];
  const vd t24 = v[1] * v[1];
  const vd t25 = t24 + t24;
  const vd t26 = t23 * t25;
  const vd t27 = t22 + t26;
  const vd t28 = t27 + t27;
  const vd t29 = t19 + t28;
  const vd t30 = t1 + t29;
  o[0] = t30;
}
CST_INLINE void sys_D2glw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = t0 * l[0];
  const vd t2 = t0 * t1;
  const vd t3 = t0 * t0;
  const vd t4 = t3 * l[0];
  const vd t5 = t4 + t2;
  const vd t6 = t2 + t5;
  const vd t7 = w[0] * t6;
  const vd t8 = q[0] * w[0];
  const vd t9 = t8 + t8;
  const vd t10 = t1 * t9;
  const vd t11 = l[0] * t9;
  const vd t12 = t0 * t11;
  const vd t13 = t10 + t12;
  const vd t14 = t0 * t9;
  const vd t15 = t14 + t14;
  const vd t16 = l[0] * t15;
  const vd t17 = t16 + t13;
  const vd t18 = t13 + t17;
  const vd t19 = q[0] * t18;
  const vd t20 = t7 + t19;
  const vd t21 = t20 + t20;
  o[0] = t21;
  const vd t22 = q[1] * q[1];
  const vd t23 = t22 * l[0];
  const vd t24 = t23 + t23;
  const vd t25 = w[1] * t24;
  const vd t26 = q[1] * w[1];
  const vd t27 = t26 + t26;
  const vd t28 = l[0] * t27;
  const vd t29 = t28 + t28;
  const vd t30 = q[1] * t29;
  const vd t31 = t25 + t30;
  const vd t32 = t31 + t31;
  o[1] = t32;
  const vd t33 = w[2] * l[0];
  const vd t34 = t33 + t33;
  o[2] = t34;
}
CST_INLINE void sys_d2Vw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  const vd t0 = q[2] * q[2];
  const vd t1 = t0 + t0;
  const vd t2 = t1 * w[2];
  const vd t3 = q[2] * w[2];
  const vd t4 = t3 + t3;
  const vd t5 = t4 + t4;
  const vd t6 = q[2] * t5;
  const vd t7 = t2 + t6;
  const vd t8 = t7 + t7;
  o[2] = t8;
}
CST_INLINE void sys_xi(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
