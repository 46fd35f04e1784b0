// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reselect.c - changes the selection during a recording; see session.h.
 *
 * The hypervisor's rules are rebuilt from the current options.  A kernel gets another start command
 * with the new events, after new event classes were added to the recording's tables.  An
 * application gets another message; those that were of no interest are called again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stratad/domains/participant_commands.h"
#include "stratad/session.h"
#include "stratad/xen_domains.h"

struct reselection {
	struct reselection *before; /* an earlier one, whose texts may still be in use */
	char *request;              /* all texts below point into it */
	const char *xen;            /* NULL: as before */
	const char *xen_domains;
	const char *xen_budget;
	struct kernel_selection *kernels; /* the current ones; NULL: as before */
	struct app_selection *apps;       /* likewise */
};

/* Adds the rules of --xen-domain. */
static int choose_domains(struct session *session, struct xen_selection *xen, const char *words,
			  bool may_come, struct strata_error *error)
{
	struct guest *guests;
	size_t nr;
	int result;

	if (!words)
		return 0;
	if (participants_domains(&session->kernels, &guests, &nr, error))
		return -1;
	result = choose_xen_domains(xen, words, guests, nr, may_come, error);
	free(guests);
	return result;
}

int session_check_xen_domains(struct session *session, const char *words,
			      struct strata_error *error)
{
	struct xen_selection unused = { 0 };
	int result = choose_domains(session, &unused, words, session->options->wait, error);

	select_xen_clear(&unused);
	return result;
}

int session_select_xen(struct session *session, struct xen_selection *xen, const char *words,
		       bool may_come, struct strata_error *error)
{
	if (choose_domains(session, xen, words, may_come, error))
		return -1;
	return hypervisor_select(session->hypervisor, xen->rules, xen->nr, xen->budget_per_s,
				 error);
}

/* The current value of an option: the last reselection's, or the initial one. */
static const char *latest(const struct reselection *one, size_t member, const char *at_start)
{
	for (; one; one = one->before) {
		const char *text = *(const char *const *)((const char *)one + member);

		if (text)
			return text;
	}
	return at_start;
}

static int reselect_xen(struct session *session, const struct reselection *new_one, bool may_come,
			struct strata_error *error)
{
	struct xen_selection xen = { .budget_per_s = session->options->xen->budget_per_s };
	const char *events =
		latest(new_one, offsetof(struct reselection, xen), session->options->xen_events);
	const char *domains = latest(new_one, offsetof(struct reselection, xen_domains),
				     session->options->xen_domains);
	const char *budget = latest(new_one, offsetof(struct reselection, xen_budget), NULL);
	int result;

	if (!session->options->xen->nr)
		return strata_fail(error, "this recording leaves the hypervisor out");
	result = select_xen_events(&xen, events, error);
	if (!result && !xen.nr)
		result = strata_fail(
			error,
			"\"%s\" selects no events of the hypervisor; a running recording cannot drop it",
			events);
	if (!result && budget)
		result = select_xen_budget(&xen, budget, error);
	if (!result)
		result = session_select_xen(session, &xen, domains, may_come, error);
	select_xen_clear(&xen);
	return result;
}

void session_follow_domains(struct session *session)
{
	struct strata_error error = { "" };

	if (!session->options->xen->nr || session->kernels.stopping ||
	    !latest(session->reselection, offsetof(struct reselection, xen_domains),
		    session->options->xen_domains))
		return;
	if (reselect_xen(session, session->reselection, true, &error))
		fprintf(stderr, "strata: new domains cannot be selected by name: %s\n", error.text);
}

static bool filters(const struct kernel_selection *selection)
{
	return selection->kind == SELECT_TID || selection->kind == SELECT_PID;
}

/* Whether two filters name the same events. */
static bool have_same_events(const struct kernel_selection *one,
			     const struct kernel_selection *other)
{
	const size_t length = strcspn(one->text, ":");

	return length == strcspn(other->text, ":") && !strncmp(one->text, other->text, length);
}

