// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_run.c - counts what a trigger's model names (trigger.h). */
#include <stdlib.h>
#include <time.h>

#include "base/exit_status.h"
#include "stratad/aggregate_run.h"
#include "stratad/rule_texts.h"
#include "stratad/trigger/trigger.h"

/* Of the log of a session's trigger. */
#define LOG_BYTES (1u << 20)

/* The model as the words of a run that counts; points to its own parts. */
struct words {
	struct rule_texts texts;
	struct kernel_selection *kernels;
	struct aggregate_options options;
	struct aggregate_words words;
};

static int add_xen(struct words *words, const struct strata_domain_channel *xen,
		   struct strata_error *error)
{
	size_t i;

	for (i = 0; i < xen->nr_rules; i++) {
		char *text;

		if (rule_texts_take(&words->texts, xen, &xen->rules[i], &text, error))
			return -1;
		if (text && xen->rules[i].kind == STRATA_RULE_XEN_DOMAIN)
			words->options.xen_domains = text;
		else if (text)
			words->words.xen_events = text;
	}
	return 0;
}

static int add_kernels(struct words *words, const struct strata_domain_channel *kernels,
		       struct strata_error *error)
{
	size_t i;

	for (i = 0; i < kernels->nr_rules; i++) {
		const bool is_filter = kernels->rules[i].kind == STRATA_RULE_FILTER;
		char *text;

		if (rule_texts_take(&words->texts, kernels, &kernels->rules[i], &text, error))
			return -1;
		if (text &&
		    select_parse_kernel(is_filter ? SELECT_FILTER : SELECT_EVENTS, text,
					&words->kernels[words->options.nr_kernels++], error))
			return -1;
	}
	return 0;
}

static int add_apps(struct words *words, const struct strata_domain_channel *apps,
		    struct strata_error *error)
{
	size_t i;

	for (i = 0; i < apps->nr_rules; i++) {
		char *text;

		if (rule_texts_take(&words->texts, apps, &apps->rules[i], &text, error))
			return -1;
		if (text &&
		    select_parse_app(text, &words->options.apps[words->options.nr_apps++], error))
			return -1;
	}
	return 0;
}

/* In both cases clear() frees.  0 or -1. */
static int build(struct words *words, const struct strata_trigger *model,
		 struct strata_error *error)
{
	const struct strata_domain_channel *domains = model->counted.domains;
	const size_t nr_kernels = domains[STRATA_DOMAIN_KERNEL].nr_rules;
	const size_t nr_apps = domains[STRATA_DOMAIN_APP].nr_rules;

	*words = (struct words){ .options.interval_ms = model->interval_ms,
				 .words.spec = model->spec };
	words->kernels = calloc(nr_kernels + 1, sizeof(*words->kernels));
	words->options.kernels = words->words.kernels = words->kernels;
	words->options.apps = calloc(nr_apps + 1, sizeof(*words->options.apps));
	if (rule_texts_begin(&words->texts,
			     domains[STRATA_DOMAIN_XEN].nr_rules + nr_kernels + nr_apps) ||
	    !words->kernels || !words->options.apps)
		return strata_fail(error, "out of memory");
	if (add_xen(words, &domains[STRATA_DOMAIN_XEN], error) ||
	    add_kernels(words, &domains[STRATA_DOMAIN_KERNEL], error) ||
	    add_apps(words, &domains[STRATA_DOMAIN_APP], error))
		return -1;
	/* Each of Xen's many events would meet the condition, though others were asked for. */
	if (!words->words.xen_events && !words->options.xen_domains && !model->above_ns &&
	    (nr_kernels || nr_apps))
		words->words.xen_events = "none";
	return 0;
}

static void clear(struct words *words)
{
	free(words->kernels);
	free(words->options.apps);
	rule_texts_end(&words->texts);
}

int trigger_check(const struct strata_trigger *model, struct strata_error *error)
{
	struct aggregate_choice what;
	struct words words;
	int result = build(&words, model, error);

	if (!result)
		result = aggregate_check(&words.options, &words.words, &what, error);
	clear(&words);
	return result ? strata_fail_in(error, "trigger %s", model->counted.name) : 0;
}

/* Waits for the action under way, which may be the last look's, and tells of it. */
static void await_action(struct trigger *trigger)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	const bool failed = trigger->failed;

	if (!trigger->of_session) {
		while (trigger->action.is_under_way && !trigger_idle(trigger))
			nanosleep(&pause, NULL);
		return;
	}
	while (trigger->action.is_under_way) {
		if (trigger_action_ends(&trigger->action))
			trigger_tell(trigger);
		else
			nanosleep(&pause, NULL);
	}
	/* A session that is being stopped refuses it, and what it has seen since does not matter.
	 */
	trigger->failed = failed;
}

static void finish(struct trigger *trigger)
{
	await_action(trigger);
	trigger_action_close(&trigger->action);
	trigger_owners_free(&trigger->owners);
	free(trigger->now.list);
	free(trigger->next.list);
	trigger->now = trigger->next = (struct trigger_seen_list){ .list = NULL };
}

int trigger_run(struct trigger *trigger)
{
	struct strata_error error = { "" };
	struct aggregate_choice what;
	int status = STRATA_STATUS_USAGE;
	struct words words;

	trigger->what = &what;
	trigger->owners.max = trigger->model->max_each;
	trigger->action.model = trigger->model;
	trigger->action.session = trigger->session;
	trigger->action.open = trigger->open;
	if (build(&words, trigger->model, &error) ||
	    trigger_action_open(&trigger->action, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
	} else {
		words.options.duration_ms = trigger->duration_ms;
		words.options.xen_rows = trigger->xen_rows;
		words.options.without_probes = trigger->without_probes;
		words.options.look = trigger_look;
		words.options.idle = trigger_idle;
		words.options.begun = trigger->begun;
		words.options.log_bytes = trigger->of_session ? LOG_BYTES : 0;
		/* Guests alone do not keep a session from recording (trigger_process.c). */
		words.options.nothing_left_status = trigger->of_session ? STRATA_STATUS_PARTIAL : 0;
		words.options.data = trigger;
		status = aggregate_run(&words.options, &words.words, &what, NULL, NULL);
	}
	finish(trigger);
	clear(&words);
	trigger->what = NULL;
	return status == STRATA_STATUS_OK && trigger->failed ? STRATA_STATUS_PARTIAL : status;
}
