// SPDX-License-Identifier: GPL-2.0-or-later
/* deaths_named.c - see deaths_named.h. */
#include "deaths_named.h"

#include <string.h>

#include <xen/sched.h>

#include "liars.h"
#include "outcome.h"
#include "recording/recording.h"
#include "verbs.h"

/* The recorder's waits after which the domain ends; and the time in which its end is noticed,
 * before it is removed. */
#define ENDS_IN    3u
#define REMOVED_NS 120000000u

static const struct death {
	enum fake_life life;
	uint8_t reason;
	bool removed; /* a while later */
	enum strata_source_end ended;
} deaths[] = {
	{ FAKE_PAUSED, 0, false, STRATA_SOURCE_STAYED },
	{ FAKE_GONE, 0, false, STRATA_SOURCE_DESTROYED },
	{ FAKE_DYING, 0, false, STRATA_SOURCE_DESTROYED },
	{ FAKE_SHUT_DOWN, SHUTDOWN_poweroff, true, STRATA_SOURCE_SHUT_DOWN },
	{ FAKE_SHUT_DOWN, SHUTDOWN_reboot, true, STRATA_SOURCE_REBOOTED },
	{ FAKE_SHUT_DOWN, SHUTDOWN_suspend, true, STRATA_SOURCE_SUSPENDED },
	/* A crashed domain may be kept, for inspection. */
	{ FAKE_SHUT_DOWN, SHUTDOWN_crash, false, STRATA_SOURCE_CRASHED },
	{ FAKE_SHUT_DOWN, SHUTDOWN_watchdog, false, STRATA_SOURCE_CRASHED },
	{ FAKE_SHUT_DOWN, SHUTDOWN_crash, true, STRATA_SOURCE_CRASHED },
	/* One that was shut down writes no more, and is not gone. */
	{ FAKE_SHUT_DOWN, SHUTDOWN_poweroff, false, STRATA_SOURCE_STAYED },
};

static const struct death *death;
static uint32_t waits;
static uint64_t ended_ns; /* in virtual time */
static void (*guests_work)(void *data);

static void work(void *data)
{
	guests_work(data);
	waits += guests[HONEST].recording;
	if (!ended_ns && waits == ENDS_IN) {
		ended_ns = fake_host.ns;
		guests[HONEST].life = death->life;
		guests[HONEST].reason = death->reason;
		fake_host_domains_change();
	} else if (ended_ns && death->removed && guests[HONEST].life != FAKE_GONE &&
		   fake_host.ns - ended_ns >= REMOVED_NS) {
		guests[HONEST].life = FAKE_GONE;
		fake_host_domains_change();
	}
}

/* Each source's end has its kind and its time. */
static const char *check_ends(const char *raw)
{
	struct strata_recording recording;
	struct strata_error error = { "" };
	const char *wrong = NULL;
	size_t i;

	if (strata_recording_load(&recording, raw, &error))
		return "recording.json does not load";
	/* Without its events, Xen is asked for the guests' clocks. */
	if (recording.nr_sources != NR_GUESTS + 1)
		wrong = "a guest, or Xen, is missing";
	for (i = 0; i < recording.nr_sources && !wrong; i++) {
		const struct strata_source *source = &recording.sources[i];
		const bool dies = !strcmp(source->name, guests[HONEST].name);

		if (source->ended != (dies ? death->ended : STRATA_SOURCE_STAYED))
			wrong = strata_source_end_text(source->ended);
		else if ((source->went_ticks != 0) != (source->ended != STRATA_SOURCE_STAYED))
			wrong = "when a source went is not as whether it did";
	}
	strata_recording_clear(&recording);
	return wrong;
}

static const char *die_once(const char *raw, uint64_t seed)
{
	const struct plan *plan;
	const char *wrong;
	uint64_t records;
	size_t i;

	/* A plain recording. */
	do
		plan = liars_begin(seed++, false);
	while (plan->overwrite || plan->some || plan->asked || plan->ends || plan->left ||
	       plan->defaults || plan->probes || plan->rests || plan->xen);
	waits = 0;
	ended_ns = 0;
	guests_work = fake_host.work;
	fake_host.work = work;
	/* A domain that stays does not answer to the stop, which is reported. */
	wrong = record_checked(raw, plan, death->ended == STRATA_SOURCE_STAYED, NULL);
	for (i = 0; i < NR_GUESTS && !wrong; i++) {
		wrong = outcome_streams(raw, i, &records);
		if (!wrong)
			wrong = outcome_complete(i);
		if (!wrong && !records)
			wrong = "a guest did not write";
	}
	return wrong ? wrong : check_ends(raw);
}

const char *deaths_are_named(const char *raw)
{
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < sizeof(deaths) / sizeof(deaths[0]) && !wrong; i++) {
		death = &deaths[i];
		wrong = die_once(raw, 500 + i * 1000);
	}
	return wrong;
}
