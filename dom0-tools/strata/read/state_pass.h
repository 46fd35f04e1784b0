/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_pass.h - a pass over traces that computes the state of hosts (state/host_state.h), for all
 * verbs that use it. */
#ifndef STRATA_STRATA_STATE_PASS_H
#define STRATA_STRATA_STATE_PASS_H

#include <json-c/json.h>
#include <stdio.h>

#include "state/host_state.h"
#include "strata/read/traces.h"

#define STATE_REQUESTS_MAX 32u

/* The arguments of --request [NAME=]BEGIN,END[,KEY]; without NAME, BEGIN is the name. */
struct state_requests {
	struct strata_request_form forms[STATE_REQUESTS_MAX];
	size_t nr;
};

/* Reads one argument, which is modified. Returns 0, or -1: invalid, or too many. */
int state_read_request(struct state_requests *requests, char *text);

/*
 * Reads the traces up to a time, and passes all spans to the listeners.
 * @to_ns: UINT64_MAX: to their end
 * Returns NULL with @error; the caller frees the state with strata_host_state_free().
 */
struct strata_host_state *state_pass(struct traces *traces, const struct state_requests *requests,
				     struct strata_span_listener *const *listeners,
				     size_t nr_listeners, uint64_t to_ns,
				     struct strata_error *error);

/*
 * The same in steps, for a pass with further observers:
 *
 *     state_pass_begin  creates the state; NULL with @error. Its observer is one
 *     state_pass_read   of @observers, which receive all events. Returns 0; 1: one stopped it; -1
 *                       with @error
 *     strata_host_state_finish
 */
struct strata_host_state *state_pass_begin(struct traces *traces,
					   const struct state_requests *requests,
					   struct strata_span_listener *const *listeners,
					   size_t nr_listeners, struct strata_error *error);
int state_pass_read(struct traces *traces, struct strata_slice_sink *const *observers,
		    size_t nr_observers, uint64_t to_ns, struct strata_error *error);

/* Prints what the results lack. @of_requests: requests were asked for */
void state_print_facts(const struct strata_state_facts *facts, bool of_requests, FILE *out);

/* The same as JSON. */
struct json_object *state_facts_json(const struct strata_state_facts *facts);

#endif /* STRATA_STRATA_STATE_PASS_H */
