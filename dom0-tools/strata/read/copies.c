// SPDX-License-Identifier: GPL-2.0-or-later
/* copies.c - see copies.h. */
#include "strata/read/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_rows.h"
#include "base/identity.h"
#include "inputs/made_of.h"
#include "inputs/original.h"

/* The result of a check of a source, which may have many copies. */
struct checked {
	bool is_whole;
	struct strata_error error; /* unless it is */
};

/* Checks a source, once. Returns NULL: out of memory. */
static const struct checked *check(struct strata_id_rows *rows, const struct traces *traces,
				   const struct opened *opened, const struct strata_made_of *made)
{
	const uint64_t id = strata_identity_add(strata_identity_add(0, made->origin), made->source);
	struct checked *checked = strata_id_rows_find(rows, id);

	if (checked)
		return checked;
	checked = strata_id_rows_add(rows, id, sizeof(*checked));
	if (checked)
		checked->is_whole = strata_original_is_whole(
			opened[made->origin].recording, traces->inputs.inputs[made->origin].path,
			made->source, &checked->error);
	return checked;
}

/* Whether nothing is lost without a copy. @why: OUT, the reason if something may be lost */
static bool is_spare(struct strata_id_rows *rows, const struct traces *traces,
		     const struct opened *opened, size_t at, const struct strata_made_of *made,
		     struct strata_error *why)
{
	const struct strata_input *inputs = traces->inputs.inputs;
	const struct strata_recording *table;
	const struct checked *checked;

	if (!made->is_beside) {
		strata_fail(why, "only DIR/ctf beside its recording DIR/raw is left out");
		return false;
	}
	if (inputs[at].owner != inputs[made->origin].owner) {
		strata_fail(why, "their owners differ");
		return false;
	}
	table = strata_recording_traces_table(opened[made->origin].recording);
	if (!strata_original_has_streams(&table->sources[made->source], opened[at].trace, why))
		return false;
	checked = check(rows, traces, opened, made);
	if (!checked) {
		strata_fail(why, "out of memory");
		return false;
	}
	*why = checked->error;
	return checked->is_whole;
}

/* Leaves out a copy, or says why it is shown. */
static void decide(struct strata_id_rows *rows, struct traces *traces, struct opened *opened,
		   size_t at, const struct strata_made_of *made)
{
	const struct strata_input *inputs = traces->inputs.inputs;
	const char *name = inputs[at].name, *origin = inputs[made->origin].name;
	struct strata_error why = { 0 };
	char message[2048];

	if (is_spare(rows, traces, opened, at, made, &why)) {
		snprintf(message, sizeof(message),
			 "%.500s: was made from %.500s; left out, so that each event is shown once",
			 name, origin);
		traces_remark(traces, message);
		strata_ctf_trace_close(opened[at].trace);
		opened[at].trace = NULL;
		return;
	}
	snprintf(message, sizeof(message),
		 "%.500s: looks like a copy of %.500s, but %.500s; both are shown, and events may "
		 "appear twice: name one of them only",
		 name, origin, why.text);
	traces_complain(traces, message);
}

static void describe(const struct traces *traces, const struct opened *opened,
		     struct strata_made_of_input *inputs)
{
	size_t i;

	for (i = 0; i < traces->inputs.nr; i++) {
		inputs[i] = (struct strata_made_of_input){
			.path = traces->inputs.inputs[i].path,
			.root = opened[i].path,
			.trace = opened[i].trace,
			.recording = opened[i].recording
					     ? strata_recording_traces_table(opened[i].recording)
					     : NULL
		};
	}
}

int copies_leave_out(struct traces *traces, struct opened *opened, struct strata_error *error)
{
	const size_t nr = traces->inputs.nr;
	struct strata_made_of_input *inputs = calloc(nr + 1, sizeof(*inputs));
	struct strata_made_of *made = calloc(nr + 1, sizeof(*made));
	struct strata_id_rows rows = { 0 };
	int status = -1;
	size_t i;

	if (inputs && made) {
		describe(traces, opened, inputs);
		status = strata_made_of_find(inputs, nr, made, NULL);
	}
	for (i = 0; i < nr && !status; i++) {
		if (made[i].origin < nr)
			decide(&rows, traces, opened, i, &made[i]);
	}
	strata_id_rows_clear(&rows, NULL);
	free(inputs);
	free(made);
	return status ? strata_fail(error, "out of memory for %zu traces", nr) : 0;
}
