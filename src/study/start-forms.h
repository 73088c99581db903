/* start-forms.h: the forms in which members get starts of their own: cst_start_form_NAME in start-NAME.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
FORM(list)
FORM(grid)
FORM(csv)
FORM(from)
