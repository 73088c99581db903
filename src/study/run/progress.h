/* progress.h: how much of a run is done, and the time that is left, by what its phases took so far.
 *
 * A run computes its reference, steps, steps chosen members again, times, concludes. The plan's seconds of a phase serve
 * until it has begun; then its own pace counts, and in the end what it took. One number follows, the share of the time
 * that the run will have taken, so that share and time left cannot contradict each other.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PROGRESS_H
#define CST_PROGRESS_H

typedef enum {
  CST_PHASE_REFERENCE,
  CST_PHASE_STEPS,
  CST_PHASE_REPLAY,
  CST_PHASE_TIMING,
  CST_PHASE_CONCLUSIONS,
  CST_PHASES
} cst_phase;

typedef struct {
  double planned[CST_PHASES]; /* seconds of what this run has to do; 0: nothing */
  double before;              /* the share of the study that earlier runs did */
  int    phase;               /* the current one; set by cst_progress_enter, at first -1 */
  double begun, work;         /* the clock, and the planned seconds of all work, when it began */
  double passed;              /* seconds that the phases before it took */
} cst_progress;

/* work: planned seconds of all that this run has done until now. */
void cst_progress_enter(cst_progress *p, cst_phase phase, double now, double work);

/* share: of the study, 0 to 1; left: seconds. */
typedef struct {
  double share, left;
} cst_progress_told;
cst_progress_told cst_progress_tell(const cst_progress *p, double now, double work);
#endif
