/* demo.h: a small result file with every kind of field, and values known from their indices, for the tests of
 * src/record. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DEMO_H
#define DEMO_H
#include "constella/record.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEMO_TOKEN "0123456789abcdef0123456789abcdef"

enum { CASE, MEMBER, COORDINATE, CONSTRAINT, WINDOW, DEMO_DIMENSIONS };
enum { NCASE = 6, NMEMBER = 5, NCOORDINATE = 4 };
enum {
  FINAL_Q,
  FINAL_LAMBDA,
  FINAL_STATUS,
  COUNT_STEPS,
  COUNT_NEWTON,
  SCALAR,
  S_SYSTEM,
  S_METHOD,
  S_STEP,
  S_MEMBERS,
  S_FAILED,
  S_EVALUATIONS,
  S_ERROR,
  S_ORDER,
  S_FLAG,
  S_MOMENTUM,
  SPEED,
  WORK_DONE,
  DEMO_FIELDS
};

static const char *const demo_coordinates[NCOORDINATE] = {"x1", "y1", "ξ₂", "y2"};
static const char *const demo_methods[NCASE] = {
    "rattle", "rattle", "rattle", "hbvm(k=6, s=2)", "hbvm(k=6, s=2)", "compose(\"x|y\", a_b)"};
static const char *const demo_flags[NCASE] = {"ok",     "ok", "plateau", "ok", "pre-asymptotic",
                                              "too-few"};
static const double      demo_steps[NCASE] = {0.1, 0.05, 0.025, 0.1, 0.05, 1.0 / 3.0};

static const cst_dimension demo_dimension[DEMO_DIMENSIONS] = {
    {"case", NCASE, "system x parameters x method x step", NULL},
    {"member", NMEMBER, "initial state of the ensemble", NULL},
    {"coordinate", NCOORDINATE, "component of q", demo_coordinates},
    {"constraint", 0, "component of g", NULL},
    {"window", 3, "window of time", NULL},
};

static const cst_field demo_field[DEMO_FIELDS] = {
    [FINAL_Q] =
        {"/final/q", CST_TYPE_F64, 3, {CASE, MEMBER, COORDINATE}, "m", "position at the end"},
    [FINAL_LAMBDA] = {"/final/lambda",
                      CST_TYPE_F64,
                      3,
                      {CASE, MEMBER, CONSTRAINT},
                      "N/m",
                      "multipliers at the end"},
    [FINAL_STATUS] = {"/final/status",
                      CST_TYPE_I8,
                      2,
                      {CASE, MEMBER},
                      "1",
                      "-1 not yet, 0 done, else the reason of failure"},
    [COUNT_STEPS] = {"/counts/steps", CST_TYPE_I64, 2, {CASE, MEMBER}, "1", "steps taken"},
    [COUNT_NEWTON] = {"/counts/newton", CST_TYPE_I32, 2, {CASE, MEMBER}, "1", "iterations"},
    [SCALAR] = {"/constants/period", CST_TYPE_F64, 0, {0}, "s", "a scalar"},
    [S_SYSTEM] = {"/statistics/system", CST_TYPE_TEXT, 1, {CASE}, "1", "system"},
    [S_METHOD] = {"/statistics/method", CST_TYPE_TEXT, 1, {CASE}, "1", "method"},
    [S_STEP] = {"/statistics/step", CST_TYPE_F64, 1, {CASE}, "s", "nominal step"},
    [S_MEMBERS] = {"/statistics/members", CST_TYPE_I64, 1, {CASE}, "1", "trajectories"},
    [S_FAILED] = {"/statistics/failed", CST_TYPE_I64, 1, {CASE}, "1", "trajectories that failed"},
    [S_EVALUATIONS] = {"/statistics/evaluations_per_step",
                       CST_TYPE_F64,
                       1,
                       {CASE},
                       "1",
                       "evaluations of the force"},
    [S_ERROR] = {"/statistics/error", CST_TYPE_F64, 1, {CASE}, "1", "error at the end"},
    [S_ORDER] = {"/statistics/order", CST_TYPE_F64, 1, {CASE}, "1", "order of convergence"},
    [S_FLAG] = {"/statistics/flag", CST_TYPE_TEXT, 1, {CASE}, "1", "what to think of the order"},
    [S_MOMENTUM] = {"/statistics/rotation-z_max", CST_TYPE_F64, 1, {CASE}, "1", "drift"},
    [SPEED] = {"/run/steps_per_second", CST_TYPE_F64, 1, {CASE}, "1/s", "speed"},
    [WORK_DONE] = {"/run/work_done", CST_TYPE_F64, 0, {0}, "1", "share of the work"},
};

static inline double demo_q(long c, long m, long k) {
  return 100.0 * (double)c + 10.0 * (double)m + (double)k + 1.0 / 3.0;
}

/* Before its first flush. */
static inline cst_record *demo_begin(MPI_Comm comm, const char *path, char *why, int n) {
  cst_record *r = cst_record_create(comm, path, DEMO_TOKEN, demo_dimension, DEMO_DIMENSIONS,
                                    demo_field, DEMO_FIELDS, why, n);
  if (!r)
    return NULL;
  cst_record_attribute(r, "/", "schema", "constella/1");
  cst_record_attribute(r, "/", "study", "study: order\ntitle: größer\n");
  cst_record_attribute(r, "/statistics", "columns", "method, step, error, order, flag");
  cst_record_attribute(r, "/run", "started", "2024-01-02T03:04:05Z");
  cst_record_text(r, "/run", "finished", "");
  cst_record_number(r, "/run", "started_unix", 1704164645);
  cst_record_number(r, "/run", "ranks", 2);
  return r;
}

