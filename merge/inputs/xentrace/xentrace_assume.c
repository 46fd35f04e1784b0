// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace_assume.c - supplies what a file of xentrace lacks: the frequency of the host's counter,
 * a date, and the processor's list of VM exit reasons.  Each is given by the user, derived or
 * guessed, and reported as such.
 */
#include "inputs/xentrace/xentrace_import.h"

#include <stdarg.h>
#include <stdio.h>

#include <strata/clock.h>

#include "recording/guest_numbers.h"

static void complain(const struct xentrace_import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(const struct xentrace_import *import, const char *format, ...)
{
	char message[1600];
	va_list args;
	int length;

	if (!import->options->complain)
		return;
	length = snprintf(message, sizeof(message), "%s: ", import->reader.path);
	va_start(args, format);
	vsnprintf(message + length, sizeof(message) - (size_t)length, format, args);
	va_end(args);
	import->options->complain(import->options->data, message);
}

int xentrace_set_frequency(struct xentrace_import *import, const char *path,
			   struct strata_error *error)
{
	struct strata_xentrace_frequency found;
	uint32_t told = import->options->tsc_khz;

	if (strata_xentrace_find_frequency(path, &found, error))
		return -1;
	if (!told && !found.tsc_khz)
		return strata_fail(
			error,
			"%s: the file does not contain the frequency of the host's time "
			"stamp counter%s; give it with --tsc-khz KHZ: on that host `xl "
			"dmesg | grep MHz` shows it, as in \"Detected 2445.427 MHz "
			"processor\", and `xl debug-keys s; xl dmesg | tail` as khz= "
			"of its domains",
			path,
			found.contradicts
				? ", because the records of its CPUs contradict each other"
				: "");
	if (told && found.tsc_khz) {
		double apart = (double)told / found.tsc_khz - 1;

		if (apart < 0)
			apart = -apart;
		if (apart * 1e6 > found.error_ppm + STRATA_XENTRACE_PPM_MAX)
			complain(import,
				 "--tsc-khz says %u, but the file's records show %u kHz within "
				 "%u ppm; %u is used",
				 told, found.tsc_khz, found.error_ppm, told);
	}
	import->report->tsc_khz = told ? told : found.tsc_khz;
	import->report->tsc_error_ppm = told ? 0 : found.error_ppm;
	import->recording.tsc_khz = import->report->tsc_khz;
	return 0;
}

static void set_anchor(struct xentrace_import *import)
{
	const struct strata_xentrace_options *options = import->options;
	uint64_t realtime_ns = options->anchor_realtime_ns;

	import->report->anchor_guessed = realtime_ns == 0;
	if (realtime_ns == 0)
		realtime_ns = import->reader.mtime_ns;
	import->recording.anchor_ticks = import->report->last_ticks;
	import->recording.anchor_realtime_ns = realtime_ns > STRATA_NS_MAX ? STRATA_NS_MAX
									   : realtime_ns;
}

static void set_exits(struct xentrace_import *import)
{
	enum strata_exits seen = strata_exits_judge(&import->evidence);
	enum strata_exits told = import->options->exits;

	if (told != STRATA_EXITS_UNKNOWN && seen != STRATA_EXITS_UNKNOWN && told != seen)
		complain(import, "--cpu says %s, but the records are of %s; --cpu is used",
			 strata_exits_name(told), strata_exits_name(seen));
	import->source->exits = told != STRATA_EXITS_UNKNOWN ? told : seen;
	import->report->exits = import->source->exits;
}

/* Reports what must be known to judge the times. */
static void say_what_is_assumed(const struct xentrace_import *import)
{
	const struct strata_xentrace_report *report = import->report;

	if (report->anchor_guessed)
		complain(import, "the file contains no date: its modification time is used as "
				 "that of the last record, which may be wrong by any amount; "
				 "--anchor gives the true one");
	if (report->tsc_error_ppm)
		complain(import, "the host's counter runs at %u kHz within %u ppm, by the records",
			 report->tsc_khz, report->tsc_error_ppm);
	if (report->tally.outliers)
		complain(import,
			 "%llu times were over an hour ahead of those around them, and "
			 "were clamped",
			 (unsigned long long)report->tally.outliers);
	if (report->tally.steps_back)
		complain(import, "time goes back %llu times within a CPU's records",
			 (unsigned long long)report->tally.steps_back);
	if (report->tally.timeless)
		complain(import,
			 "%llu records are left out: their CPU has no record with a "
			 "usable time",
			 (unsigned long long)report->tally.timeless);
	if (report->nameless)
		complain(
			import,
			"%llu records are imported as trc_guest_other or trc_other, without their "
			"number: there are over %u event classes, %u of guests, or %u of one guest",
			(unsigned long long)report->nameless, STRATA_SOURCE_EVENTS_MAX,
			STRATA_GUEST_NUMBERS_MAX, STRATA_GUEST_NUMBERS_OF_DOMAIN);
}

void xentrace_assume_rest(struct xentrace_import *import)
{
	set_anchor(import);
	set_exits(import);
	say_what_is_assumed(import);
}
