// SPDX-License-Identifier: GPL-2.0-or-later
/* hypervisor_aggregate.c - see hypervisor_aggregate.h. */
#include "consumerd/xen/hypervisor_aggregate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumerd/xen/hypervisor.h"

/* Of the rows of one call: as much as two pages of histograms, or a thousand counts. */
#define CALL_BYTES 16384u

_Static_assert((STRATA_AGGREGATE_TIME_WORDS + 1) * sizeof(uint64_t) <= CALL_BYTES,
	       "each call may return a row");
_Static_assert(STRATA_HV_READ_OTHERS <= STRATA_AGGREGATE_OTHERS, "all counters have a place");

void aggregate_rows_clear(struct aggregate_rows *rows)
{
	free(rows->words);
	*rows = (struct aggregate_rows){ 0 };
}

static int create(struct hypervisor *hypervisor, const struct strata_aggregate_spec *spec,
		  const char *owner, char holder[STRATA_HV_OWNER_BYTES])
{
	struct strata_hv_op op = { .operation = STRATA_HV_AGGREGATE };
	int result;

	op.u.aggregate.spec = *spec;
	snprintf(op.u.aggregate.owner, sizeof(op.u.aggregate.owner), "%s", owner);
	result = hypervisor_operate(hypervisor, &op);
	memcpy(holder, op.u.aggregate.owner, STRATA_HV_OWNER_BYTES);
	holder[STRATA_HV_OWNER_BYTES - 1] = '\0';
	return result;
}

int hypervisor_aggregate(struct hypervisor *hypervisor, const struct strata_aggregate_spec *spec,
			 const char *owner, struct strata_error *error)
{
	char holder[STRATA_HV_OWNER_BYTES];
	int result = create(hypervisor, spec, owner, holder);

	if (result && errno == EBUSY) {
		if (hypervisor_free_left(hypervisor, holder, error))
			return -1;
		result = create(hypervisor, spec, owner, holder);
	}
	if (result)
		return strata_fail(error, "Xen cannot create tables to count in: %s",
				   strerror(errno));
	hypervisor_created(hypervisor);
	return 0;
}

static int make_room(struct aggregate_rows *rows, size_t nr, size_t row_words,
		     struct strata_error *error)
{
	uint64_t *words;

	if (nr <= rows->room)
		return 0;
	words = reallocarray(rows->words, nr * row_words, sizeof(*words));
	if (!words)
		return strata_fail(error, "out of memory");
	rows->words = words;
	rows->room = nr;
	return 0;
}

int hypervisor_renew_aggregate(struct hypervisor *hypervisor,
			       const struct strata_aggregate_spec *spec, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_AGGREGATE };

	op.u.aggregate.spec = *spec;
	op.u.aggregate.flags = STRATA_HV_RENEW;
	if (hypervisor_operate(hypervisor, &op))
		return strata_fail(error, "Xen cannot create new tables to count in: %s",
				   strerror(errno));
	return 0;
}

int hypervisor_read_aggregate(struct hypervisor *hypervisor,
			      const struct strata_aggregate_spec *spec, bool previous,
			      struct aggregate_rows *rows, struct strata_error *error)
{
	const uint32_t all = strata_aggregate_rows(spec);
	const size_t row_words = 1 + strata_aggregate_row_words(spec);
	void *buffer = hypervisor_buffer(hypervisor, CALL_BYTES, error);
	uint32_t next = 0;

	if (!buffer)
		return -1;
	rows->nr = 0;
	while (next < all) {
		struct strata_hv_op op = { .operation = STRATA_HV_READ };

		op.u.read.buffer = (uint64_t)(uintptr_t)buffer;
		op.u.read.room = (uint32_t)(CALL_BYTES / (row_words * sizeof(uint64_t)));
		op.u.read.first = next;
		op.u.read.flags = previous ? STRATA_HV_READ_PREVIOUS : 0;
		if (hypervisor_operate(hypervisor, &op))
			return strata_fail(error, "Xen does not hand over its counts: %s",
					   strerror(errno));
		if (op.u.read.next <= next || op.u.read.next > all ||
		    op.u.read.nr > op.u.read.next - next)
			return strata_fail(error, "Xen returned %u counts of rows %u to %u",
					   op.u.read.nr, next, op.u.read.next);
		if (make_room(rows, rows->nr + op.u.read.nr, row_words, error))
			return -1;
		memcpy(rows->words + rows->nr * row_words, buffer,
		       op.u.read.nr * row_words * sizeof(uint64_t));
		rows->nr += op.u.read.nr;
		next = op.u.read.next;
		rows->ticks = op.u.read.ticks;
		memcpy(rows->others, op.u.read.others, sizeof(op.u.read.others));
	}
	return 0;
}
