/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_forms.h - the forms that headers of CTF events have: their TSDL, and how they are written.
 */
#ifndef STRATA_TESTS_CTF_FORMS_H
#define STRATA_TESTS_CTF_FORMS_H

#include "ctf_maker.h"

struct ctf_form {
	const char *name;
	const char *header; /* TSDL of its structure; "": events have none */
	bool big_endian;
	uint64_t max_id;
	unsigned int
		time_bits; /* of the short form: it may be used if less has passed; 0: no time */
	void (*put)(struct bits *bits, uint64_t id, uint64_t ns, bool is_near);
};

extern const struct ctf_form ctf_forms[];
extern const size_t nr_ctf_forms;

/* Appends the header of an event at @ns, whose predecessor or packet's begin was at @before. */
void ctf_form_put(const struct ctf_form *form, struct bits *bits, uint64_t id, uint64_t ns,
		  uint64_t before);

/* The metadata up to the events, with that event context ("": none); @text has @size bytes. */
void ctf_form_tell(const struct ctf_form *form, const char *context, char *text, size_t size);

#endif /* STRATA_TESTS_CTF_FORMS_H */
