/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline_why.h - why the slowest requests of a timeline took their time (merge/why/): found in
 * the timeline's pass, explained in a second one, which is made only if there are requests.
 */
#ifndef STRATA_STRATA_TIMELINE_WHY_H
#define STRATA_STRATA_TIMELINE_WHY_H

#include "outputs/timeline/timeline.h"
#include "strata/read/state_pass.h"
#include "why/instances.h"

struct timeline_why {
	struct strata_why_question question;
	struct strata_why_names names;
	struct strata_why_instances *instances; /* its listener is to be told of all spans */
};

/* Only requests that lie between two times.  0, or -1; to be cleared in any case. */
int timeline_why_begin(struct timeline_why *why, const struct strata_shown *shown, uint64_t from_ns,
		       uint64_t to_ns, struct strata_error *error);

/* After the timeline's pass, and before it is finished.  0 or -1. */
int timeline_why_explain(struct timeline_why *why, struct traces *traces,
			 const struct state_requests *requests, struct strata_timeline *timeline,
			 struct strata_error *error);

void timeline_why_clear(struct timeline_why *why);

#endif /* STRATA_STRATA_TIMELINE_WHY_H */
