/* double-pendulum.h: written by generate from double-pendulum.yaml; not to be edited. */
#define SYS_ID double_pendulum
#define NQ 4
#define NG 2
#define NPAR 5
#define NSYM 0
#define NMASS 2
#define MASS_UNIT 0
#define LINEAR_V 1
static const unsigned char sys_pattern_g[8] __attribute__((unused)) = {1,1,0,0, 1,1,1,1};
static const unsigned char sys_pattern_v[16] __attribute__((unused)) = {0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,0};
static const unsigned char sys_pattern_xi[1] __attribute__((unused)) = {0};
static const int sys_mass_class[4] __attribute__((unused)) = {0,0,1,1};
CST_INLINE void sys_V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = c[0] * c[2];
  const vd t1 = q[1] * t0;
  const vd t2 = c[1] * c[2];
  const vd t3 = q[3] * t2;
  const vd t4 = t1 + t3;
  o[0] = t4;
}
CST_INLINE void sys_dV(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  const vd t0 = c[0] * c[2];
  o[1] = t0;
  o[2] = vset(0.0);
  const vd t1 = c[1] * c[2];
  o[3] = t1;
}
CST_INLINE void sys_d2V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_mass(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = c[0];
  o[1] = c[1];
}
CST_INLINE void sys_g(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = q[1] * q[1];
  const vd t2 = t0 + t1;
  const vd t3 = c[3] * c[3];
  const vd t4 = t2 - t3;
  o[0] = t4;
  const vd t5 = q[2] - q[0];
  const vd t6 = t5 * t5;
  const vd t7 = q[3] - q[1];
  const vd t8 = t7 * t7;
  const vd t9 = t6 + t8;
  const vd t10 = c[4] * c[4];
  const vd t11 = t9 - t10;
  o[1] = t11;
}
CST_INLINE void sys_G(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] + q[0];
  o[0] = t0;
  const vd t1 = q[1] + q[1];
  o[1] = t1;
  const vd t2 = q[2] - q[0];
  const vd t3 = t2 + t2;
  const vd t4 = -t3;
  o[4] = t4;
  const vd t5 = q[3] - q[1];
  const vd t6 = t5 + t5;
  const vd t7 = -t6;
  o[5] = t7;
  o[6] = t3;
  o[7] = t6;
}
CST_INLINE void sys_D2gvv(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = v[0] * v[0];
  const vd t1 = t0 + t0;
  const vd t2 = v[1] * v[1];
  const vd t3 = t2 + t2;
  const vd t4 = t1 + t3;
  o[0] = t4;
  const vd t5 = v[2] - v[0];
  const vd t6 = t5 * t5;
  const vd t7 = t6 + t6;
  const vd t8 = v[3] - v[1];
  const vd t9 = t8 * t8;
  const vd t10 = t9 + t9;
  const vd t11 = t7 + t10;
  o[1] = t11;
}
CST_INLINE void sys_D2glw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = w[0] * l[0];
  const vd t1 = w[2] - w[0];
  const vd t2 = l[1] * t1;
  const vd t3 = t2 + t2;
  const vd t4 = t0 - t3;
  const vd t5 = t0 + t4;
  o[0] = t5;
  const vd t6 = w[1] * l[0];
  const vd t7 = w[3] - w[1];
  const vd t8 = l[1] * t7;
  const vd t9 = t8 + t8;
  const vd t10 = t6 - t9;
  const vd t11 = t6 + t10;
  o[1] = t11;
  o[2] = t3;
  o[3] = t9;
}
CST_INLINE void sys_d2Vw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  o[2] = vset(0.0);
  o[3] = vset(0.0);
}
CST_INLINE void sys_xi(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
