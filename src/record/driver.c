/* driver.c: how HDF5 writes a result (see h5.h): with its own POSIX driver, whose failures are kept here.
 *
 * HDF5 1.10 does not survive a write that fails: a file whose flush failed can be neither flushed nor closed
 * again, and the end of the process crashes in it. So HDF5 is told that all is well, and the caller asks for
 * the first failure after each flush and each close.
 *
 * After the first flush of a result neither its size nor its superblock changes. From then on no truncation and no
 * superblock reaches the file: HDF5 would cut off what another program has meanwhile written behind the end that it knows.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include <errno.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { SUPERBLOCK = 48 }; /* bytes of version 2 */
static H5FD_class_t posix, ours;
static hid_t        number = -1;
static int          failure;
static bool         sealed;

static herr_t keep(herr_t status) {
  if (status < 0 && !failure)
    failure = errno ? errno : EIO;
  return 0;
}

static herr_t write_bytes(H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                          const void *bytes) {
  const size_t left = sealed && at < SUPERBLOCK ? (size_t)(SUPERBLOCK - at) : 0;
  errno = 0;
  if (left >= size)
    return 0;
  return keep(posix.write(file, type, list, at + left, size - left, (const char *)bytes + left));
}

static herr_t cut(H5FD_t *file, hid_t list, hbool_t closing) {
  if (sealed)
    return 0;
  errno = 0;
  return keep(posix.truncate(file, list, closing));
}

/* The class of HDF5's POSIX driver, with these two functions. */
static bool make(hid_t access) {
  H5FD_t *file = H5FDopen("/dev/null", H5F_ACC_RDONLY, access, HADDR_UNDEF);
  if (!file)
    return false;
  posix = ours = *file->cls;
  H5FDclose(file);
  ours.name = "constella";
  ours.write = write_bytes;
  ours.truncate = posix.truncate ? cut : NULL;
  number = H5FDregister(&ours);
  return number >= 0;
}

hid_t cst_driver_access(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_sec2(access);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_file_locking(access, false, true); /* readers take no lock either (result.c) */
  failure = 0;
  sealed = false;
  if (number >= 0 || make(access))
    H5Pset_driver(access, number, NULL);
  return access;
}

void cst_driver_seal(void) { sealed = true; }
int  cst_driver_failure(void) { return failure; }
