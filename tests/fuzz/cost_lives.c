// SPDX-License-Identifier: GPL-2.0-or-later
/* cost_lives.c - guests that die, reboot, come later or hand their memory to another kernel. */
#include "guest_costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen/xen.h>
#include <xen/sched.h>

#include <strata/abi/app.h>

#include "fake_hypervisor.h"
#include "outcome.h"
#include "consumerd/shares/principal.h"
#include "recording/recording.h"
#include "verbs.h"

static void die_early(void *data)
{
	guests_work(data);
	if (ms_since_begin() < 50 || guests[SILENT].life != FAKE_RUNS)
		return;
	guests[SILENT].life = FAKE_DYING;
	fake_host_domains_change();
}

static const char *a_death_takes_no_history_of_others(const char *raw)
{
	struct plan plan = cost_begin(true, die_early);
	char *text = NULL;
	const char *wrong = record_checked(raw, &plan, true, &text);

	if (!wrong && !strstr(text, "its final events are in"))
		wrong = "it did not die while it was recorded";
	free(text);
	/* The recording alone, without the last moments of the other. */
	return honest_is_whole(raw, wrong);
}

/* One guest dies again and again, and another has no answer to a flush. */
static unsigned int deaths;

static void die_while_another_is_deaf(void *data)
{
	guests_work(data);
	guests[DEAF].deaf |= guests[DEAF].recording;
	if (!guests[SILENT].recording || deaths == 4 || ms_since_begin() < 400 * (deaths + 1))
		return;
	deaths++;
	liars_come_again(&guests[SILENT]);
}

/* An application that starts meanwhile waits for an answer. */
static const char *no_death_stops_the_recorder(const char *raw)
{
	struct plan plan = cost_begin(true, die_while_another_is_deaf);
	uint64_t longest_ms;
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
	return honest_is_whole(raw, wrong);
}

static uint64_t small_disk_bytes;

/* What the rings of all guests hold, and the hypervisor's. */
static uint64_t ring_bytes(void)
{
	uint64_t bytes = fake_hypervisor_ring_bytes();
	size_t i;

	for (i = 0; i < NR_GUESTS; i++)
		bytes += guests[i].nr_rings * strata_nr_subbufs(guests[i].geo) *
			 strata_subbuf_bytes(guests[i].geo);
	return bytes;
}

/* More than a guest is charged for its tables, and less than for these and a copy. */
#define TABLE_BYTES (64u << 10)

/* The disk has room for a copy of all that there is, and for what that has to leave. */
static void die_beside_a_small_disk(void *data)
{
	if (guests[SILENT].recording) {
		small_disk_bytes = TABLE_BYTES + 2 * ring_bytes();
		fake_host.disk_bytes = small_disk_bytes;
	}
	die_while_another_is_deaf(data);
}

/* What a recorder said of the copies of a guest's deaths. */
struct copies {
	size_t nr, nr_whole; /* whole: of all rings, and not of the guest's own and the host's */
	uint64_t kib;
};

static void note_copy(struct copies *copies, const char *line)
{
	const size_t length = strcspn(line, "\n");
	const char *size = memchr(line, '(', length);

	copies->nr++;
	copies->nr_whole += !memmem(line, length, "those of other guests", 21);
	copies->kib += size ? strtoull(size + 1, NULL, 10) : 0;
}

static struct copies copies_of_deaths(const char *raw, void (*work)(void *data), const char **wrong)
{
	struct plan plan = cost_begin(true, work);
	struct copies copies = { 0 };
	char *text = NULL;
	const char *at;

	deaths = 0;
	plan.duration_ms = 4000;
	*wrong = record_checked(raw, &plan, true, &text);
	for (at = text; at && (at = strstr(at, "its final events are in")); at++)
		note_copy(&copies, at);
	if (!*wrong && copies.nr < deaths &&
	    !strstr(text, "its share of the disk has no room for a copy"))
		*wrong = "the missing copy of a death is not explained";
	free(text);
	return copies;
}

static const char *deaths_do_not_fill_the_disk(const char *raw)
{
	const char *wrong;
	struct copies copies = copies_of_deaths(raw, die_while_another_is_deaf, &wrong);

	if (!wrong && copies.nr_whole != deaths)
		wrong = "not each death is saved, where there is room";
	if (wrong)
		return wrong;
	copies = copies_of_deaths(raw, die_beside_a_small_disk, &wrong);
	/* The recorder may believe the disk of the life before for a moment.  Where the share has
	 * no room for another whole copy, it has some for the guest's own rings. */
	if (!wrong && (!copies.nr_whole || copies.nr_whole > 2 || copies.nr == copies.nr_whole ||
		       copies.kib << 10 > small_disk_bytes))
		wrong = "the copies of deaths are not as many as the guest's share has room for";
	return wrong;
}

