// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline_why.c - see timeline_why.h. */
#include "strata/read/timeline_why.h"

#include <stdlib.h>
#include <string.h>

#include "why/answer.h"

int timeline_why_begin(struct timeline_why *why, const struct strata_shown *shown, uint64_t from_ns,
		       uint64_t to_ns, struct strata_error *error)
{
	memset(why, 0, sizeof(*why));
	why->question = (struct strata_why_question){
		.of = 1u << STRATA_WHY_OF_REQUEST,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.worst = STRATA_TIMELINE_SLOWEST,
	};
	why->instances = strata_why_instances_new(&why->question, shown, &why->names);
	return why->instances ? 0 : strata_fail(error, "out of memory");
}

/* Converts an explanation to text, and passes it on. Returns 0 or -1. */
static int tell(const struct strata_why_answer *answer,
		const struct strata_why_explained *explained, struct strata_timeline *timeline)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -1;
	strata_why_explained_print(answer, explained, out);
	if (fclose(out)) {
		free(text);
		return -1;
	}
	strata_timeline_explain(timeline, explained->instance->from_ns, explained->instance->to_ns,
				text);
	free(text);
	return 0;
}

static int tell_all(const struct timeline_why *why, const struct strata_why_recall *recall,
		    struct strata_host_state *state, struct strata_timeline *timeline)
{
	struct strata_why_answer answer = {
		.shown = recall->shown,
		.names = recall->names,
		.facts = strata_host_state_facts(state),
	};
	int status = strata_why_answer_make(&answer, why->instances, NULL, recall);
	size_t i;

	for (i = 0; !status && i < answer.nr_worst; i++)
		status = tell(&answer, &answer.worst[i], timeline);
	strata_why_answer_clear(&answer);
	return status;
}

int timeline_why_explain(struct timeline_why *why, struct traces *traces,
			 const struct state_requests *requests, struct strata_timeline *timeline,
			 struct strata_error *error)
{
	struct strata_why_window windows[STRATA_TIMELINE_SLOWEST + 1];
	struct strata_why_recall *recall = NULL;
	struct strata_span_listener *listener;
	struct strata_host_state *state = NULL;
	int status = strata_why_instances_finish(why->instances);

	if (!status && !why->instances->nr)
		return 0;
	if (!status) {
		recall = strata_why_recall_new(
			windows, strata_why_windows(why->instances, NULL, windows),
			STRATA_WHY_SPANS_MAX, why->instances->shown, &why->names);
		status = recall ? 0 : -1;
	}
	if (status)
		return strata_fail(error, "out of memory");
	listener = &recall->listener;
	traces_read_again(traces);
	/* A span is reported when it ends, which may be after the requests. */
	state = state_pass(traces, requests, &listener, 1, UINT64_MAX, error);
	if (!state)
		status = -1;
	else if (strata_why_recall_finish(recall) || tell_all(why, recall, state, timeline))
		status = strata_fail(error, "out of memory");
	strata_host_state_free(state);
	strata_why_recall_free(recall);
	return status;
}

void timeline_why_clear(struct timeline_why *why)
{
	strata_why_instances_free(why->instances);
	strata_why_names_clear(&why->names);
}
