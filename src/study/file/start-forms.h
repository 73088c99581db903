/* start-forms.h: the forms that give members their own starts: cst_start_form_NAME in start-NAME.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
FORM(list)
FORM(grid)
FORM(csv)
FORM(from)