/* Whether the new selection replaces the old one. */
static bool replaces(const struct kernel_selection *new_one, const struct kernel_selection *old)
{
	if (new_one->kind == SELECT_FILTER)
		return old->kind == SELECT_FILTER && !strcmp(new_one->domain, old->domain) &&
		       have_same_events(new_one, old);
	return !strcmp(new_one->domain, old->domain) &&
	       (new_one->kind == old->kind || (filters(new_one) && filters(old)));
}

/* Puts a selection before all others, where it takes precedence, and replaces a similar one. */
static int add_selection(struct session *session, struct reselection *new_one,
			 const struct kernel_selection *selection, struct strata_error *error)
{
	const struct participants *kernels = &session->kernels;
	const struct kernel_selection *old = new_one->kernels ? new_one->kernels
							      : kernels->selections;
	struct kernel_selection *list = calloc(kernels->nr_selections + 2, sizeof(*list));
	bool chosen = selection->kind != SELECT_EVENTS;
	size_t nr = 0, i;

	if (!list)
		return strata_fail(error, "out of memory");
	list[nr++] = *selection;
	for (i = 0; i < kernels->nr; i++)
		list[0].found |= select_matches_domain(selection, kernels->list[i].domain,
						       kernels->list[i].name);
	for (i = 0; i < kernels->nr_selections; i++) {
		chosen |= old[i].kind == SELECT_EVENTS;
		if (!replaces(selection, &old[i]))
			list[nr++] = old[i];
	}
	/* Without a selection all kernels took part; they still do. */
	if (!chosen)
		list[nr++] = (struct kernel_selection){
			.kind = SELECT_EVENTS, .domain = "*", .text = "default", .found = true
		};
	free(new_one->kernels);
	new_one->kernels = list;
	session->kernels.selections = list;
	session->kernels.nr_selections = nr;
	return 0;
}

/* Adds a selection of applications, and replaces that of the same name. */
static int add_app_selection(struct session *session, struct reselection *new_one, const char *text,
			     struct strata_error *error)
{
	struct apps *apps = &session->apps;
	const struct app_selection *old = apps->selections;
	struct app_selection *list;
	size_t nr = 0, i;

	if (!apps->nr_selections)
		return strata_fail(error,
				   "this recording leaves applications out; start another one "
				   "with --app");
	list = calloc(apps->nr_selections + 1, sizeof(*list));
	if (!list)
		return strata_fail(error, "out of memory");
	if (select_parse_app(text, &list[nr++], error)) {
		free(list);
		return -1;
	}
	for (i = 0; i < apps->nr_selections; i++)
		if (old[i].of_command || strcmp(old[i].program, list[0].program))
			list[nr++] = old[i];
	free(new_one->apps);
	new_one->apps = list;
	apps->selections = list;
	apps->nr_selections = nr;
	return 0;
}

/* Takes one NAME=VALUE. */
static int take_word(struct session *session, struct reselection *new_one, char *word,
		     struct strata_error *error)
{
	struct kernel_selection selection;
	char *value = strchr(word, '=');
	unsigned int kind;

	if (!value)
		return strata_fail(error, "\"%s\" has no value", word);
	*value++ = '\0';
	if (!strcmp(word, "xen"))
		new_one->xen = value;
	else if (!strcmp(word, "xen-domain"))
		new_one->xen_domains = value;
	else if (!strcmp(word, "xen-budget"))
		new_one->xen_budget = value;
	else if (!strcmp(word, "app"))
		return add_app_selection(session, new_one, value, error);
	else {
		for (kind = SELECT_EVENTS; kind < NR_SELECT_KINDS; kind++)
			if (!strcmp(word, select_option_name(kind) + 2))
				break;
		if (kind == NR_SELECT_KINDS || select_is_probe(kind) || kind == SELECT_CONTEXT)
			return strata_fail(error, "--%s cannot be changed while it records", word);
		if (select_parse_kernel(kind, value, &selection, error))
			return -1;
		if (kind == SELECT_EVENTS && !strcmp(selection.domain, "none"))
			return strata_fail(
				error,
				"--%s none: name a domain, as in g1:none; '*:none' means all domains",
				word);
		return add_selection(session, new_one, &selection, error);
	}
	return 0;
}

