/* fields.h: what the record of a group has of the fields of a core. Part of march.h.
 *
 * LOCAL(X) of a core lists its fields, X(name, n, ROLE). The role says whether the record has these n numbers, from the
 * component `place` on, where `at` is its layout:
 *   STATE(place)        they are loaded before a march, and stored behind it
 *   STATE_IF(on, place) the same, if `on` is set
 *   READ(place)         they are loaded
 *   INVERSE(place)      1 over what is there is loaded
 *   SLACK               they are those of cst_load_slack
 *   TIME                they are the parameters, where there are a time and accounts (time.h)
 * and a field without a role is made in a step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
/* Of each role: how it is loaded and how it is stored, whether it is, and where. */
#define CST_ROLE_                    SKIP, SKIP, 0, 0
#define CST_ROLE_STATE(place)        LOAD, STORE, 1, place
#define CST_ROLE_STATE_IF(on, place) LOAD, STORE, on, place
#define CST_ROLE_READ(place)         LOAD, SKIP, 1, place
#define CST_ROLE_INVERSE(place)      INVERT, SKIP, 1, place
#define CST_ROLE_SLACK               SLACK, SKIP, 1, 0
#define CST_ROLE_TIME                CLOCK, ACCOUNTS, TIMED, at.c

#define CST_ENTER(name, n, ...)    CST_ENTER_AS(name, n, CST_ROLE_##__VA_ARGS__)
#define CST_LEAVE(name, n, ...)    CST_LEAVE_AS(name, n, CST_ROLE_##__VA_ARGS__)
#define CST_ENTER_AS(name, n, ...) CST_ENTER_BY(name, n, __VA_ARGS__)
#define CST_LEAVE_AS(name, n, ...) CST_LEAVE_BY(name, n, __VA_ARGS__)
#define CST_ENTER_BY(name, n, load, store, on, place)                                              \
  if (on) {                                                                                        \
    CST_##load(L->name, n, place)                                                                  \
  }
#define CST_LEAVE_BY(name, n, load, store, on, place)                                              \
  if (on) {                                                                                        \
    CST_##store(L->name, n, place)                                                                 \
  }

#define CST_SKIP(field, n, place)     (void)0;
#define CST_LOAD(field, n, place)     cst_load(field, record, place, n);
#define CST_STORE(field, n, place)    cst_store(record, place, field, n);
#define CST_SLACK(field, n, place)    cst_load_slack(C, record, field);
#define CST_CLOCK(field, n, place)    L->c = field, cst_load(field, record, place, n);
#define CST_ACCOUNTS(field, n, place) cst_store(record, place + ACCOUNT, field + ACCOUNT, NACCOUNT);
#define CST_INVERT(field, n, place)                                                                \
  UNROLL                                                                                           \
  for (int k = 0; k < (n); k++)                                                                    \
    (field)[k] = 1.0 / cst_block(record, place)[k];

/* The fields of the record, and what the core loads itself. */
CST_INLINE void load(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  LOCAL(CST_ENTER)
#ifdef ENTERS
  enter(C, L, record);
#endif
}

CST_INLINE void store(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  LOCAL(CST_LEAVE)
#ifdef LEAVES
  leave(C, L, record);
#endif
  (void)at;
}
