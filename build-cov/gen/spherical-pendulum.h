/* spherical-pendulum.h: written by generate from spherical-pendulum.yaml; not to be edited. */
#define SYS_ID spherical_pendulum
#define NQ 3
#define NG 1
#define NPAR 3
#define NSYM 1
#define NMASS 1
#define MASS_UNIT 0
#define LINEAR_V 1
static const unsigned char sys_pattern_g[3] __attribute__((unused)) = {1,1,1};
static const unsigned char sys_pattern_v[9] __attribute__((unused)) = {0,0,0, 0,0,0, 0,0,0};
static const unsigned char sys_pattern_xi[3] __attribute__((unused)) = {1,1,0};
static const int sys_mass_class[3] __attribute__((unused)) = {0,0,0};
CST_INLINE void sys_V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = c[0] * c[1];
  const vd t1 = q[2] * t0;
  o[0] = t1;
}
CST_INLINE void sys_dV(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  const vd t0 = c[0] * c[1];
  o[2] = t0;
}
CST_INLINE void sys_d2V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_mass(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = c[0];
}
CST_INLINE void sys_g(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = q[1] * q[1];
  const vd t2 = t0 + t1;
  const vd t3 = q[2] * q[2];
  const vd t4 = t2 + t3;
  const vd t5 = c[2] * c[2];
  const vd t6 = t4 - t5;
  o[0] = t6;
}
CST_INLINE void sys_G(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] + q[0];
  o[0] = t0;
  const vd t1 = q[1] + q[1];
  o[1] = t1;
  const vd t2 = q[2] + q[2];
  o[2] = t2;
}
CST_INLINE void sys_D2gvv(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = v[0] * v[0];
  const vd t1 = t0 + t0;
  const vd t2 = v[1] * v[1];
  const vd t3 = t2 + t2;
  const vd t4 = t1 + t3;
  const vd t5 = v[2] * v[2];
  const vd t6 = t5 + t5;
  const vd t7 = t4 + t6;
  o[0] = t7;
}
CST_INLINE void sys_D2glw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = w[0] * l[0];
  const vd t1 = t0 + t0;
  o[0] = t1;
  const vd t2 = w[1] * l[0];
  const vd t3 = t2 + t2;
  o[1] = t3;
  const vd t4 = w[2] * l[0];
  const vd t5 = t4 + t4;
  o[2] = t5;
}
CST_INLINE void sys_d2Vw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  o[2] = vset(0.0);
}
CST_INLINE void sys_xi(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = -q[1];
  o[0] = t0;
  o[1] = q[0];
}
