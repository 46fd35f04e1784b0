// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_costs.c - see guest_costs.h.  Times are the fake host's: a loaded machine changes nothing.
 */
#include "guest_costs.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <xen/xen.h>
#include <xen/sched.h>

#include <strata/abi/app.h>

#include "fake_hypervisor.h"
#include "liars.h"
#include "outcome.h"
#include "consumerd/shares/principal.h"
#include "consumerd/xen/grant_call.h"
#include "recording/recording.h"
#include "verbs.h"

#define SILENT 0u /* the guest that costs, if it can */
#define DEAF   2u /* another one that does */

static void (*work_of_all)(void *data);
static uint64_t begin_ns;

static uint64_t ms_since_begin(void)
{
	return (fake_host.ns - begin_ns) / 1000000;
}

/* A plain recording of three honest guests; @work has a turn in each wait, after they had theirs.
 */
static struct plan begin_from(uint64_t *seed, bool overwrite, void (*work)(void *data))
{
	struct plan plan;

	do
		plan = *liars_begin((*seed)++, false);
	while (plan.overwrite != overwrite || plan.some || plan.probes || plan.asked || plan.ends ||
	       plan.left || plan.defaults || plan.rests);
	work_of_all = fake_host.work;
	if (work)
		fake_host.work = work;
	begin_ns = fake_host.ns;
	return plan;
}

static struct plan begin(bool overwrite, void (*work)(void *data))
{
	uint64_t seed = 0;

	return begin_from(&seed, overwrite, work);
}

