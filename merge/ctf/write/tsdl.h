/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tsdl.h - text as a literal of CTF 1.8 metadata (TSDL). */
#ifndef STRATA_MERGE_TSDL_H
#define STRATA_MERGE_TSDL_H

#include "files/out_file.h"

/* Writes a string literal, quotes included; no byte of the text can end it. */
void strata_tsdl_string(struct strata_out_file *out, const char *text);

#endif /* STRATA_MERGE_TSDL_H */
