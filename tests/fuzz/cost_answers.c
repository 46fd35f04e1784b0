// SPDX-License-Identifier: GPL-2.0-or-later
/* cost_answers.c - guests that answer never, late or to another recorder, and a xenstored that
 * hangs. */
#include "guest_costs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fake_hypervisor.h"
#include "outcome.h"
#include "verbs.h"

/* How long a recording takes, with start and stop, one of whose guests never answers. */
static const char *record_silent(const char *raw, bool few_events, uint64_t *ms)
{
	struct plan plan = cost_begin(false, NULL);
	const char *wrong;

	plan.some = few_events;
	guests[SILENT].deaf = true;
	wrong = record_checked(raw, &plan, true, NULL);
	*ms = ms_since_begin();
	return wrong;
}

static const char *silence_costs_the_same_whatever_it_was_asked(const char *raw)
{
	uint64_t few_ms, all_ms, records;
	const char *wrong = record_silent(raw, true, &few_ms);

	if (!wrong)
		wrong = record_silent(raw, false, &all_ms);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	if (!wrong)
		wrong = outcome_complete(HONEST);
	if (!wrong && all_ms > few_ms + 100)
		wrong = "the more events a silent guest has, the longer all wait for it";
	return wrong;
}

/* The guest is deaf once it records, and SIGINT comes when the stop has begun. */
static void interrupt_the_stop(void *data)
{
	static bool interrupted;

	guests_work(data);
	guests[SILENT].deaf |= guests[SILENT].recording;
	if (ms_since_begin() < 1000)
		interrupted = false;
	else if (!interrupted)
		interrupted = !raise(SIGINT);
}

static const char *an_interrupt_ends_a_stop(const char *raw)
{
	struct plan plan = cost_begin(false, interrupt_the_stop);
	const char *wrong = record_checked(raw, &plan, true, NULL);

	if (!wrong && ms_since_begin() < 1000)
		wrong = "the silent guest was not waited for at all";
	if (!wrong && ms_since_begin() > 1200)
		wrong = "a signal does not end the wait for a silent guest";
	return wrong;
}

/* Makes a recording with Xen's rings; @hangs: decides when xenstored hangs. */
static const char *record_hanging(const char *raw, void (*hangs)(void *data), char **text)
{
	struct outcome outcome = { 0 };
	uint64_t seed = 0, records;
	const char *wrong;
	struct plan plan;

	do
		plan = cost_begin_from(&seed, false, hangs);
	while (!plan.xen || plan.some);
	plan.duration_ms = 2000;
	wrong = record_checked(raw, &plan, true, text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	if (!wrong)
		wrong = outcome_recording(raw, records, &outcome);
	if (!wrong && outcome.xen_events != fake_hypervisor_records())
		wrong = "records of Xen's are missing";
	return wrong ? wrong : outcome_complete(HONEST);
}

static void hang_at_first(void *data)
{
	fake_host.xenstored_hangs = ms_since_begin() < 1500;
	guests_work(data);
}

static const char *guests_are_told_when_xenstored_answers(const char *raw)
{
	char *text = NULL;
	const char *wrong = record_hanging(raw, hang_at_first, &text);
	size_t i;

	if (!wrong && strstr(text, "is left out"))
		wrong = "a guest is missing that could be told a little later";
	free(text);
	for (i = 0; i < NR_GUESTS && !wrong; i++)
		if (!guests[i].rings[0].nr_records)
			wrong = "a guest was never told to start";
	return wrong;
}

static void hang_for_ever(void *data)
{
	fake_host.xenstored_hangs = true;
	guests_work(data);
}

static const char *nobody_waits_for_ever_for_xenstored(const char *raw)
{
	char *text = NULL;
	const char *wrong = record_hanging(raw, hang_for_ever, &text);

	if (!wrong && !strstr(text, "its module never confirmed that it records"))
		wrong = "it does not say who was not recorded";
	free(text);
	if (!wrong && ms_since_begin() > 3000 + 2000 + 10000 + 500)
		wrong = "a recording does not end without xenstored";
	return wrong;
}

/* It answers to its probe only after the user has selected other events of it. */
static struct {
	int client;
	bool answered, recorded;
} slow_prober;

static void answer_after_a_selection(void *data)
{
	static const char request[] = "select kernel=liar-a:tick\n";
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	guests[SILENT].deaf = !slow_prober.answered;
	guests_work(data);
	slow_prober.recorded |= guests[SILENT].recording;
	if (ms_since_begin() >= 50 && slow_prober.client < 0) {
		slow_prober.client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		snprintf(address.sun_path, sizeof(address.sun_path), "%s", fake_socket_path);
		if (connect(slow_prober.client, (struct sockaddr *)&address, sizeof(address)) ||
		    send(slow_prober.client, request, strlen(request), MSG_NOSIGNAL) < 0)
			abort();
	} else if (ms_since_begin() >= 150 && !slow_prober.answered) {
		slow_prober.answered = true;
		guests[SILENT].deaf = false;
		fake_guest_obey(&guests[SILENT]);
	}
}

static const char *a_probe_outlives_a_selection(const char *raw)
{
	struct plan plan = cost_begin(false, answer_after_a_selection);
	char *text = NULL;
	const char *wrong;

	slow_prober.client = -1;
	slow_prober.answered = slow_prober.recorded = false;
	guests[SILENT].deaf = true;
	plan.probes = true;
	plan.duration_ms = 1000;
	wrong = record_checked(raw, &plan, true, &text);
	close(slow_prober.client);
	if (!wrong && strstr(text, "(liar-a) is left out"))
		wrong = "a guest that adds a probe when a selection changes is left out";
	if (!wrong && !slow_prober.recorded)
		wrong = "the guest was not recorded";
	free(text);
	return wrong;
}

/* The paused one obeyed another recorder last, which began some seconds ago. */
static const char *answers_to_another_recorder_are_none(const char *raw)
{
	struct fake_guest *guest = &guests[SILENT];
	const char *wrong = NULL;
	char state[32], *text;
	unsigned int nr;
	struct plan plan;

	for (nr = 0; nr < 8 && !wrong; nr++) {
		plan = cost_begin(false, NULL);
		/* As many commands are numbered by then as seconds have gone by since. */
		snprintf(state, sizeof(state), "stopped %u", (unsigned int)time(NULL) + nr);
		fake_guest_set_node(guest, FAKE_STATE, state, (uint32_t)strlen(state));
		guest->deaf = true;
		guest->life = FAKE_PAUSED;
		text = NULL;
		wrong = record_checked(raw, &plan, true, &text);
		if (!wrong && !strstr(text, "is paused: it is recorded as soon as it answers"))
			wrong = "an answer to another recorder is taken for one to this";
		free(text);
	}
	return wrong;
}

const struct guest_cost answer_costs[] = {
	{ "a silent guest costs others the same, whatever it was asked for",
	  silence_costs_the_same_whatever_it_was_asked },
	{ "a signal ends a stop that a silent guest holds up", an_interrupt_ends_a_stop },
	{ "a selection that changes while a guest adds a probe leaves the probe as it is",
	  a_probe_outlives_a_selection },
	{ "Xen's rings are drained while xenstored hangs, and guests are told when it answers",
	  guests_are_told_when_xenstored_answers },
	{ "what a guest answered to another recorder is no answer",
	  answers_to_another_recorder_are_none },
	{ "a recording ends without xenstored", nobody_waits_for_ever_for_xenstored },
	{ NULL, NULL },
};
