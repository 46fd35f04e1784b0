// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_report.c - see merge_report.h; called by cmd_merge.c. */
#include "merge_report.h"

#include <string.h>
#include <unistd.h>

#include "commands.h"

#define COMPLAINTS_MAX 100u

static void complain(void *data, const char *message)
{
	struct merge_report *report = data;

	merge_report_progress_end(report);
	if (report->complaints++ < COMPLAINTS_MAX)
		fprintf(stderr, "strata: %s\n", message);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void progress(void *data, uint64_t events, uint64_t bytes, uint64_t bytes_total)
{
	struct merge_report *report = data;
	double seconds = seconds_since(&report->start);

	if (!report->tty || seconds < 1.0)
		return;
	fprintf(stderr, "\r%3.0f %%, %llu events, %.1f million a second",
		bytes_total ? 100.0 * (double)bytes / (double)bytes_total : 0.0,
		(unsigned long long)events, (double)events / seconds / 1e6);
	report->progress_shown = true;
}

void merge_report_init(struct merge_report *report, struct strata_merge_options *options)
{
	memset(report, 0, sizeof(*report));
	clock_gettime(CLOCK_MONOTONIC, &report->start);
	report->tty = isatty(STDERR_FILENO);
	options->complain = complain;
	options->progress = progress;
	options->data = report;
}

void merge_report_progress_end(struct merge_report *report)
{
	if (report->progress_shown)
		fprintf(stderr, "\r\033[K");
	report->progress_shown = false;
}

static double ticks_to_us(const struct strata_merge *merge, uint64_t ticks)
{
	return (double)strata_ticks_to_ns(strata_merge_timebase(merge)->tsc_khz, ticks) / 1e3;
}

/* One line for each source, its streams together. */
static void print_sources(const struct strata_merge *merge, FILE *out)
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	size_t i, j;

	fprintf(out, "  %-16s %-7s %5s %14s %12s\n", "source", "layer", "CPUs", "events", "lost");
	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];
		unsigned long long events = 0, lost = 0;
		unsigned int cpus = 0;

		for (j = 0; j < strata_merge_nr_streams(merge); j++) {
			const struct strata_merge_stream *stream = strata_merge_stream(merge, j);

			if (stream->source_index != i)
				continue;
			cpus++;
			events += stream->events;
			lost += stream->lost;
		}
		if (cpus > 0)
			fprintf(out, "  %-16s %-7s %5u %14llu %12llu\n", source->name,
				strata_layer_name(source->layer), cpus, events, lost);
	}
}

static double seconds_from_first(const struct strata_merge *merge, uint64_t ticks)
{
	uint64_t ns = strata_realtime_ns(strata_merge_timebase(merge), ticks);

	return ((double)ns - (double)strata_merge_result(merge)->first_ns) / 1e9;
}

/* A line for each source that was not there all the time. */
static void print_lives(const struct strata_merge *merge, FILE *out)
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if (!source->came_ticks && source->ended == STRATA_SOURCE_STAYED)
			continue;
		fprintf(out, "  %-16s", source->name);
		if (source->came_ticks)
			fprintf(out, " came at %.3f s",
				seconds_from_first(merge, source->came_ticks));
		if (source->came_ticks && source->ended != STRATA_SOURCE_STAYED)
			fprintf(out, ",");
		if (source->ended != STRATA_SOURCE_STAYED)
			fprintf(out, " went at %.3f s: %s",
				seconds_from_first(merge, source->went_ticks),
				strata_source_end_text(source->ended));
		fprintf(out, "\n");
	}
}

