#!/bin/bash
# how.sh: prints libfuzzer where clang can link it, else driver.
# SPDX-License-Identifier: BSD-2-Clause
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return !d && n; }' >"$folder/a.c"
if clang -fsanitize=fuzzer,address,undefined "$folder/a.c" -o "$folder/a" 2>/dev/null; then echo libfuzzer; else echo driver; fi
