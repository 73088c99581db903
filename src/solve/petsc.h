/* petsc.h: PETSc's library, which is loaded when it is first asked for.
 *
 * It brings a hundred other libraries along, and binding their symbols takes as long as all else that a short
 * run does. Runs with implicit steps or options of PETSc use it, others do not. So the program is not linked
 * with it; what it calls of PETSc is called through this table, which has the types of PETSc's headers. Where
 * PETSc is there as an archive only, the program is linked with it.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SOLVE_PETSC_H
#define CST_SOLVE_PETSC_H
#ifndef PETSC_HAVE_BROKEN_RECURSIVE_MACRO
#define PETSC_HAVE_BROKEN_RECURSIVE_MACRO /* PETSc does not count calls of MPI */
#endif
#include "core/error.h"
#include <petscsnes.h>
#include <stdbool.h>

#if PETSC_VERSION_LT(3, 21, 0)
#define SNESLineSearchShellSetApply                                                                \
  SNESLineSearchShellSetUserFunc /* its name in earlier versions */
#endif

/* Functions, and the three variables PetscErrorPrintf, PetscTrFree and SNESList. */
#define CST_PETSC_NAMES(X)                                                                         \
  X(KSPCreate)                                                                                     \
  X(KSPDestroy)                                                                                    \
  X(KSPSetFromOptions)                                                                             \
  X(MatMPIAIJSetPreallocation)                                                                     \
  X(PCFactorSetMatSolverType)                                                                      \
  X(PCShellSetSetUp)                                                                               \
  X(VecCreateMPI)                                                                                  \
  X(KSPGetPC)                                                                                      \
  X(KSPGetConvergedReason)                                                                         \
  X(KSPSetOperators)                                                                               \
  X(KSPSetReusePreconditioner)                                                                     \
  X(KSPSetTolerances)                                                                              \
  X(KSPSetType)                                                                                    \
  X(KSPSetUp)                                                                                      \
  X(KSPSolve)                                                                                      \
  X(MatAssemblyBegin)                                                                              \
  X(MatAssemblyEnd)                                                                                \
  X(MatCreate)                                                                                     \
  X(MatCreateShell)                                                                                \
  X(MatDestroy)                                                                                    \
  X(MatMult)                                                                                       \
  X(MatSeqAIJGetArray)                                                                             \
  X(MatSeqAIJRestoreArray)                                                                         \
  X(MatSeqAIJSetPreallocation)                                                                     \
  X(MatSetFromOptions)                                                                             \
  X(MatSetSizes)                                                                                   \
  X(MatSetType)                                                                                    \
  X(MatSetUp)                                                                                      \
  X(MatSetValues)                                                                                  \
  X(MatShellSetOperation)                                                                          \
  X(PCFactorSetMatOrderingType)                                                                    \
  X(PCSetType)                                                                                     \
  X(PCShellGetContext)                                                                             \
  X(PCShellSetApply)                                                                               \
  X(PCShellSetContext)                                                                             \
  X(PetscErrorPrintf)                                                                              \
  X(PetscFinalize)                                                                                 \
  X(PetscFunctionListFind_Private)                                                                 \
  X(PetscInitialize)                                                                               \
  X(PetscInitialized)                                                                              \
  X(PetscObjectTypeCompare)                                                                        \
  X(PetscOptionsClear)                                                                             \
  X(PetscOptionsClearValue)                                                                        \
  X(PetscOptionsGetAll)                                                                            \
  X(PetscOptionsGetString)                                                                         \
  X(PetscOptionsHasName)                                                                           \
  X(PetscOptionsInsertString)                                                                      \
  X(PetscOptionsLeftGet)                                                                           \
  X(PetscOptionsLeftRestore)                                                                       \
  X(PetscPopSignalHandler)                                                                         \
  X(PetscPushErrorHandler)                                                                         \
  X(PetscSetFPTrap)                                                                                \
  X(PetscTrFree)                                                                                   \
  X(SNESComputeFunction)                                                                           \
  X(SNESConvergedDefault)                                                                          \
  X(SNESCreate)                                                                                    \
  X(SNESDestroy)                                                                                   \
  X(SNESGetApplicationContext)                                                                     \
  X(SNESGetConvergedReason)                                                                        \
  X(SNESGetKSP)                                                                                    \
  X(SNESGetLagJacobian)                                                                            \
  X(SNESGetLagPreconditioner)                                                                      \
  X(SNESGetLineSearch)                                                                             \
  X(SNESGetSolution)                                                                               \
  X(SNESGetType)                                                                                   \
  X(SNESLineSearchComputeNorms)                                                                    \
  X(SNESLineSearchGetVecs)                                                                         \
  X(SNESLineSearchSetComputeNorms)                                                                 \
  X(SNESLineSearchSetReason)                                                                       \
  X(SNESLineSearchSetType)                                                                         \
  X(SNESLineSearchShellSetApply)                                                                   \
  X(SNESList)                                                                                      \
  X(SNESMonitor)                                                                                   \
  X(SNESRegister)                                                                                  \
  X(SNESSetApplicationContext)                                                                     \
  X(SNESSetConvergenceTest)                                                                        \
  X(SNESSetDivergenceTolerance)                                                                    \
  X(SNESSetFromOptions)                                                                            \
  X(SNESSetFunction)                                                                               \
  X(SNESSetJacobian)                                                                               \
  X(SNESSetLagJacobian)                                                                            \
  X(SNESSetLagJacobianPersists)                                                                    \
  X(SNESSetLagPreconditioner)                                                                      \
  X(SNESSetSolution)                                                                               \
  X(SNESSetTolerances)                                                                             \
  X(SNESSetType)                                                                                   \
  X(SNESSetUp)                                                                                     \
  X(SNESSolve)                                                                                     \
  X(VecAXPY)                                                                                       \
  X(VecAYPX)                                                                                       \
  X(VecCopy)                                                                                       \
  X(VecCreateSeq)                                                                                  \
  X(VecDestroy)                                                                                    \
  X(VecDuplicate)                                                                                  \
  X(VecGetArray)                                                                                   \
  X(VecGetArrayRead)                                                                               \
  X(VecNorm)                                                                                       \
  X(VecRestoreArray)                                                                               \
  X(VecSet)                                                                                        \
  X(VecRestoreArrayRead)

/* cst_petsc.SNESCreate(...): valid after cst_petsc_load. */
extern struct cst_petsc {
#define X(name) __typeof__(name) *name;
  CST_PETSC_NAMES(X)
#undef X
} cst_petsc;

/* Loads the library, unless it is there. False: why[n] says what is missing. */
bool cst_petsc_load(char *why, int n);
/* Whether it is loaded and initialised, here or by the program around this library. */
bool cst_petsc_is_on(void);
/* The kernel of the BLAS that PETSc calls, which OpenBLAS chooses by the processor; "unknown" of others. PETSc is
 * loaded. */
void cst_petsc_blas(char *text, size_t n);
#endif