static void print_order(const struct strata_merge *merge, FILE *out)
{
	const struct strata_merge_result *result = strata_merge_result(merge);
	const struct strata_order_result *order = &result->order;
	bool before = order->slack_before_ticks <= order->slack_after_ticks;
	uint64_t slack = before ? order->slack_before_ticks : order->slack_after_ticks;

	fprintf(out,
		"Order:    %llu kernel events checked against when Xen ran their vCPUs, "
		"%llu violations, %llu not checkable\n",
		(unsigned long long)order->checks, (unsigned long long)order->violations,
		(unsigned long long)order->unchecked);
	if (slack != STRATA_SLACK_NONE)
		fprintf(out,
			"Slack:    smallest %.3f us (%llu ticks), from a vCPU's %s; a shift by one "
			"tick more would be seen\n",
			ticks_to_us(merge, slack), (unsigned long long)slack,
			before ? "start to its first event" : "last event to its stop");
	if (result->assumed_clocks)
		fprintf(out,
			"Clocks:   not recorded for %llu of the streams; their times are taken as "
			"the host's, and their order against others is not proven\n",
			(unsigned long long)result->assumed_clocks);
	else
		fprintf(out,
			"Clocks:   guest to host is exact to %llu ns; that all physical CPUs share "
			"one time stamp counter is assumed\n",
			(unsigned long long)result->bound_ns);
	if (result->clamped)
		fprintf(out, "          %llu times went back within their stream and were held\n",
			(unsigned long long)result->clamped);
}

void merge_report_print(const struct strata_merge *merge, FILE *out)
{
	const struct strata_merge_result *result = strata_merge_result(merge);
	uint64_t duration = result->last_ns - result->first_ns;

	fprintf(out, "Merged:   %llu events in %llu.%09llu s, %llu lost\n",
		(unsigned long long)result->events, (unsigned long long)(duration / 1000000000u),
		(unsigned long long)(duration % 1000000000u), (unsigned long long)result->lost);
	print_sources(merge, out);
	print_lives(merge, out);
	print_order(merge, out);
	fprintf(out, "\n");
}

static void print_violation(const struct strata_merge *merge,
			    const struct strata_violation *violation)
{
	const char *name = strata_merge_domain_name(merge, violation->domain);
	const struct strata_timebase *base = strata_merge_timebase(merge);
	uint64_t ns =
		strata_realtime_ns(base, violation->ticks) - strata_merge_result(merge)->first_ns;

	fprintf(stderr, "strata: order violated: %s of %s/%u at %llu.%09llu s: Xen has it %s",
		violation->event, name ? name : "?", violation->vcpu,
		(unsigned long long)(ns / 1000000000u), (unsigned long long)(ns % 1000000000u),
		violation->state);
	if (violation->late_ticks != UINT64_MAX)
		fprintf(stderr, ", %.3f us (%llu ticks) after it stopped running",
			ticks_to_us(merge, violation->late_ticks),
			(unsigned long long)violation->late_ticks);
	if (violation->early_ticks != UINT64_MAX)
		fprintf(stderr, ", %.3f us (%llu ticks) before it ran",
			ticks_to_us(merge, violation->early_ticks),
			(unsigned long long)violation->early_ticks);
	fprintf(stderr, "\n");
}

int merge_report_verdict(const struct merge_report *report, const struct strata_merge *merge)
{
	const struct strata_merge_result *result = strata_merge_result(merge);
	const struct strata_order_result *order = &result->order;
	int status = STRATA_STATUS_OK;
	unsigned int i;

	if (report->complaints > COMPLAINTS_MAX)
		fprintf(stderr, "strata: %u more messages like these were left out\n",
			report->complaints - COMPLAINTS_MAX);
	for (i = 0; i < order->nr_named; i++)
		print_violation(merge, &order->named[i]);
	if (order->violations) {
		fprintf(stderr,
			"strata: the order of these events cannot be trusted: %llu of %llu lie where "
			"their vCPU did not run; the clocks of their domains are not what Xen "
			"recorded\n",
			(unsigned long long)order->violations, (unsigned long long)order->checks);
		status = STRATA_STATUS_PARTIAL;
	}
	if (result->bad_packets || result->left_out_sources) {
		fprintf(stderr,
			"strata: not all of the recording was merged: %llu bad packets and %llu "
			"sources were left out; the rest is whole\n",
			(unsigned long long)result->bad_packets,
			(unsigned long long)result->left_out_sources);
		status = STRATA_STATUS_PARTIAL;
	}
	return status;
}
