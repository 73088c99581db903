/* rigid-body.h: written by generate from rigid-body.yaml; not to be edited. */
#define SYS_ID rigid_body
#define NQ 9
#define NG 6
#define NPAR 3
#define NSYM 3
#define NMASS 3
#define MASS_UNIT 0
#define LINEAR_V 1
static const unsigned char sys_pattern_g[54] __attribute__((unused)) = {1,0,0,1,0,0,1,0,0, 1,1,0,1,1,0,1,1,0, 1,0,1,1,0,1,1,0,1, 0,1,0,0,1,0,0,1,0, 0,1,1,0,1,1,0,1,1, 0,0,1,0,0,1,0,0,1};
static const unsigned char sys_pattern_v[81] __attribute__((unused)) = {0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0};
static const unsigned char sys_pattern_xi[27] __attribute__((unused)) = {0,0,0,1,1,1,1,1,1, 1,1,1,0,0,0,1,1,1, 1,1,1,1,1,1,0,0,0};
static const int sys_mass_class[9] __attribute__((unused)) = {0,1,2,0,1,2,0,1,2};
CST_INLINE void sys_V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
}
CST_INLINE void sys_dV(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  o[2] = vset(0.0);
  o[3] = vset(0.0);
  o[4] = vset(0.0);
  o[5] = vset(0.0);
  o[6] = vset(0.0);
  o[7] = vset(0.0);
  o[8] = vset(0.0);
}
CST_INLINE void sys_d2V(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
}
CST_INLINE void sys_mass(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = c[0] + c[1];
  const vd t1 = c[2] + t0;
  const vd t2 = t1 / 2.0;
  const vd t3 = t2 - c[0];
  o[0] = t3;
  const vd t4 = t2 - c[1];
  o[1] = t4;
  const vd t5 = t2 - c[2];
  o[2] = t5;
}
CST_INLINE void sys_g(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] * q[0];
  const vd t1 = q[3] * q[3];
  const vd t2 = t0 + t1;
  const vd t3 = q[6] * q[6];
  const vd t4 = t2 + t3;
  const vd t5 = t4 - 1.0;
  o[0] = t5;
  const vd t6 = q[0] * q[1];
  const vd t7 = q[3] * q[4];
  const vd t8 = t6 + t7;
  const vd t9 = q[6] * q[7];
  const vd t10 = t8 + t9;
  o[1] = t10;
  const vd t11 = q[0] * q[2];
  const vd t12 = q[3] * q[5];
  const vd t13 = t11 + t12;
  const vd t14 = q[6] * q[8];
  const vd t15 = t13 + t14;
  o[2] = t15;
  const vd t16 = q[1] * q[1];
  const vd t17 = q[4] * q[4];
  const vd t18 = t16 + t17;
  const vd t19 = q[7] * q[7];
  const vd t20 = t18 + t19;
  const vd t21 = t20 - 1.0;
  o[3] = t21;
  const vd t22 = q[1] * q[2];
  const vd t23 = q[4] * q[5];
  const vd t24 = t22 + t23;
  const vd t25 = q[7] * q[8];
  const vd t26 = t24 + t25;
  o[4] = t26;
  const vd t27 = q[2] * q[2];
  const vd t28 = q[5] * q[5];
  const vd t29 = t27 + t28;
  const vd t30 = q[8] * q[8];
  const vd t31 = t29 + t30;
  const vd t32 = t31 - 1.0;
  o[5] = t32;
}
CST_INLINE void sys_G(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = q[0] + q[0];
  o[0] = t0;
  const vd t1 = q[3] + q[3];
  o[3] = t1;
  const vd t2 = q[6] + q[6];
  o[6] = t2;
  o[9] = q[1];
  o[10] = q[0];
  o[12] = q[4];
  o[13] = q[3];
  o[15] = q[7];
  o[16] = q[6];
  o[18] = q[2];
  o[20] = q[0];
  o[21] = q[5];
  o[23] = q[3];
  o[24] = q[8];
  o[26] = q[6];
  const vd t3 = q[1] + q[1];
  o[28] = t3;
  const vd t4 = q[4] + q[4];
  o[31] = t4;
  const vd t5 = q[7] + q[7];
  o[34] = t5;
  o[37] = q[2];
  o[38] = q[1];
  o[40] = q[5];
  o[41] = q[4];
  o[43] = q[8];
  o[44] = q[7];
  const vd t6 = q[2] + q[2];
  o[47] = t6;
  const vd t7 = q[5] + q[5];
  o[50] = t7;
  const vd t8 = q[8] + q[8];
  o[53] = t8;
}
CST_INLINE void sys_D2gvv(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = v[0] * v[0];
  const vd t1 = t0 + t0;
  const vd t2 = v[3] * v[3];
  const vd t3 = t2 + t2;
  const vd t4 = t1 + t3;
  const vd t5 = v[6] * v[6];
  const vd t6 = t5 + t5;
  const vd t7 = t4 + t6;
  o[0] = t7;
  const vd t8 = v[0] * v[1];
  const vd t9 = t8 + t8;
  const vd t10 = v[3] * v[4];
  const vd t11 = t10 + t10;
  const vd t12 = t9 + t11;
  const vd t13 = v[6] * v[7];
  const vd t14 = t13 + t13;
  const vd t15 = t12 + t14;
  o[1] = t15;
  const vd t16 = v[0] * v[2];
  const vd t17 = t16 + t16;
  const vd t18 = v[3] * v[5];
  const vd t19 = t18 + t18;
  const vd t20 = t17 + t19;
  const vd t21 = v[6] * v[8];
  const vd t22 = t21 + t21;
  const vd t23 = t20 + t22;
  o[2] = t23;
  const vd t24 = v[1] * v[1];
  const vd t25 = t24 + t24;
  const vd t26 = v[4] * v[4];
  const vd t27 = t26 + t26;
  const vd t28 = t25 + t27;
  const vd t29 = v[7] * v[7];
  const vd t30 = t29 + t29;
  const vd t31 = t28 + t30;
  o[3] = t31;
  const vd t32 = v[1] * v[2];
  const vd t33 = t32 + t32;
  const vd t34 = v[4] * v[5];
  const vd t35 = t34 + t34;
  const vd t36 = t33 + t35;
  const vd t37 = v[7] * v[8];
  const vd t38 = t37 + t37;
  const vd t39 = t36 + t38;
  o[4] = t39;
  const vd t40 = v[2] * v[2];
  const vd t41 = t40 + t40;
  const vd t42 = v[5] * v[5];
  const vd t43 = t42 + t42;
  const vd t44 = t41 + t43;
  const vd t45 = v[8] * v[8];
  const vd t46 = t45 + t45;
  const vd t47 = t44 + t46;
  o[5] = t47;
}
CST_INLINE void sys_D2glw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = w[0] * l[0];
  const vd t1 = w[2] * l[2];
  const vd t2 = w[1] * l[1];
  const vd t3 = t1 + t2;
  const vd t4 = t3 + t0;
  const vd t5 = t0 + t4;
  o[0] = t5;
  const vd t6 = w[1] * l[3];
  const vd t7 = w[2] * l[4];
  const vd t8 = t7 + t6;
  const vd t9 = t6 + t8;
  const vd t10 = w[0] * l[1];
  const vd t11 = t9 + t10;
  o[1] = t11;
  const vd t12 = w[2] * l[5];
  const vd t13 = t12 + t12;
  const vd t14 = w[1] * l[4];
  const vd t15 = t13 + t14;
  const vd t16 = w[0] * l[2];
  const vd t17 = t15 + t16;
  o[2] = t17;
  const vd t18 = w[3] * l[0];
  const vd t19 = w[5] * l[2];
  const vd t20 = w[4] * l[1];
  const vd t21 = t19 + t20;
  const vd t22 = t21 + t18;
  const vd t23 = t18 + t22;
  o[3] = t23;
  const vd t24 = w[4] * l[3];
  const vd t25 = w[5] * l[4];
  const vd t26 = t25 + t24;
  const vd t27 = t24 + t26;
  const vd t28 = w[3] * l[1];
  const vd t29 = t27 + t28;
  o[4] = t29;
  const vd t30 = w[5] * l[5];
  const vd t31 = t30 + t30;
  const vd t32 = w[4] * l[4];
  const vd t33 = t31 + t32;
  const vd t34 = w[3] * l[2];
  const vd t35 = t33 + t34;
  o[5] = t35;
  const vd t36 = w[6] * l[0];
  const vd t37 = w[8] * l[2];
  const vd t38 = w[7] * l[1];
  const vd t39 = t37 + t38;
  const vd t40 = t39 + t36;
  const vd t41 = t36 + t40;
  o[6] = t41;
  const vd t42 = w[7] * l[3];
  const vd t43 = w[8] * l[4];
  const vd t44 = t43 + t42;
  const vd t45 = t42 + t44;
  const vd t46 = w[6] * l[1];
  const vd t47 = t45 + t46;
  o[7] = t47;
  const vd t48 = w[8] * l[5];
  const vd t49 = t48 + t48;
  const vd t50 = w[7] * l[4];
  const vd t51 = t49 + t50;
  const vd t52 = w[6] * l[2];
  const vd t53 = t51 + t52;
  o[8] = t53;
}
CST_INLINE void sys_d2Vw(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  o[0] = vset(0.0);
  o[1] = vset(0.0);
  o[2] = vset(0.0);
  o[3] = vset(0.0);
  o[4] = vset(0.0);
  o[5] = vset(0.0);
  o[6] = vset(0.0);
  o[7] = vset(0.0);
  o[8] = vset(0.0);
}
CST_INLINE void sys_xi(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {
  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;
  const vd t0 = -q[6];
  o[3] = t0;
  const vd t1 = -q[7];
  o[4] = t1;
  const vd t2 = -q[8];
  o[5] = t2;
  o[6] = q[3];
  o[7] = q[4];
  o[8] = q[5];
  o[9] = q[6];
  o[10] = q[7];
  o[11] = q[8];
  const vd t3 = -q[0];
  o[15] = t3;
  const vd t4 = -q[1];
  o[16] = t4;
  const vd t5 = -q[2];
  o[17] = t5;
  const vd t6 = -q[3];
  o[18] = t6;
  const vd t7 = -q[4];
  o[19] = t7;
  const vd t8 = -q[5];
  o[20] = t8;
  o[21] = q[0];
  o[22] = q[1];
  o[23] = q[2];
}