static inline cst_record *demo_create(MPI_Comm comm, const char *path, char *why, int n) {
  cst_record *r = demo_begin(comm, path, why, n);
  if (r)
    cst_record_flush(r);
  return r;
}

/* All data of one trajectory. */
static inline bool demo_write_row(cst_record *r, long c, long m) {
  double      q[NCOORDINATE];
  signed char status = c == 4 && m == 1 ? 3 : 0;
  long        start[3] = {c, m, 0}, count[3] = {1, 1, NCOORDINATE}, none[3] = {1, 1, 0},
       steps = 1000000000000 + c;
  int newton = (int)(10 * c + m);
  for (long k = 0; k < NCOORDINATE; k++)
    q[k] = demo_q(c, m, k);
  return cst_record_write(r, FINAL_Q, start, count, q) &&
         cst_record_write(r, FINAL_LAMBDA, start, none, q) &&
         cst_record_write(r, COUNT_STEPS, start, count, &steps) &&
         cst_record_write(r, COUNT_NEWTON, start, count, &newton) &&
         cst_record_write(r, FINAL_STATUS, start, count, &status);
}

static inline bool demo_write_text(cst_record *r, int field, long c, const char *text) {
  char row[CST_TEXT_WIDTH] = "";
  long one = 1;
  snprintf(row, sizeof row, "%s", text);
  return cst_record_write(r, field, &c, &one, row);
}

static inline bool demo_write_statistics(cst_record *r, long c) {
  double error = pow(demo_steps[c], 2) / 7, order = c == 5 ? NAN : 1.98765 + (double)c,
         drift = c == 5 ? INFINITY : 0, evaluations = 2.5;
  double speed = 1e6 * (double)(c + 1);
  long   one = 1, members = NMEMBER, failed = c == 4;
  return demo_write_text(r, S_SYSTEM, c, "double-pendulum") &&
         demo_write_text(r, S_METHOD, c, demo_methods[c]) &&
         demo_write_text(r, S_FLAG, c, demo_flags[c]) &&
         cst_record_write(r, S_STEP, &c, &one, &demo_steps[c]) &&
         cst_record_write(r, S_MEMBERS, &c, &one, &members) &&
         cst_record_write(r, S_FAILED, &c, &one, &failed) &&
         cst_record_write(r, S_EVALUATIONS, &c, &one, &evaluations) &&
         cst_record_write(r, S_ERROR, &c, &one, &error) &&
         cst_record_write(r, S_ORDER, &c, &one, &order) &&
         cst_record_write(r, S_MOMENTUM, &c, &one, &drift) &&
         cst_record_write(r, SPEED, &c, &one, &speed);
}
#endif
