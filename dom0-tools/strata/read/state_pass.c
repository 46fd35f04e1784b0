// SPDX-License-Identifier: GPL-2.0-or-later
/* state_pass.c - see state_pass.h. */
#include "strata/read/state_pass.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_nearest.h"

int state_read_request(struct state_requests *requests, char *text)
{
	char *const equals = strchr(text, '=');
	struct strata_request_form *form;

	if (requests->nr == STATE_REQUESTS_MAX)
		return -1;
	form = &requests->forms[requests->nr++];
	form->name = NULL;
	if (equals) {
		form->name = strsep(&text, "=");
		if (!*form->name)
			return -1;
	}
	form->begin = strsep(&text, ",");
	form->end = strsep(&text, ",");
	form->key = strsep(&text, ",");
	if (!form->name)
		form->name = form->begin;
	return form->begin && *form->begin && form->end && *form->end && !text &&
			       strcmp(form->begin, form->end) != 0 && (!form->key || *form->key)
		       ? 0
		       : -1;
}

/* Looks for an event among the classes of all traces; the state ignores a prefix that ends in a
 * colon. */
static bool find_event(const struct strata_trace_set *set, const char *wanted,
		       struct strata_nearest *nearest)
{
	size_t i, j, k;

	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_metadata *metadata = &set->traces[i]->metadata;

		for (j = 0; j < metadata->nr_streams; j++) {
			for (k = 0; k < metadata->streams[j].nr_events; k++) {
				const char *whole = metadata->streams[j].events[k].name;
				const char *colon = strrchr(whole, ':');
				const char *name = colon ? colon + 1 : whole;

				if (strcmp(name, wanted) == 0)
					return true;
				strata_nearest_name(nearest, wanted, strlen(wanted), false, name,
						    strlen(name));
			}
		}
	}
	return false;
}

/* Reports requests whose events no trace can have: a mistake of the user. Returns 0 or -1. */
static int check_requests(const struct strata_trace_set *set, const struct state_requests *requests,
			  struct strata_error *error)
{
	size_t i;

	for (i = 0; i < 2 * requests->nr; i++) {
		const struct strata_request_form *form = &requests->forms[i / 2];
		const char *wanted = i % 2 ? form->end : form->begin;
		struct strata_nearest nearest = { 0 };
		char name[2 * sizeof(nearest.name)];

		if (find_event(set, wanted, &nearest))
			continue;
		return strata_fail(error, "--request: no trace has an event \"%s\"%s%s%s", wanted,
				   nearest.found ? "; there is \"" : "",
				   strata_escape_name(name, sizeof(name), nearest.name),
				   nearest.found ? "\"" : "");
	}
	return 0;
}

struct strata_host_state *state_pass_begin(struct traces *traces,
					   const struct state_requests *requests,
					   struct strata_span_listener *const *listeners,
					   size_t nr_listeners, struct strata_error *error)
{
	const struct strata_request_forms forms = { requests->forms, requests->nr };

	if (check_requests(&traces->set, requests, error))
		return NULL;
	/* The state needs the end of each stream. */
	if (strata_trace_set_make_index(&traces->set, error))
		return NULL;
	return strata_host_state_new(&traces->set, &forms, listeners, nr_listeners, error);
}

int state_pass_read(struct traces *traces, struct strata_slice_sink *const *observers,
		    size_t nr_observers, uint64_t to_ns, struct strata_error *error)
{
	const unsigned int threads = traces_threads();
	/* The state processes events one after the other, which is most of the work. A second
	 * thread reads ahead; more threads would only need more memory. */
	const struct strata_slice_options slices = {
		.to_ns = to_ns,
		.threads = threads > 2 ? 2 : threads,
		.observers = observers,
		.nr_observers = nr_observers,
	};
	int status;

	traces_progress_begin(traces, strata_trace_set_bytes(&traces->set, 0, to_ns));
	status = strata_slices_run(&traces->set, &slices, NULL, error);
	traces_progress_end(traces);
	return status;
}

struct strata_host_state *state_pass(struct traces *traces, const struct state_requests *requests,
				     struct strata_span_listener *const *listeners,
				     size_t nr_listeners, uint64_t to_ns,
				     struct strata_error *error)
{
	struct strata_host_state *state =
		state_pass_begin(traces, requests, listeners, nr_listeners, error);
	struct strata_slice_sink *observer;

	if (!state)
		return NULL;
	observer = strata_host_state_observer(state);
	if (!state_pass_read(traces, &observer, 1, to_ns, error) &&
	    !strata_host_state_finish(state, error))
		return state;
	strata_host_state_free(state);
	return NULL;
}

/* Prints which requests are missing from the results. */
static void print_request_facts(const struct strata_state_facts *facts, FILE *out)
{
	if (facts->requests_without_begin || facts->requests_without_end)
		fprintf(out,
			"Requests: %" PRIu64 " without an end, %" PRIu64
			" without a beginning, which are not counted\n",
			facts->requests_without_end, facts->requests_without_begin);
	if (facts->requests_not_followed)
		fprintf(out,
			"Requests: %" PRIu64
			" were not followed: more went on at once than the share of one user or kernel of %u\n",
			facts->requests_not_followed, STRATA_REQUESTS_MAX);
}

void state_print_facts(const struct strata_state_facts *facts, bool of_requests, FILE *out)
{
	if (facts->losses)
		fprintf(out,
			"Losses:   events were lost %" PRIu64
			" times; states that depend on them are unknown\n",
			facts->losses);
	if (facts->contradictions)
		fprintf(out,
			"Doubts:   %" PRIu64
			" changes of a vCPU's state do not follow from the previous state\n",
			facts->contradictions);
	if (facts->switches_missing)
		fprintf(out,
			"Gaps:     at least %" PRIu64
			" switches between tasks were not recorded (a filter?); what the tasks did before them is unknown\n",
			facts->switches_missing);
	if (facts->not_followed)
		fprintf(out,
			"Too many: %" PRIu64
			" events belong to tasks or CPUs beyond the limit; states that depend on them are unknown\n",
			facts->not_followed);
	if (of_requests)
		print_request_facts(facts, out);
}

struct json_object *state_facts_json(const struct strata_state_facts *facts)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "events", json_object_new_uint64(facts->events));
	json_object_object_add(object, "first_ns", json_object_new_uint64(facts->first_ns));
	json_object_object_add(object, "last_ns", json_object_new_uint64(facts->last_ns));
	json_object_object_add(object, "losses", json_object_new_uint64(facts->losses));
	json_object_object_add(object, "contradictions",
			       json_object_new_uint64(facts->contradictions));
	json_object_object_add(object, "switches_missing",
			       json_object_new_uint64(facts->switches_missing));
	json_object_object_add(object, "not_followed", json_object_new_uint64(facts->not_followed));
	json_object_object_add(object, "grants_without_map",
			       json_object_new_uint64(facts->grants_without_map));
	json_object_object_add(object, "grants_still_mapped",
			       json_object_new_uint64(facts->grants_still_mapped));
	json_object_object_add(object, "requests_without_begin",
			       json_object_new_uint64(facts->requests_without_begin));
	json_object_object_add(object, "requests_without_end",
			       json_object_new_uint64(facts->requests_without_end));
	json_object_object_add(object, "requests_not_followed",
			       json_object_new_uint64(facts->requests_not_followed));
	return object;
}