/* As soon as it is recorded it reboots. */
static void reboot_at_once(void *data)
{
	guests_work(data);
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
	struct plan plan = cost_begin(false, reboot_at_once);
	char *text = NULL;
	const char *wrong;
	size_t messages;

	plan.duration_ms = 20000;
	/* For each guest the pages of four lives: those of earlier lives are given back. */
	plan.guest_pages = 4 * FAKE_PAGES_MAX * PRINCIPAL_SHARES;
	wrong = record_checked(raw, &plan, true, &text);
	/* Each life comes and goes, which makes two messages. */
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
	return honest_is_whole(raw, wrong);
}

/* Up to where a guest's rings had been read when its new kernel began, which knows of no reader. */
static strata_count_t read_then[FAKE_RINGS_MAX];
static bool other_kernel_runs;

/* The domain shuts down for another kernel, which runs a little later in the same memory, and
 * writes bytes that may look like records where the rings were. */
static void run_another_kernel(void *data)
{
	struct fake_guest *guest = &guests[SILENT];
	uint32_t i;

	guests_work(data);
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
	struct plan plan = cost_begin(false, run_another_kernel);
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

/* Another guest comes while a flight recorder runs, and claims that it records for an earlier one.
 */
static void come_as_a_flight_recorder(void *data)
{
	static const char state[] = "started 1";

	guests_work(data);
	if (guests[SILENT].life == FAKE_RUNS || ms_since_begin() < 100)
		return;
	guests[SILENT].life = FAKE_RUNS;
	liars_come_again(&guests[SILENT]);
	fake_guest_set_node(&guests[SILENT], FAKE_STATE, state, sizeof(state) - 1);
}

/* The times of a flight recorder that is taken over are believed since any time. */
static const char *no_past_comes_later(const char *raw)
{
	struct plan plan = cost_begin(true, come_as_a_flight_recorder);
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

/* Two domains end at once; in the list, the honest one is between them. */
static void die_together(void *data)
{
	guests_work(data);
	if (ms_since_begin() < 100 || guests[DEAF].life != FAKE_RUNS || !guests[HONEST].recording)
		return;
	guests[DEAF].life = guests[SILENT].life = FAKE_DYING;
	fake_host_domains_change();
}

/* How many sources of the honest guest a recording has. */
static const char *count_honest(const char *path, size_t *nr)
{
	struct strata_recording recording = { 0 };
	struct strata_error error;
	size_t i;

	if (strata_recording_load(&recording, path, &error))
		return "the copy of a death cannot be read";
	for (i = 0; i < recording.nr_sources; i++)
		*nr += !recording.sources[i].vacant &&
		       !strcmp(recording.sources[i].domain_name, guests[HONEST].name);
	strata_recording_clear(&recording);
	return NULL;
}

static const char *deaths_at_once_are_copied_once(const char *raw)
{
	struct plan plan = cost_begin(true, die_together);
	char *text = NULL, path[500];
	const char *wrong;
	size_t nr = 0;

	plan.duration_ms = 1000;
	wrong = record_checked(raw, &plan, true, &text);
	if (!wrong && strstr(text, "does not answer"))
		wrong = "a guest is said not to answer";
	free(text);
	snprintf(path, sizeof(path), "%s-died-%s", raw, guests[DEAF].name);
	if (!wrong)
		wrong = count_honest(path, &nr);
	return wrong ? wrong : nr == 1 ? NULL : "the copy has the honest guest more than once";
}

const struct guest_cost life_costs[] = {
	{ "guests that die at once are each copied once, and no other one twice",
	  deaths_at_once_are_copied_once },
	{ "a guest that dies takes no history of others from a flight recorder",
	  a_death_takes_no_history_of_others },
	{ "a guest that dies and one that does not flush do not stop the recorder",
	  no_death_stops_the_recorder },
	{ "a guest that dies again and again has the disk's share of one guest",
	  deaths_do_not_fill_the_disk },
	{ "a guest that reboots has no new allowance", a_reboot_brings_no_new_allowance },
	{ "a domain's next kernel finds nobody writing into its memory",
	  another_kernel_s_memory_is_not_written },
	{ "a guest that comes later has no past, whatever it says", no_past_comes_later },
	{ NULL, NULL },
};
