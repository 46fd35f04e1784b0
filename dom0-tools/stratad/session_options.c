// SPDX-License-Identifier: GPL-2.0-or-later
/* session_options.c - see session_options.h. */
#include "stratad/session_options.h"

#include <stdlib.h>
#include <string.h>

#include "control/session_model.h"

/* The option of `strata record` that a rule for kernels is. */
static const enum select_kind kernel_kinds[STRATA_NR_RULE_KINDS] = {
	[STRATA_RULE_EVENT] = SELECT_EVENTS,
	[STRATA_RULE_KPROBE] = SELECT_KPROBE,
	[STRATA_RULE_KRETPROBE] = SELECT_KRETPROBE,
	[STRATA_RULE_TID] = SELECT_TID,
	[STRATA_RULE_PID] = SELECT_PID,
	[STRATA_RULE_FILTER] = SELECT_FILTER,
	[STRATA_RULE_CONTEXT] = SELECT_CONTEXT,
	[STRATA_RULE_UPROBE] = SELECT_UPROBE,
	[STRATA_RULE_URETPROBE] = SELECT_URETPROBE,
	[STRATA_RULE_FUNCTION] = SELECT_FUNCTION,
	[STRATA_RULE_TRACEPOINT] = SELECT_TRACEPOINT,
};

static int add_xen(struct session_options *options, const struct strata_channel *whole,
		   struct strata_error *error)
{
	const struct strata_domain_channel *channel = &whole->domains[STRATA_DOMAIN_XEN];
	struct record_options *record = &options->record;
	size_t i;

	record->xen_geometry = session_model_geometry(channel);
	options->xen.budget_per_s = channel->budget_per_s;
	for (i = 0; i < channel->nr_rules; i++) {
		const struct strata_rule *rule = &channel->rules[i];
		char *text;

		if (rule_texts_take(&options->texts, channel, rule, &text, error))
			return -1;
		if (!text)
			continue;
		if (rule->kind == STRATA_RULE_XEN_DOMAIN)
			record->xen_domains = text;
		else if (select_xen_events(&options->xen, text, error))
			return -1;
		else
			record->xen_events = text;
	}
	return 0;
}

static int add_kernels(struct session_options *options, const struct strata_channel *whole,
		       struct strata_error *error)
{
	const struct strata_domain_channel *channel = &whole->domains[STRATA_DOMAIN_KERNEL];
	struct record_options *record = &options->record;
	size_t i;

	for (i = 0; i < channel->nr_rules; i++) {
		const struct strata_rule *rule = &channel->rules[i];
		char *text;

		if (rule_texts_take(&options->texts, channel, rule, &text, error))
			return -1;
		if (text && select_parse_kernel(kernel_kinds[rule->kind], text,
						&record->kernels[record->nr_kernels++], error))
			return -1;
	}
	if (session_model_traces(whole, STRATA_DOMAIN_KERNEL))
		return 0;
	/* Without any the recorder would take every kernel. */
	return select_parse_kernel(SELECT_EVENTS, "none", &record->kernels[record->nr_kernels++],
				   error);
}

static int add_apps(struct session_options *options, const struct strata_channel *whole,
		    struct strata_error *error)
{
	const struct strata_domain_channel *channel = &whole->domains[STRATA_DOMAIN_APP];
	struct record_options *record = &options->record;
	size_t i;

	record->app_geometry = session_model_geometry(channel);
	record->app_mode = channel->rings;
	for (i = 0; i < channel->nr_rules; i++) {
		char *text;

		if (rule_texts_take(&options->texts, channel, &channel->rules[i], &text, error))
			return -1;
		if (text && select_parse_app(text, &record->apps[record->nr_apps++], error))
			return -1;
	}
	return 0;
}

int session_options_build(struct session_options *options, const struct strata_session *session,
			  const struct strata_channel *channel, const char *output,
			  struct strata_error *error)
{
	const struct strata_domain_channel *domains = channel->domains;
	struct record_options *record = &options->record;

