// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_truth CLOCKS TRACES_A TRACES_B - whether the times of machine B, put on A's clock by
 * the TCP between them, are right: at each line of CLOCKS, in which the machines compared their
 * clocks over shared memory (compare_clocks.c), the truth must be within the stated bound.
 *
 * Prints the number of comparisons and of those that fail.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "inputs/find.h"
#include "../machines_found.h"

static void die(const char *why)
{
	fprintf(stderr, "clock_truth: %s\n", why);
	exit(1);
}

static void open_all(struct strata_trace_set *set, const char *path)
{
	struct strata_inputs inputs = { 0 };
	struct strata_error error;
	size_t i;

	if (strata_inputs_find(&inputs, path, NULL, NULL, &error))
		die(error.text);
	for (i = 0; i < inputs.nr; i++) {
		struct strata_ctf_trace *trace =
			strata_ctf_trace_open(inputs.inputs[i].path, NULL, NULL, &error);

		if (!trace || strata_trace_set_add(set, trace, &error))
			die(error.text);
	}
	strata_inputs_clear(&inputs);
}

/* A machine's first trace: its clock is all of its traces'. */
static const struct strata_ctf_trace *
first_of(const struct strata_trace_set *set, const struct strata_machines *machines, size_t machine)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		if (machines->of_trace[i] == machine)
			return set->traces[i];
	}
	die("a machine has no trace");
	return NULL;
}

int main(int argc, char **argv)
{
	struct strata_trace_set set = { 0 };
	struct strata_machines machines;
	const struct strata_ctf_converter *converter;
	const struct strata_ctf_trace *a, *b;
	struct strata_error error;
	uint64_t before, other, after, lines = 0, wrong = 0;
	FILE *clocks;
	void *state;

	if (argc != 4)
		die("usage: clock_truth CLOCKS TRACES_A TRACES_B");
	open_all(&set, argv[2]);
	open_all(&set, argv[3]);
	if (machines_found(&machines, &set, NULL, NULL, &error))
		die(error.text);
	if (machines.nr != 2 || !machines.machines[1].tied)
		die("these are not two machines whose clocks are tied");
	a = first_of(&set, &machines, 0);
	b = first_of(&set, &machines, 1);
	converter = b->streams[0].converter;
	state = converter->begin(converter);
	clocks = fopen(argv[1], "r");
	if (!state || !clocks)
		die("no clocks");
	while (fscanf(clocks, "%" SCNu64 " %" SCNu64 " %" SCNu64, &before, &other, &after) == 3) {
		struct strata_ctf_when told;

		converter->convert(state, &b->kinds[0].time, other, &told);
		lines++;
		if (told.bound == UINT64_MAX ||
		    told.ns + told.bound < strata_ctf_ns(&a->kinds[0].time, before) ||
		    told.ns - told.bound > strata_ctf_ns(&a->kinds[0].time, after))
			wrong++;
	}
	converter->end(state);
	fclose(clocks);
	printf("%" PRIu64 " comparisons, %" PRIu64 " wrong\n", lines, wrong);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
	return wrong || lines < 10;
}
