// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_why.c - `strata why`: explains where the time of the longest requests, wake-ups or stretches
 * of work went, and what was to blame. It reads the traces twice: first to find these instances,
 * then to remember what happened during them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "strata/read/state_options.h"
#include "strata/read/time_text.h"
#include "strata/read/traces.h"
#include "why/answer.h"

#define WORST 5u

struct options {
	struct strata_why_question question;
	struct state_options state;
	const char *at;
	bool json;
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata why [WHAT] [OPTIONS] TRACE...\n"
		"Explains where the time of the longest ones went, and what was to blame.  WHAT:\n"
		"  --request [SOURCE:]NAME    requests: events NAME_begin and NAME_end (the default)\n"
		"  --request [NAME=]BEGIN,END[,KEY]\n"
		"                             between two events; KEY is a field of both, NAME what it\n"
		"                             is called\n"
		"  --task [KERNEL:]TASK       stretches of work: from when a task wants to run until it\n"
		"                             blocks; TASK is its name, its number, or NAME-NUMBER\n"
		"  --wakeup [KERNEL:]TASK     from when a task is woken until it runs\n"
		"  --syscall [KERNEL:]NAME    system calls\n"
		"Names may be patterns: * ? [a-z].\n"
		"\n"
		"  --worst N                  the N longest ones (%u)\n"
		"  --slower-than LENGTH       only what took longer: 10ms, 250us, 2s\n"
		"  --at TIME                  only what was going on then; TIME as in `strata view`.\n"
		"                             Without WHAT: requests and tasks\n"
		"  --from TIME, --to TIME     only what lies in between\n"
		"  --json                     for programs: docs/formats.md\n" TCP_MAP_USAGE "\n"
		"The parts of each tree sum to its whole, to the nanosecond.  Each time is off by no more\n"
		"than the bound beside it.  What is not known, because events were lost or not recorded,\n"
		"is shown as unknown.\n\n"
		"Exit status: 0 explained; 1 failed, or there is nothing to explain; 2 wrong usage;\n"
		"3 something was damaged or missing, and was named.\n",
		WORST);
}

static int wrong(const char *what, const char *which)
{
	return traces_wrong("why", what, which);
}

/* Parses "[SOURCE:]NAME", which is modified. Returns 0 or -1. */
static int read_what(struct options *options, enum strata_why_of of, char *text)
{
	struct strata_why_question *question = &options->question;
	char *colon = strchr(text, ':');

	if (question->of || !*text || (colon && (colon == text || !colon[1])))
		return -1;
	question->of = 1u << of;
	if (of == STRATA_WHY_OF_REQUEST && strchr(text, ',')) {
		if (state_read_request(&options->state.requests, text))
			return -1;
		question->name = options->state.requests.forms[0].name;
		return 0;
	}
	if (colon) {
		*colon = 0;
		question->source = text;
		text = colon + 1;
	}
	if (of == STRATA_WHY_OF_TASK || of == STRATA_WHY_OF_WAKEUP)
		question->task = text;
	else
		question->name = text;
	return 0;
}

static int read_worst(struct options *options, const char *text)
{
	char *end;
	const unsigned long worst = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || worst < 1 || worst > STRATA_WHY_WORST)
		return -1;
	options->question.worst = worst;
	return 0;
}

