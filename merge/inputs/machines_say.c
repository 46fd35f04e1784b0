// SPDX-License-Identifier: GPL-2.0-or-later
/* machines_say.c - see machines_say.h. */
#include "inputs/machines_say.h"

#include <stdio.h>

#include "base/escape.h"
#include "host/one_boot.h"

#define HOW_TO_TIE                                                                                \
	". To tie them, record TCP traffic between the two in both directions, with events that " \
	"describe it (LTTng's net_dev_queue and net_if_receive_skb, or others that --tcp-map "    \
	"names)"

/* Largest number of contradictions that are named. */
#define CLASHES_SHOWN STRATA_CLOCK_CYCLES

/* Largest number of machines that are named at once. */
#define NAMES_SHOWN 8u

/* Says that a recording is not of the boot that it names.  @ties: what that means for its times */
static void say_contradiction(const struct strata_ctf_trace *trace,
			      const struct strata_ctf_trace *other, const char *ties,
			      strata_complain_fn *complain, void *data)
{
	char message[3200], name[512], other_name[512];

	snprintf(
		message, sizeof(message),
		"%s: its recording names the boot of %s, but their clocks contradict each other, "
		"so its clock cannot be tied to that one; %s. The time was set, the host slept, or "
		"one of the recordings is false",
		strata_escape_name(name, sizeof(name), trace->path),
		strata_escape_name(other_name, sizeof(other_name), other->path), ties);
	complain(data, message);
}

/* Says which recordings share dates that do not fit their own, because others connect the two. */
static void say_moved_dates(const struct strata_machines *machines,
			    const struct strata_trace_set *set, strata_complain_fn *complain,
			    void *data)
{
	char message[3200], name[512], other_name[512];
	size_t i, first;

	for (i = 1; i < set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = set->traces[i];

		if (!trace->recording || trace->recording == set->traces[i - 1]->recording ||
		    strata_recording_fits_its_dates(trace->recording))
			continue;
		for (first = 0; machines->of_trace[first] != machines->of_trace[i]; first++)
			;
		snprintf(message, sizeof(message),
			 "%s and %s: their recordings name one boot, and other recordings of it "
			 "agree with both, but their dates contradict each other. Their order is "
			 "that of the host's counter, and all dates are those of %s. The time was "
			 "set, the host slept, or one of the recordings is false",
			 strata_escape_name(name, sizeof(name), trace->path),
			 strata_escape_name(other_name, sizeof(other_name),
					    set->traces[first]->path),
			 other_name);
		complain(data, message);
	}
}

/* Says why machines are not tied to the first one, and whose times theirs are. */
static void say_untied(const struct strata_machines *machines, const struct strata_trace_set *set,
		       strata_complain_fn *complain, void *data)
{
	const struct strata_machine *first = &machines->machines[0];
	char message[3200], ties[1400];
	size_t i, trace = 0;

	for (i = 1; i < machines->nr; i++) {
		const struct strata_machine *machine = &machines->machines[i];

		if (machine->tied || machine->left_out)
			continue;
		if (machine->tied_to == i)
			snprintf(ties, sizeof(ties),
				 "its times are not converted, and their order against others is "
				 "unknown");
		else
			snprintf(ties, sizeof(ties),
				 "its times are converted to the clock of %s, and their order "
				 "against those of %s is unknown",
				 machines->machines[machine->tied_to].name, first->name);
		if (machine->boot_of) {
			/* Machines are numbered in the order of their first traces. */
			while (machines->of_trace[trace] != i)
				trace++;
			say_contradiction(set->traces[trace], machine->boot_of, ties, complain,
					  data);
			continue;
		}
		snprintf(message, sizeof(message),
			 "%s: its clock cannot be tied to that of %s; %s%s", machine->name,
			 first->name, ties, first->left_out ? "" : HOW_TO_TIE);
		complain(data, message);
	}
}

/* Lists the names of some machines: "a, b and c". */
static void list_names(const struct strata_machines *machines, const int *clocks, size_t nr,
		       char *list, size_t size)
{
	const size_t shown = nr > NAMES_SHOWN ? NAMES_SHOWN : nr;
	size_t i, at = 0;

	list[0] = 0;
	for (i = 0; i < shown && at < size; i++)
		at += (size_t)snprintf(list + at, size - at, "%s%s",
				       i == 0        ? ""
				       : i + 1 == nr ? " and "
						     : ", ",
				       machines->machines[clocks[i]].name);
	if (nr > shown && at < size)
		snprintf(list + at, size - at, " and %zu others", nr - shown);
}