int session_reselect(struct session *session, char *request, struct strata_error *error)
{
	struct reselection *new_one = calloc(1, sizeof(*new_one));
	struct kernel_selection *before = session->kernels.selections;
	size_t nr_before = session->kernels.nr_selections;
	struct app_selection *apps_before = session->apps.selections;
	size_t nr_apps_before = session->apps.nr_selections;
	struct strata_error later;
	char *rest, *word;
	int result = 0;
	size_t i;

	/* A kernel that starts now would not be stopped. */
	if (session->kernels.stopping) {
		free(new_one);
		return strata_fail(error, "the recorder is ending; start another one");
	}
	if (new_one)
		new_one->request = strdup(request);
	if (!new_one || !new_one->request) {
		free(new_one);
		return strata_fail(error, "out of memory");
	}
	new_one->before = session->reselection;
	session->reselection = new_one;
	for (word = strtok_r(new_one->request, "\t", &rest); word && !result;
	     word = strtok_r(NULL, "\t", &rest))
		result = take_word(session, new_one, word, error);
	if (!result && new_one->kernels)
		result = participants_check_names(&session->kernels, error);
	if (!result && (new_one->xen || new_one->xen_domains || new_one->xen_budget))
		result = reselect_xen(session, new_one, session->options->wait, error);
	if (result) {
		/* Undo the reselection. */
		new_one->xen = new_one->xen_domains = new_one->xen_budget = NULL;
		session->kernels.selections = before;
		session->kernels.nr_selections = nr_before;
		session->apps.selections = apps_before;
		session->apps.nr_selections = nr_apps_before;
		return -1;
	}
	if (new_one->apps)
		apps_reselect(&session->apps);
	/* A kernel that refuses does not affect the others. */
	for (i = 0; new_one->kernels && i < session->kernels.nr; i++)
		if (participant_reselect(&session->kernels, &session->kernels.list[i],
					 result ? &later : error))
			result = -1;
	return result;
}

void session_reselect_clear(struct session *session)
{
	while (session->reselection) {
		struct reselection *one = session->reselection;

		session->reselection = one->before;
		free(one->kernels);
		free(one->apps);
		free(one->request);
		free(one);
	}
}

/* Adds an option to a text, as far as there is room. */
static void add_option(char *text, size_t bytes, const char *name, const char *whose,
		       const char *events)
{
	const size_t length = strlen(text);

	snprintf(text + length, bytes - length, " %s %s%s%s", name, whose, whose[0] ? ":" : "",
		 events);
}

void session_describe_selection(const struct session *session, char *text, size_t bytes)
{
	const struct reselection *last = session->reselection;
	const char *domains = latest(last, offsetof(struct reselection, xen_domains),
				     session->options->xen_domains);
	size_t i;

	text[0] = '\0';
	if (session_records_xen(session) && !session->clocks_only) {
		add_option(text, bytes, "--xen", "",
			   latest(last, offsetof(struct reselection, xen),
				  session->options->xen_events));
		if (domains)
			add_option(text, bytes, "--xen-domain", "", domains);
	}
	for (i = 0; i < session->kernels.nr_selections; i++)
		add_option(text, bytes, select_option_name(session->kernels.selections[i].kind),
			   session->kernels.selections[i].domain,
			   session->kernels.selections[i].text);
	for (i = 0; i < session->apps.nr_selections; i++)
		if (!session->apps.selections[i].of_command)
			add_option(text, bytes, "--app", session->apps.selections[i].program,
				   session->apps.selections[i].events);
}