/* How long a recording takes, with start and stop, one of whose guests never answers. */
static const char *record_silent(const char *raw, bool few_events, uint64_t *ms)
{
	struct plan plan = begin(false, NULL);
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

/* Deaf from when it records; somebody presses Ctrl-C when the stop has begun. */
static void interrupt_the_stop(void *data)
{
	static bool interrupted;

	work_of_all(data);
	guests[SILENT].deaf |= guests[SILENT].recording;
	if (ms_since_begin() < 1000)
		interrupted = false;
	else if (!interrupted)
		interrupted = !raise(SIGINT);
}

static const char *an_interrupt_ends_a_stop(const char *raw)
{
	struct plan plan = begin(false, interrupt_the_stop);
	const char *wrong = record_checked(raw, &plan, true, NULL);

	if (!wrong && ms_since_begin() < 1000)
		wrong = "the silent guest was not waited for at all";
	if (!wrong && ms_since_begin() > 1200)
		wrong = "a signal does not end the wait for a silent guest";
	return wrong;
}

static void die_early(void *data)
{
	work_of_all(data);
	if (ms_since_begin() < 50 || guests[SILENT].life != FAKE_RUNS)
		return;
	guests[SILENT].life = FAKE_DYING;
	fake_host_domains_change();
}

static const char *a_death_takes_no_history_of_others(const char *raw)
{
	struct plan plan = begin(true, die_early);
	uint64_t records;
	char *text = NULL;
	const char *wrong = record_checked(raw, &plan, true, &text);

	if (!wrong && !strstr(text, "its final events are in"))
		wrong = "it did not die while it was recorded";
	free(text);
	/* The recording alone, without the last moments of the other. */
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* One guest dies again and again, and another has no answer to a flush. */
static unsigned int deaths;

static void die_while_another_is_deaf(void *data)
{
	work_of_all(data);
	guests[DEAF].deaf |= guests[DEAF].recording;
	if (!guests[SILENT].recording || deaths == 4 || ms_since_begin() < 400 * (deaths + 1))
		return;
	deaths++;
	liars_come_again(&guests[SILENT]);
}

/* An application that starts meanwhile waits for an answer. */
static const char *no_death_stops_the_recorder(const char *raw)
{
	struct plan plan = begin(true, die_while_another_is_deaf);
	uint64_t longest_ms, records;
	char *text = NULL;
	const char *wrong;

	deaths = 0;
	plan.duration_ms = 4000;
	wrong = record_checked(raw, &plan, true, &text);
	longest_ms = fake_host.longest_turn_ns / 1000000;
	if (!wrong && (deaths < 4 || !strstr(text, "its final events are in")))
		wrong = "it did not die while it was recorded";
	if (!wrong && !strstr(text, "does not answer: its last packet is recorded"))
		wrong = "nobody was waited for";
	if (!wrong && longest_ms >= STRATA_APP_WAIT_MS * 3 / 4)
		wrong = "a guest that does not flush stops the recorder for longer than "
			"applications wait";
	free(text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* As soon as it is recorded it reboots. */
static void reboot_at_once(void *data)
{
	work_of_all(data);
	if (guests[SILENT].recording)
		liars_come_again(&guests[SILENT]);
}

/* The messages that a domain caused: those that were printed, and the number of the others. */
static size_t messages_of(const char *text, const char *domain)
{
	char printed[64], unprinted[64];
	const char *at;
	size_t nr = 0;

	snprintf(printed, sizeof(printed), " (%s) ", domain);
	for (at = strstr(text, printed); at; at = strstr(at + 1, printed))
		nr++;
	snprintf(unprinted, sizeof(unprinted), "domain %s caused ", domain);
	for (at = strstr(text, unprinted); at; at = strstr(at + 1, unprinted))
		nr += strtoul(at + strlen(unprinted), NULL, 10);
	return nr;
}

static const char *a_reboot_brings_no_new_allowance(const char *raw)
{
	struct plan plan = begin(false, reboot_at_once);
	char *text = NULL;
	const char *wrong;
	size_t messages;
	uint64_t records;

	plan.duration_ms = 20000;
	/* For each guest those of four lives: what an earlier one held is given back. */
	plan.guest_pages = 4 * FAKE_PAGES_MAX * PRINCIPAL_SHARES;
	wrong = record_checked(raw, &plan, true, &text);
	/* Each life comes and goes, and is told twice. */
	messages = messages_of(text, "liar-a");
	if (!wrong && messages < 2 * 10)
		wrong = "it hardly rebooted";
	if (!wrong && messages > 2 * 41)
		wrong = "each boot of a domain is another source, without end";
	if (!wrong && strstr(text, "of its share of"))
		wrong = "what a domain held is not given back when it ends";
	if (!wrong && !strstr(text, "domain liar-a caused "))
		wrong = "each boot of a domain prints a line, without end";
	free(text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* Up to where a guest's rings had been read when its new kernel began, which knows of no reader. */
static strata_count_t read_then[FAKE_RINGS_MAX];
static bool other_kernel_runs;

/* The domain shuts down for another kernel, which runs a little later in the same memory; it writes
 * what may look like records where the rings were. */
static void run_another_kernel(void *data)
{
	struct fake_guest *guest = &guests[SILENT];
	uint32_t i;

	work_of_all(data);
	if (!other_kernel_runs && guest->life == FAKE_RUNS && ms_since_begin() >= 50) {
		guest->life = FAKE_SHUT_DOWN;
		guest->reason = SHUTDOWN_soft_reset;
		fake_host_domains_change();
	} else if (guest->life == FAKE_SHUT_DOWN && ms_since_begin() >= 250) {
		guest->life = FAKE_RUNS;
		other_kernel_runs = true;
		for (i = 0; i < guest->nr_rings; i++)
			read_then[i] = guest->rings[i].reader->read_count;
	}
}

static const char *another_kernel_s_memory_is_not_written(const char *raw)
{
	struct plan plan = begin(false, run_another_kernel);
	const struct fake_guest *guest = &guests[SILENT];
	const char *wrong;
	uint32_t i;

	plan.duration_ms = 2000;
	other_kernel_runs = false;
	wrong = record_checked(raw, &plan, true, NULL);
	if (!wrong && !other_kernel_runs)
		wrong = "no other kernel ran";
	for (i = 0; i < guest->nr_rings && !wrong; i++)
		if (guest->rings[i].reader->read_count != read_then[i])
			wrong = "the recorder writes into memory that is another kernel's";
	return wrong;
}

/* The honest one has its share and no more; so has another that is no larger. */
static const char *pages_are_shared_out(const char *raw)
{
	uint64_t seed = 0, records;
	char *text = NULL;
	const char *wrong;
	struct plan plan;

	do {
		plan = begin_from(&seed, false, NULL);
	} while (guests[SILENT].root->nr_refs <= guests[HONEST].root->nr_refs ||
		 guests[HONEST].root->nr_refs * 3 < guests[SILENT].root->nr_refs);
	plan.guest_pages = guests[HONEST].root->nr_refs * PRINCIPAL_SHARES;
	wrong = record_checked(raw, &plan, true, &text);
	if (!wrong &&
	    !strstr(text, "domain 1 (liar-a) is left out: domain liar-a holds 0 of its share"))
		wrong = "one takes more than its share";
	free(text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* A recording with Xen's rings; @hangs: says when xenstored does. */
static const char *record_hanging(const char *raw, void (*hangs)(void *data), char **text)
{
	struct outcome outcome = { 0 };
	uint64_t seed = 0, records;
	const char *wrong;
	struct plan plan;

	do
		plan = begin_from(&seed, false, hangs);
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
	work_of_all(data);
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
	work_of_all(data);
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

/* Stream files of a guest that comes while the others are recorded. */
static struct {
	char pattern[200];
	size_t files;   /* in the turn before */
	size_t at_once; /* most that were made between two waits */
} coming;

static void come_late(void *data)
{
	glob_t found = { 0 };
	size_t files;

	work_of_all(data);
	glob(coming.pattern, 0, NULL, &found);
	files = found.gl_pathc;
	globfree(&found);
	if (files > coming.files && files - coming.files > coming.at_once)
		coming.at_once = files - coming.files;
	coming.files = files;
	if (guests[SILENT].life == FAKE_RUNS || ms_since_begin() < 100)
		return;
	guests[SILENT].life = FAKE_RUNS;
	liars_come_again(&guests[SILENT]);
}

/* Each is a file, and others are drained in between.  SOURCES_RINGS_PER_TURN is 1 here; there may
 * be turns without a wait. */
static const char *rings_are_added_over_turns(const char *raw)
{
	uint64_t seed = 0, records;
	const char *wrong;
	struct plan plan;

	snprintf(coming.pattern, sizeof(coming.pattern), "%s/liar-a*/cpu_*", raw);
	do {
		plan = begin_from(&seed, false, come_late);
		coming.files = coming.at_once = 0;
		guests[SILENT].life = FAKE_DYING;
		plan.duration_ms = 2000;
		wrong = record_checked(raw, &plan, true, NULL);
	} while (!wrong && guests[SILENT].nr_rings < FAKE_RINGS_MAX);
	if (!wrong && coming.files < guests[SILENT].nr_rings)
		wrong = "the guest that came was not recorded";
	if (!wrong && coming.at_once == FAKE_RINGS_MAX)
		wrong = "all rings of a guest are added in one turn";
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* The host waits for a guest's lock for each of its pages. */
#define PAGE_NS 10000000ull

/* Loads of the guest with such pages; the second ends the first. */
static unsigned int slow_loads;

static void come_slowly(void *data)
{
	work_of_all(data);
	if (ms_since_begin() < 100 ||
	    (slow_loads && (slow_loads == 2 || !guests[SILENT].recording)))
		return;
	slow_loads++;
	do
		liars_come_again(&guests[SILENT]);
	while (guests[SILENT].nr_pages < 3 * GRANT_CALL_PAGES);
}

/* Neither mapping nor unmapping its pages, which a guest can make as slow as it likes, is done in
 * one go: others are drained in between.  @probed: it adds an event, so its table is read again. */
static const char *record_slow(const char *raw, bool probed)
{
	/* A piece is mapped, or two pieces' worth of time goes into unmapping one; a piece of the
	 * table is mapped, copied and unmapped. */
	const uint64_t limit_ns = ((probed ? 3 : 2) * GRANT_CALL_PAGES + 1) * PAGE_NS;
	struct plan plan = begin(false, come_slowly);
	char *text = NULL;
	const char *wrong;
	uint64_t records;

	slow_loads = 0;
	guests[SILENT].life = FAKE_DYING;
	guests[SILENT].page_ns = PAGE_NS;
	if (probed)
		guests[SILENT].table_bytes = 3 * GRANT_CALL_PAGES * STRATA_PAGE_BYTES;
	plan.probes = probed;
	plan.duration_ms = 15000;
	wrong = record_checked(raw, &plan, true, &text);
	guests[SILENT].page_ns = 0;
	guests[SILENT].table_bytes = FAKE_TABLE_BYTES;
	if (!wrong && slow_loads < 2)
		wrong = "the guest whose pages are slow was not recorded";
	if (!wrong && !strstr(text, "(liar-a) goes: "))
		wrong = "it was not unmapped";
	if (!wrong && fake_host.longest_turn_ns > limit_ns)
		wrong = "the recorder stands still while it maps or unmaps a guest's pages";
	free(text);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

static const char *slow_pages_are_mapped_over_turns(const char *raw)
{
	return record_slow(raw, false);
}

static const char *a_slow_table_is_read_again_over_turns(const char *raw)
{
	return record_slow(raw, true);
}

/* A guest writes its nodes as fast as xenstored takes that, and a turn may last 20 ms. */
#define EVENTS_PER_TURN 2000u

static void write_nodes(void *data)
{
	struct fake_guest *guest = &guests[SILENT];
	unsigned int i;

	work_of_all(data);
	for (i = 0; i < EVENTS_PER_TURN && guest->watched; i++)
		fake_guest_set_node(guest, FAKE_STATE, guest->nodes[FAKE_STATE].value,
				    guest->nodes[FAKE_STATE].length);
}

/* The fake host counts what waits in the recorder's memory. */
static const char *events_of_watches_do_not_pile_up(const char *raw)
{
	struct plan plan = begin(false, write_nodes);
	const char *wrong;
	uint64_t records;

	plan.duration_ms = 1000;
	wrong = record_checked(raw, &plan, true, NULL);
	if (!wrong)
		wrong = outcome_streams(raw, HONEST, &records);
	return wrong ? wrong : outcome_complete(HONEST);
}

/* Another comes while a flight recorder runs, and says that it records for an earlier one. */
static void come_as_a_flight_recorder(void *data)
{
	static const char state[] = "started 1";

	work_of_all(data);
	if (guests[SILENT].life == FAKE_RUNS || ms_since_begin() < 100)
		return;
	guests[SILENT].life = FAKE_RUNS;
	liars_come_again(&guests[SILENT]);
	fake_guest_set_node(&guests[SILENT], FAKE_STATE, state, sizeof(state) - 1);
}

/* The times of a flight recorder that is taken over are believed since any time. */
static const char *no_past_comes_later(const char *raw)
{
	struct plan plan = begin(true, come_as_a_flight_recorder);
	struct strata_recording recording = { 0 };
	struct strata_error error = { "" };
	const char *wrong;
	size_t i, found = 0;

	guests[SILENT].life = FAKE_DYING;
	plan.duration_ms = 1000;
	wrong = record_checked(raw, &plan, true, NULL);
	if (!wrong && strata_recording_load(&recording, raw, &error))
		return "the recording cannot be loaded";
	for (i = 0; i < recording.nr_sources && !wrong; i++) {
		if (strcmp(recording.sources[i].domain_name, guests[SILENT].name))
			continue;
		found++;
		if (!recording.sources[i].since_ticks)
			wrong = "it has a past of before it came";
	}
	if (!wrong && !found)
		wrong = "the guest that came was not recorded";
	strata_recording_clear(&recording);
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
	work_of_all(data);
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
	struct plan plan = begin(false, answer_after_a_selection);
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
		plan = begin(false, NULL);
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

const struct guest_cost guest_costs[] = {
	{ "a silent guest costs others the same, whatever it was asked for",
	  silence_costs_the_same_whatever_it_was_asked },
	{ "a signal ends a stop that a silent guest holds up", an_interrupt_ends_a_stop },
	{ "a guest that dies takes no history of others from a flight recorder",
	  a_death_takes_no_history_of_others },
	{ "a guest that dies and one that does not flush do not stop the recorder",
	  no_death_stops_the_recorder },
	{ "a guest that reboots has no new allowance", a_reboot_brings_no_new_allowance },
	{ "pages that are mapped are shared out", pages_are_shared_out },
	{ "rings of a guest that comes are added over several turns", rings_are_added_over_turns },
	{ "pages of a guest that makes the host wait for each are mapped over several turns",
	  slow_pages_are_mapped_over_turns },
	{ "the event table of such a guest is read again over several turns",
	  a_slow_table_is_read_again_over_turns },
	{ "events of watches do not pile up, however fast a guest writes its nodes",
	  events_of_watches_do_not_pile_up },
	{ "a guest that comes later has no past, whatever it says", no_past_comes_later },
	{ "a selection that changes while a guest adds a probe leaves the probe as it is",
	  a_probe_outlives_a_selection },
	{ "a domain's next kernel finds nobody writing into its memory",
	  another_kernel_s_memory_is_not_written },
	{ "Xen's rings are drained while xenstored hangs, and guests are told when it answers",
	  guests_are_told_when_xenstored_answers },
	{ "what a guest answered to another recorder is no answer",
	  answers_to_another_recorder_are_none },
	{ "a recording ends without xenstored", nobody_waits_for_ever_for_xenstored },
};

const size_t nr_guest_costs = sizeof(guest_costs) / sizeof(guest_costs[0]);
