/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl.h - pieces of CTF 1.8 metadata (TSDL) that the raw traces and the merged
 * one have in common.
 */
#ifndef STRATA_MERGE_TSDL_H
#define STRATA_MERGE_TSDL_H

#include <strata/event.h>

#include "files/out_file.h"

/* Text as a TSDL string literal, quotes included; no byte of it can end the literal. */
void strata_tsdl_string(struct strata_out_file *out, const char *text);

/* The integer types that the rest is written with, and the trace block. */
void strata_tsdl_begin(struct strata_out_file *out, const uint8_t uuid[16]);

/* The clock class, named "ticks"; its offset is @offset_seconds and @offset cycles. */
struct strata_tsdl_clock {
	const char *description;
	const uint8_t *uuid;
	uint64_t frequency;
	uint64_t precision; /* cycles */
	int64_t offset_seconds;
	uint64_t offset;
};
void strata_tsdl_clock(struct strata_out_file *out, const struct strata_tsdl_clock *clock);

/*
 * The fields of a context or of an event as members of a TSDL structure.  Each
 * name gets an underscore in front, which readers take away: so no name can be
 * a word of the language.  The length of a sequence NAME is shown as _NAME_length.
 */
void strata_tsdl_fields(struct strata_out_file *out, const struct strata_event_desc *event);

#endif /* STRATA_MERGE_TSDL_H */