/* Says that it cannot be decided which machine lies, and whose bounds are larger. */
static void say_undecided(const struct strata_machines *machines,
			  const struct strata_clock_clash *clash, strata_complain_fn *complain,
			  void *data)
{
	char message[8400], all[3000], doubted[1100];
	int clocks[2];
	size_t i, nr = 0;

	for (i = 0; i < 2; i++) {
		if (clash->doubted[i] >= 0)
			clocks[nr++] = clash->doubted[i];
	}
	list_names(machines, clash->cycle, clash->nr_cycle, all, sizeof(all));
	list_names(machines, clocks, nr, doubted, sizeof(doubted));
	snprintf(message, sizeof(message),
		 "%s disagree: the segments between %s and %s contradict the times by way of %s by "
		 "%.3f us. The trace of one of these machines is false, and it cannot be decided "
		 "which; the bounds of %s are larger by %.3f us",
		 all, machines->machines[clash->clock].name, machines->machines[clash->other].name,
		 machines->machines[clash->by].name, (double)clash->gap / 1e3, doubted,
		 (double)clash->margin / 1e3);
	complain(data, message);
}

/* Says of machines that contradict each other which one is left out, or whose bounds are larger. */
static void say_clashes(const struct strata_machines *machines,
			const struct strata_clock_sync_report *report, strata_complain_fn *complain,
			void *data)
{
	char message[3200];
	size_t i;

	for (i = 0; i < report->nr_clashes; i++) {
		const struct strata_clock_clash *clash = &report->clashes[i];
		const char *one = machines->machines[clash->clock].name;
		const char *other = machines->machines[clash->other].name;
		const char *by = machines->machines[clash->by].name;
		const double us = (double)clash->gap / 1e3;

		if (i == CLASHES_SHOWN) {
			snprintf(message, sizeof(message),
				 "%zu more pairs of machines contradict the others",
				 report->nr_clashes - i);
			complain(data, message);
			break;
		}
		if (clash->liar < 0) {
			say_undecided(machines, clash, complain, data);
			continue;
		}
		snprintf(message, sizeof(message),
			 "%s: its trace contradicts those of others, which agree without it: "
			 "the segments between %s and %s contradict the times by way of %s "
			 "by %.3f us. Its clock is not tied to theirs",
			 machines->machines[clash->liar].name, one, other, by, us);
		complain(data, message);
	}
}

/* Returns the largest contradiction of a pair, whose first one is at @from. */
static int64_t largest_size(const struct strata_clock_sync_report *report, size_t from)
{
	const struct strata_clock_breach *first = &report->breaches[from];
	int64_t largest = first->size;
	size_t i;

	for (i = from; i < report->nr_breaches; i++) {
		const struct strata_clock_breach *breach = &report->breaches[i];

		if (breach->clock != first->clock || breach->other != first->other)
			break;
		if (breach->kind == STRATA_BREACH_UNEXPLAINED && breach->size > largest)
			largest = breach->size;
	}
	return largest;
}

/* Says which pairs of machines have segments that contradict each other, once for each pair. */
static void say_breaches(const struct strata_machines *machines,
			 const struct strata_clock_sync_report *report,
			 strata_complain_fn *complain, void *data)
{
	int clock = -1, other = -1;
	char message[2400];
	size_t i;

	for (i = 0; i < report->nr_breaches; i++) {
		const struct strata_clock_breach *breach = &report->breaches[i];

		/* Breaches of a pair are adjacent. */
		if (breach->kind != STRATA_BREACH_UNEXPLAINED ||
		    (breach->clock == clock && breach->other == other))
			continue;
		clock = breach->clock;
		other = breach->other;
		snprintf(message, sizeof(message),
			 "%s and %s: the segments between them contradict each other, by up to "
			 "%.3f us, so their bounds are not proven: a trace is false, or claims the "
			 "clock of another machine",
			 machines->machines[other].name, machines->machines[clock].name,
			 (double)largest_size(report, i) / 1e3);
		complain(data, message);
	}
}

int strata_machines_say(const struct strata_machines *machines, const struct strata_trace_set *set,
			strata_complain_fn *complain, void *data, struct strata_error *error)
{
	const struct strata_clock_sync_report *report;

	say_moved_dates(machines, set, complain, data);
	say_untied(machines, set, complain, data);
	if (!machines->sync)
		return 0;
	report = strata_clock_sync_report(machines->sync, error);
	if (!report)
		return -1;
	say_clashes(machines, report, complain, data);
	say_breaches(machines, report, complain, data);
	return 0;
}