/* Reports why there is nothing to explain. */
static void say_nothing(const struct strata_why_instances *instances,
			const struct strata_why_names *names)
{
	static const char *const record[STRATA_NR_WHY_OF] = {
		[STRATA_WHY_OF_REQUEST] =
			"events NAME_begin and NAME_end of an application (strata record --app PROGRAM:EVENTS)",
		[STRATA_WHY_OF_TASK] =
			"a kernel's scheduling (strata record --kernel 'DOMAIN:sched/*')",
		[STRATA_WHY_OF_WAKEUP] =
			"a kernel's scheduling (strata record --kernel 'DOMAIN:sched/*')",
		[STRATA_WHY_OF_SYSCALL] =
			"a kernel's system calls (strata record --kernel 'DOMAIN:sched/*,raw_syscalls/*')",
	};
	const unsigned int of = instances->question->of;
	bool has_some = false;
	size_t i;

	for (i = 0; i < STRATA_NR_WHY_OF; i++) {
		if (!(of & 1u << i))
			continue;
		has_some |= instances->seen[i] > 0;
		if (!instances->seen[i])
			fprintf(stderr,
				"strata: why: the traces have no %s that end in them; they come from %s\n",
				strata_why_of_name(1u << i, true), record[i]);
	}
	if (!has_some)
		return;
	fprintf(stderr, "strata: why: none of the %s in the traces matches%s\n",
		strata_why_of_name(of, true),
		instances->nr_names_seen ? "; there are:" : " (--at, --from, --to, --slower-than)");
	for (i = 0; i < instances->nr_names_seen; i++)
		fprintf(stderr, "  %s\n", strata_why_name(names, instances->names_seen[i]));
	if (instances->nr_names_seen == STRATA_WHY_SEEN)
		fprintf(stderr, "  and others\n");
}

static int print_answer(const struct strata_why_answer *answer, bool json,
			struct strata_error *error)
{
	struct json_object *root;

