/* henon-heiles.h: written by generate from henon-heiles.yaml; not to be edited. */
#define SYS_ID henon_heiles
#define NQ 2
#define NG 0
#define NPAR 0
#define NSYM 0
#define NMASS 1
#define MASS_UNIT 1
#define LINEAR_V 0
static const unsigned char sys_pattern_g[1] __attribute__((unused)) = {0};
static const unsigned char sys_pattern_v[4] __attribute__((unused)) = {1,1, 1,1};
static const unsigned char sys_pattern_xi[1] __attribute__((unused)) = {0};
static const int sys_mass_class[2] __attribute__((unused)) = {0,0};
CST_INLINE void sys_V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = q[1] * q[1];
  const vd t2 = t0 + t1;
  const vd t3 = t2 / 2.0;
  const vd t4 = q[1] * t0;
  const vd t5 = t3 + t4;
  const vd t6 = q[1] * t1;
  const vd t7 = t6 / 3.0;
  const vd t8 = t5 - t7;
  o[0] = t8;
}
CST_INLINE void sys_dV(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[1] + 0.5;
  const vd t1 = q[0] * t0;
  const vd t2 = t1 + t1;
  o[0] = t2;
  const vd t3 = q[1] * (-0.33333333333333331);
  const vd t4 = t3 + 0.5;
  const vd t5 = q[1] * t4;
  const vd t6 = q[0] * q[0];
  const vd t7 = q[1] * q[1];
  const vd t8 = t7 * (-0.33333333333333331);
  const vd t9 = t6 + t8;
  const vd t10 = t9 + t5;
  const vd t11 = t5 + t10;
  o[1] = t11;
}
CST_INLINE void sys_d2V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[1] + 0.5;
  const vd t1 = 2.0 * t0;
  o[0] = t1;
  const vd t2 = q[0] * 2.0;
  o[1] = t2;
  o[2] = t2;
  const vd t3 = q[1] * (-0.33333333333333331);
  const vd t4 = t3 + 0.5;
  const vd t5 = 2.0 * t4;
  const vd t6 = q[1] * 2.0;
  const vd t7 = (-0.33333333333333331) * t6;
  const vd t8 = t5 + t7;
  const vd t9 = t3 + t8;
  const vd t10 = t3 + t9;
  o[3] = t10;
}
CST_INLINE void sys_mass(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(1.0);
}
CST_INLINE void sys_g(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_G(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_D2gvv(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_D2glw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
}
CST_INLINE void sys_d2Vw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[1] + 0.5;
  const vd t1 = t0 * w[0];
  const vd t2 = q[0] * w[1];
  const vd t3 = t1 + t2;
  const vd t4 = t3 + t3;
  o[0] = t4;
  const vd t5 = q[1] * (-0.33333333333333331);
  const vd t6 = t5 + 0.5;
  const vd t7 = t6 * w[1];
  const vd t8 = (-0.33333333333333331) * w[1];
  const vd t9 = q[1] * t8;
  const vd t10 = t7 + t9;
  const vd t11 = q[0] * w[0];
  const vd t12 = t11 + t11;
  const vd t13 = q[1] * w[1];
  const vd t14 = t13 + t13;
  const vd t15 = (-0.33333333333333331) * t14;
  const vd t16 = t12 + t15;
  const vd t17 = t16 + t10;
  const vd t18 = t10 + t17;
  o[1] = t18;
}
CST_INLINE void sys_xi(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
