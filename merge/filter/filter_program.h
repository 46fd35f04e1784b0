/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_program.h - compiles a filter expression for one class of a kernel's events into a program
 * that the kernel runs before it records them (strata/abi/field_filter.h).
 *
 * What passes there is what `strata merge --filter` with the same expression leaves of the events.
 * A test of a field that the event lacks is unknown, and decides nothing.  A kernel can compare
 * integers and text of the event, and the thread ($ctx.tid); other operands are refused.
 */
#ifndef STRATA_MERGE_FILTER_PROGRAM_H
#define STRATA_MERGE_FILTER_PROGRAM_H

#include <strata/abi/field_filter.h>
#include <strata/event.h>

#include "filter/filter_expression.h"

struct strata_filter_program {
	size_t nr; /* bytes; 0: all events of the class have the same verdict: */
	bool passes;
	unsigned char bytes[STRATA_FIELD_PROGRAM_BYTES_MAX];
};

/*
 * Compiles an expression.
 * @node: from strata_filter_parse(); notes which of its fields the event has, and the nearest ones
 * @event: the description of the class, checked
 * Returns 0, or -1 with the part that a kernel cannot test.
 */
int strata_filter_compile(struct strata_node *node, const struct strata_event_desc *event,
			  struct strata_filter_program *program, struct strata_error *error);

/* Whether each field of an expression was in one of the events that it was compiled for.  0, or -1
 * with the first that was not. */
int strata_filter_check_fields(const struct strata_node *node, struct strata_error *error);

#endif /* STRATA_MERGE_FILTER_PROGRAM_H */
