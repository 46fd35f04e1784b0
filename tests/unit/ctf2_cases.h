/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf2_cases.h - events of CTF 2, one of each field class: the JSON of their fields, their
 * bytes, and what has to be shown.  Bytes and texts were worked out by hand from the
 * specification (CTF2-SPEC-2.0); the texts are what babeltrace2 2.1 shows, too.
 */
#ifndef STRATA_TESTS_CTF2_CASES_H
#define STRATA_TESTS_CTF2_CASES_H

#include "ctf_maker.h"

struct ctf2_case {
	const char *name;
	const char *members; /* of the payload: an array's elements, in JSON */
	const char *bytes; /* of the payload, which begins at a multiple of 64 bits: hexadecimal */
	const char *text;  /* as babeltrace2 shows the payload */
	const char *json;
};

extern const struct ctf2_case ctf2_cases[];
extern const unsigned int ctf2_nr_cases;

/* Writes a trace of one event with such a payload; of time 1000000001 ns. */
void ctf2_put_case(const struct trace_dir *dir, const struct ctf2_case *is);

/* Metadata of a trace whose packets and events have the usual heads, up to the events' classes. */
extern const char ctf2_preamble[];

/* Begins and ends a packet of that metadata, and an event's header in it. */
void ctf2_begin_packet(struct bits *bits);
void ctf2_put_header(struct bits *bits, uint64_t id, uint64_t time);
void ctf2_end_packet(struct bits *bits);

#endif /* STRATA_TESTS_CTF2_CASES_H */