	*options = (struct session_options){
		.record = {
			.output = output,
			.place = OUTPUT_NEW,
			.event_header = session->event_header,
			.switch_ms = session->snapshot ? 0 : session->switch_ms,
			.overwrite = session->snapshot,
			.rotation_dir = session->output,
			/* Beside others, each has a directory of its own in each recording. */
			.rotation_leaf =
				session_model_count_recorded(session) > 1 ? channel->name : NULL,
			.rotation = session->rotation,
			.ready_fd = -1,
			.wait = true,
			.of_session = true,
		},
	};
	record->xen = &options->xen;
	record->app_file_users = &options->file_users;
	/* One more: no kernel. */
	record->kernels =
		calloc(domains[STRATA_DOMAIN_KERNEL].nr_rules + 1, sizeof(*record->kernels));
	/* One more, which the recorder may add. */
	record->apps = calloc(domains[STRATA_DOMAIN_APP].nr_rules + 1, sizeof(*record->apps));
	if (rule_texts_begin(&options->texts, STRATA_SESSION_RULES_MAX) || !record->kernels ||
	    !record->apps)
		return strata_fail(error, "out of memory");
	if (add_xen(options, channel, error) || add_kernels(options, channel, error) ||
	    add_apps(options, channel, error))
		return -1;
	record->apps_may_do = record->nr_apps &&
			      !session_model_traces(channel, STRATA_DOMAIN_XEN) &&
			      !session_model_traces(channel, STRATA_DOMAIN_KERNEL);
	return 0;
}

void session_options_clear(struct session_options *options)
{
	select_xen_clear(&options->xen);
	free(options->record.kernels);
	free(options->record.apps);
	rule_texts_end(&options->texts);
	*options = (struct session_options){ .texts = { NULL } };
}

/* Writes the request for a filter: that of the rule, or, as the session does not have it any more,
 * one that all pass.  0 or -1. */
static int reselect_filter(const struct strata_domain_channel *channel,
			   const struct strata_rule *rule, char *request, size_t bytes,
			   struct strata_error *error)
{
	const char *expression = strchr(rule->text, ':');
	bool stays = false;
	int length;
	size_t i;

	for (i = 0; i < channel->nr_rules; i++)
		stays |= channel->rules[i].kind == rule->kind &&
			 !strcmp(channel->rules[i].target, rule->target) &&
			 !strcmp(channel->rules[i].text, rule->text);
	if (stays || !expression)
		length = snprintf(request, bytes, "kernel-filter=%s:%s", rule->target, rule->text);
	else
		length = snprintf(request, bytes, "kernel-filter=%s:%.*s: 1", rule->target,
				  (int)(expression - rule->text), rule->text);
	return length < (int)bytes ? 0 : strata_fail(error, "the filter is too long");
}

int session_options_reselect(const struct strata_session *session,
			     const struct strata_channel *whole, enum strata_domain domain,
			     const struct strata_rule *rule, char *request, size_t bytes,
			     struct strata_error *error)
{
	static const char *const words[STRATA_NR_DOMAINS] = { "xen", "kernel", "app" };
	const struct strata_domain_channel *channel = &whole->domains[domain];
	const char *word = rule->kind == STRATA_RULE_EVENT ? words[domain]
							   : session_model_rule_name(rule->kind);
	char *text = NULL;
	bool fits;
	size_t i;

	if (rule->kind == STRATA_RULE_FILTER)
		return reselect_filter(channel, rule, request, bytes, error);
	if (session_model_is_alone(rule->kind) || rule->kind == STRATA_RULE_CONTEXT)
		return strata_fail(error,
				   "a %s cannot be changed while session %s records; stop it first",
				   word, session->name);
	for (i = 0; !text && i < channel->nr_rules; i++)
		if (rule_texts_belong(rule, &channel->rules[i])) {
			text = rule_texts_join(channel, rule, NULL);
			if (!text)
				return strata_fail(error, "out of memory");
		}
	/* Nothing is left of that list: a target's events can be none, other lists cannot. */
	if (!text && (rule->kind != STRATA_RULE_EVENT || domain == STRATA_DOMAIN_XEN))
		return strata_fail(error,
				   "the last rule of this kind cannot be removed while session %s "
				   "records; stop it first",
				   session->name);
	fits = text ? snprintf(request, bytes, "%s=%s", word, text) < (int)bytes
		    : snprintf(request, bytes, "%s=%s:none", word, rule->target) < (int)bytes;
	free(text);
	return fits ? 0
		    : strata_fail(error,
				  "session %s has too many rules for %s to change them while it "
				  "records; stop it first",
				  session->name, rule->target[0] ? rule->target : "Xen");
}