	if (!json) {
		strata_why_answer_print(answer, stdout);
		state_print_facts(answer->facts,
				  answer->instances->question->of & 1u << STRATA_WHY_OF_REQUEST,
				  stdout);
		return 0;
	}
	root = strata_why_answer_json(answer);
	if (!root)
		return strata_fail(error, "out of memory");
	json_object_object_add(root, "facts", state_facts_json(answer->facts));
	printf("%s\n", json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
	return 0;
}

/* The second pass: remembers what happened during the instances, and explains them. */
static int explain(struct traces *traces, const struct options *options,
		   const struct strata_why_instances *instances, struct strata_why_names *names,
		   const struct strata_shown *shown, struct strata_error *error)
{
	const struct strata_why_instance *typical = strata_why_instances_median(instances);
	struct strata_why_window windows[STRATA_WHY_WORST + 1];
	const size_t nr = strata_why_windows(instances, typical, windows);
	struct strata_why_recall *recall =
		strata_why_recall_new(windows, nr, STRATA_WHY_SPANS_MAX, shown, names);
	struct strata_why_answer answer = { .shown = shown, .names = names };
	struct strata_span_listener *listener;
	struct strata_host_state *state = NULL;
	int status = -1;

	if (recall) {
		listener = &recall->listener;
		traces_read_again(traces);
		/* A span is reported when it ends, which may be after the instances. */
		state = state_pass(traces, &options->state.requests, &listener, 1, UINT64_MAX,
				   error);
		if (!state)
			goto out;
		answer.facts = strata_host_state_facts(state);
		status = strata_why_recall_finish(recall) ||
					 strata_why_answer_make(&answer, instances, typical, recall)
				 ? -1
				 : 0;
	}
	if (status)
		strata_fail(error, "out of memory");
	else
		status = print_answer(&answer, options->json, error);
out:
	strata_why_answer_clear(&answer);
	strata_why_recall_free(recall);
	strata_host_state_free(state);
	return status;
}

/* The first pass: finds the instances. Returns 0; 1: there is nothing to explain, which was
 * reported; -1. */
static int ask(struct traces *traces, struct options *options, struct strata_error *error)
{
	struct strata_why_names names = { .nr = 0 };
	struct strata_why_instances *instances = NULL;
	struct strata_span_listener *listener;
	struct strata_host_state *state = NULL;
	struct strata_shown shown;
	int status = strata_shown_init(&shown, &traces->set, error);

	if (!status) {
		instances = strata_why_instances_new(&options->question, &shown, &names);
		status = instances ? 0 : strata_fail(error, "out of memory");
	}
	if (!status) {
		listener = &instances->listener;
		state = state_pass(traces, &options->state.requests, &listener, 1,
				   options->question.to_ns, error);
		status = state ? 0 : -1;
	}
	if (!status && options->question.to_ns == UINT64_MAX)
		strata_trace_set_name_cut(&traces->set);
	if (!status && strata_why_instances_finish(instances))
		status = strata_fail(error, "out of memory");
	strata_host_state_free(state);
	if (!status && !instances->nr) {
		say_nothing(instances, &names);
		status = 1;
	} else if (!status) {
		status = explain(traces, options, instances, &names, &shown, error);
	}
	strata_why_instances_free(instances);
	strata_why_names_clear(&names);
	strata_shown_clear(&shown);
	return status;
}

static int read_times(struct traces *traces, struct options *options, struct strata_error *error)
{
	struct strata_why_question *question = &options->question;
	uint64_t first_ns = 0;

	if (!options->state.times.from && !options->state.times.to && !options->at)
		return 0;
	if (strata_trace_set_first(&traces->set, &first_ns, error) < 0 ||
	    write_read_times(&options->state.times, &first_ns, &question->from_ns, &question->to_ns,
			     error))
		return -1;
	question->has_at = options->at != NULL;
	if (options->at && !time_parse(options->at, false, first_ns, &question->at_ns))
		return strata_fail(error, "--at: \"%s\" is not a time", options->at);
	return 0;
}

static int why(struct options *options, char *const *paths, size_t nr)
{
	struct strata_error error;
	struct traces traces;
	int status = traces_open(&traces, "why", options->state.tcp_map, NULL, paths, nr, &error);

	if (!status)
		status = read_times(&traces, options, &error);
	if (!status)
		status = ask(&traces, options, &error);
	return traces_finish(&traces, status, &error);
}

enum { TASK = STATE_OPTION_OWN, WAKEUP, SYSCALL, WORST_N, SLOWER, AT, JSON };

static int take(void *data, int option, char *value)
{
	struct options *options = data;
	uint64_t ns;

	switch (option) {
	case STATE_OPTION_REQUEST:
		return read_what(options, STRATA_WHY_OF_REQUEST, value)
			       ? wrong("one of --request [SOURCE:]NAME or "
				       "[NAME=]BEGIN,END[,KEY]",
				       value)
			       : STRATA_STATUS_OK;
	case TASK:
	case WAKEUP:
		return read_what(options,
				 option == TASK ? STRATA_WHY_OF_TASK : STRATA_WHY_OF_WAKEUP, value)
			       ? wrong("one of --task or --wakeup [KERNEL:]TASK", value)
			       : STRATA_STATUS_OK;
	case SYSCALL:
		return read_what(options, STRATA_WHY_OF_SYSCALL, value)
			       ? wrong("one --syscall [KERNEL:]NAME", value)
			       : STRATA_STATUS_OK;
	case WORST_N:
		return read_worst(options, value)
			       ? wrong("--worst is a number from 1 to 1000", value)
			       : STRATA_STATUS_OK;
	case SLOWER:
		options->question.longer_ns = time_parse_ns(value);
		return options->question.longer_ns
			       ? STRATA_STATUS_OK
			       : wrong("--slower-than is a length of time such as 10ms", value);
	case AT:
		options->at = value;
		return time_parse(value, false, 0, &ns)
			       ? STRATA_STATUS_OK
			       : wrong("--at is a time such as +1.5", value);
	case JSON:
		options->json = true;
		return STRATA_STATUS_OK;
	}
	return -1;
}

int strata_cmd_why(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "task", required_argument, NULL, TASK },
		{ "wakeup", required_argument, NULL, WAKEUP },
		{ "syscall", required_argument, NULL, SYSCALL },
		{ "worst", required_argument, NULL, WORST_N },
		{ "slower-than", required_argument, NULL, SLOWER },
		{ "at", required_argument, NULL, AT },
		{ "json", no_argument, NULL, JSON },
		STATE_OPTIONS,
	};
	struct options options = { .question = { .worst = WORST, .to_ns = UINT64_MAX } };
	const struct state_verb verb = { "why", usage, long_options, take, &options, true };
	const int status = state_options_read(&verb, &options.state, argc, argv);

	if (status != STRATA_STATUS_OK)
		return status < 0 ? STRATA_STATUS_OK : status;
	if (optind == argc)
		return wrong("name the traces", NULL);
	if (!options.question.of)
		options.question.of = 1u << STRATA_WHY_OF_REQUEST |
				      (options.at ? 1u << STRATA_WHY_OF_TASK : 0);
	return why(&options, argv + optind, (size_t)(argc - optind));
}
