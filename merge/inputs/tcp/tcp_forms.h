/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_forms.h - chooses the fields by which segments sent by one machine are compared with segments
 * received by another: the two tracers may record different fields (tcp_map.h).
 *
 * For each direction between two machines, finds the forms that a rule of the sender and a rule of
 * the receiver have in common, that tell segments apart, and that no other form contains.  A
 * segment is noted once in each form that its machine needs.
 *
 * Synchronisation: one thread at a time.
 */
#ifndef STRATA_MERGE_INPUTS_TCP_FORMS_H
#define STRATA_MERGE_INPUTS_TCP_FORMS_H

#include "inputs/tcp/tcp_segment.h"

#define STRATA_TCP_FORMS_MAX 32u

/* A set of forms. */
struct strata_tcp_form_set {
	uint32_t forms[STRATA_TCP_FORMS_MAX];
	size_t nr;
};

/* The forms that a machine's rules find, and those in which its segments are noted. */
struct strata_tcp_forms {
	struct strata_tcp_form_set sent, received;
	struct strata_tcp_form_set wanted_sent, wanted_received;
};

/* Adds a form, if there is room; without room, it is not compared. */
void strata_tcp_form_set_add(struct strata_tcp_form_set *set, uint32_t form);

/* Finds the common forms of a sending and a receiving machine. */
void strata_tcp_forms_between(const struct strata_tcp_forms *sender,
			      const struct strata_tcp_forms *receiver,
			      struct strata_tcp_form_set *common);

/* Sets the forms in which each machine's segments are noted, from those of the others. */
void strata_tcp_forms_find(struct strata_tcp_forms *machines, size_t nr);

/* Whether a segment of one form can be noted in another. */
bool strata_tcp_form_becomes(uint32_t form, uint32_t other);

#endif /* STRATA_MERGE_INPUTS_TCP_FORMS_H */
