// SPDX-License-Identifier: GPL-2.0-or-later
/* traces.c - see traces.h. */
#include "traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_limit.h"

#define COMPLAINTS_MAX 100u
#define THREADS_MAX    64

static void complain(void *data, const char *message)
{
	struct traces *traces = data;

	pthread_mutex_lock(&traces->lock);
	if (traces->complaints++ < COMPLAINTS_MAX)
		fprintf(stderr, "strata: %s: %s\n", traces->verb, message);
	else if (traces->complaints == COMPLAINTS_MAX + 1)
		fprintf(stderr, "strata: %s: more is wrong than is shown here\n", traces->verb);
	pthread_mutex_unlock(&traces->lock);
}

/* Opens one trace's directory into the set. 0; 1: it was named and left out; -1: out of memory. */
static int open_trace(struct traces *traces, const char *path, const char *name,
		      struct strata_error *error)
{
	struct strata_ctf_trace *trace = strata_ctf_trace_open(path, complain, traces, error);
	char **names;

	if (!trace) {
		complain(traces, error->text);
		return 1;
	}
	if (strata_trace_set_add(&traces->set, trace, error))
		return -1;
	names = realloc(traces->names, traces->set.nr_traces * sizeof(char *));
	if (!names)
		return strata_fail(error, "out of memory");
	traces->names = names;
	names[traces->set.nr_traces - 1] = strdup(name);
	return names[traces->set.nr_traces - 1] ? 0 : strata_fail(error, "out of memory");
}

int traces_open(struct traces *traces, const char *verb, char *const *paths, size_t nr,
		struct strata_error *error)
{
	size_t i;

	memset(traces, 0, sizeof(*traces));
	traces->verb = verb;
	pthread_mutex_init(&traces->lock, NULL);
	file_limit_raise();
	for (i = 0; i < nr; i++) {
		if (strata_inputs_find(&traces->inputs, paths[i], complain, traces, error))
			return -1;
	}
	for (i = 0; i < traces->inputs.nr; i++) {
		const struct strata_input *input = &traces->inputs.inputs[i];

		if (open_trace(traces, input->path, input->name, error) < 0)
			return -1;
	}
	if (traces->set.nr_streams == 0)
		return strata_fail(error, "nothing that can be read was found; see above");
	return 0;
}

void traces_close(struct traces *traces)
{
	size_t i;

	for (i = 0; i < traces->set.nr_traces; i++)
		free(traces->names[i]);
	free(traces->names);
	strata_trace_set_clear(&traces->set);
	strata_inputs_clear(&traces->inputs);
	pthread_mutex_destroy(&traces->lock);
}

struct strata_ctf_tally traces_tally(const struct traces *traces, size_t trace)
{
	struct strata_ctf_tally sum = { 0 };
	size_t i;

	for (i = 0; i < traces->set.nr_streams; i++) {
		if (traces->set.streams[i].trace == trace)
			strata_ctf_tally_add(&sum, &traces->set.streams[i].tally);
	}
	return sum;
}

unsigned int traces_threads(void)
{
	const long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr < 1 ? 1 : nr > THREADS_MAX ? THREADS_MAX : (unsigned int)nr;
}
