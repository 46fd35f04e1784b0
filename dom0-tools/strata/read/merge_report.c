// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_report.c - see merge_report.h; called by cmd_merge.c. */
#include "strata/read/merge_report.h"

#include <string.h>

#include "base/exit_status.h"

static double ticks_to_us(const struct strata_host_figures *figures, uint64_t ticks)
{
	return (double)strata_ticks_to_ns(figures->host->timebase.tsc_khz, ticks) / 1e3;
}

/* Prints one line per source, for all its streams. */
static void print_sources(const struct strata_host_figures *figures, FILE *out)
{
	const struct strata_recording *recording = &figures->host->recording;
	size_t i, j;

	fprintf(out, "  %-16s %-7s %5s %14s %12s\n", "source", "layer", "CPUs", "events", "lost");
	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];
		unsigned long long events = 0, lost = 0;
		unsigned int cpus = 0;

		for (j = 0; j < figures->host->nr_streams; j++) {
			if (figures->host->streams[j].source_index != i)
				continue;
			cpus++;
			events += figures->streams[j].events;
			lost += figures->streams[j].lost;
		}
		if (cpus > 0)
			fprintf(out, "  %-16s %-7s %5u %14llu %12llu\n", source->name,
				strata_layer_name(source->layer), cpus, events, lost);
	}
}

static double seconds_from_first(const struct strata_host_figures *figures, uint64_t ticks)
{
	uint64_t ns = strata_realtime_ns(&figures->host->timebase, ticks);

	return ((double)ns - (double)figures->first_ns) / 1e9;
}

/* Prints a line for each source that was not present all the time. */
static void print_lives(const struct strata_host_figures *figures, FILE *out)
{
	const struct strata_recording *recording = &figures->host->recording;
	size_t i;

	for (i = 0; i < recording->nr_sources; i++) {
		const struct strata_source *source = &recording->sources[i];

		if (!source->came_ticks && source->ended == STRATA_SOURCE_STAYED)
			continue;
		fprintf(out, "  %-16s", source->name);
		if (source->came_ticks)
			fprintf(out, " came at %.3f s",
				seconds_from_first(figures, source->came_ticks));
		if (source->came_ticks && source->ended != STRATA_SOURCE_STAYED)
			fprintf(out, ",");
		if (source->ended != STRATA_SOURCE_STAYED)
			fprintf(out, " went at %.3f s: %s",
				seconds_from_first(figures, source->went_ticks),
				strata_source_end_text(source->ended));
		fprintf(out, "\n");
	}
}

/* Prints one kind of check: the number of events, and the largest error of all of them that would
 * go unnoticed. */
static void print_track(const struct strata_host_figures *figures,
			const struct strata_track_result *track, const char *what,
			const char *against, const char *start, const char *stop, FILE *out)
{
	bool before = track->slack_before_ticks <= track->slack_after_ticks;
	uint64_t slack = before ? track->slack_before_ticks : track->slack_after_ticks;

	fprintf(out,
		"Order:    %llu %s checked against %s, %llu violations, %llu not "
		"checkable\n",
		(unsigned long long)track->checks, what, against,
		(unsigned long long)track->violations, (unsigned long long)track->unchecked);
	if (slack != STRATA_SLACK_NONE)
		fprintf(out,
			"Slack:    smallest %.3f us (%llu ticks), from a vCPU's %s; a shift by one tick more would be detected\n",
			ticks_to_us(figures, slack), (unsigned long long)slack,
			before ? start : stop);
}

/* What is known about the clocks of a source's vCPUs together. */
struct source_clock {
	enum strata_clock_kind kind;
	unsigned int assumed; /* vCPUs whose clock was not recorded, */
	unsigned int vcpus;   /* of these */
	uint64_t bound_ticks;
	uint64_t firm_bound_ticks;
	uint64_t doubtful;
	uint64_t unsure;
};

static void print_source_clock(const struct strata_host_figures *figures, const char *name,
			       const struct source_clock *clock, FILE *out)
{
	static const char *const kinds[] = {
		"not recorded; assumed to be the host's, so its order is not proven",
		"the host's counter",
		"the host's counter plus an offset",
		"the host's counter scaled, plus an offset",
		"emulated from Xen's system time",
	};
	uint32_t tsc_khz = figures->host->timebase.tsc_khz;

	fprintf(out, "Clocks:   %s: %s", name, kinds[clock->kind]);
	if (clock->kind != STRATA_CLOCK_ASSUMED)
		fprintf(out, "; its map is accurate to %llu ns",
			(unsigned long long)strata_ticks_to_ns_up(tsc_khz,
								  clock->firm_bound_ticks + 1));
	if (clock->doubtful)
		fprintf(out, "; %llu events near a step back of it to %llu ns",
			(unsigned long long)clock->doubtful,
			(unsigned long long)strata_ticks_to_ns_up(tsc_khz, clock->bound_ticks + 1));
	if (clock->unsure)
		fprintf(out, " except for %llu events, where records of Xen are missing",
			(unsigned long long)clock->unsure);
	if (clock->assumed && clock->assumed < clock->vcpus)
		fprintf(out, "; of %u of its %u vCPUs %s", clock->assumed, clock->vcpus, kinds[0]);
	fprintf(out, "\n");
}

/* Sums up the streams of one source from @index on; returns the index after them. */
static size_t sum_up_source(const struct strata_host_figures *figures, size_t index,
			    struct source_clock *clock)
{
	const struct strata_recorded_stream *streams = figures->host->streams;
	const struct strata_source *source = streams[index].source;

	memset(clock, 0, sizeof(*clock));
	for (; index < figures->host->nr_streams; index++) {
		const struct strata_stream_figures *stream = &figures->streams[index];

		if (streams[index].source != source)
			break;
		if (streams[index].kind > clock->kind)
			clock->kind = streams[index].kind;
		if (stream->bound_ticks > clock->bound_ticks)
			clock->bound_ticks = stream->bound_ticks;
		if (stream->firm_bound_ticks > clock->firm_bound_ticks)
			clock->firm_bound_ticks = stream->firm_bound_ticks;
		clock->doubtful += stream->doubtful;
		clock->unsure += stream->unsure;
		clock->assumed += streams[index].kind == STRATA_CLOCK_ASSUMED;
		clock->vcpus++;
	}
	return index;
}

static bool has_kernels_or_xen(const struct strata_host_figures *figures)
{
	const struct strata_recording *recording = &figures->host->recording;

	return strata_recording_has_layer(recording, STRATA_LAYER_XEN) ||
	       strata_recording_has_layer(recording, STRATA_LAYER_KERNEL);
}

static void print_clocks(const struct strata_host_figures *figures, FILE *out)
{
	size_t i, next;

	for (i = 0; i < figures->host->nr_streams; i = next) {
		const struct strata_source *source = figures->host->streams[i].source;
		struct source_clock clock;

		next = sum_up_source(figures, i, &clock);
		if (source->layer == STRATA_LAYER_XEN)
			continue;
		print_source_clock(figures, source->name, &clock, out);
		for (; i < next; i++) {
			const struct strata_recorded_stream *stream = &figures->host->streams[i];

			if (stream->clock_changes)
				fprintf(out,
					"          %s/%u: its clock changed %llu times while "
					"recording\n",
					source->name, stream->cpu,
					(unsigned long long)stream->clock_changes);
		}
	}
	if (figures->tally.clamped_times)
		fprintf(out,
			"          %llu times stepped back within their stream and were clamped\n",
			(unsigned long long)figures->tally.clamped_times);
	if (figures->host->scan.skew.nr_unmeasured)
		fprintf(out,
			"Skew:     not measured for %llu of %llu physical CPUs; that they share one "
			"time stamp counter is assumed\n",
			(unsigned long long)figures->host->scan.skew.nr_unmeasured,
			(unsigned long long)figures->host->scan.skew.nr_pcpus);
	else if (figures->host->scan.skew.nr_pcpus > 1)
		fprintf(out,
			"Skew:     the time stamp counters of %llu physical CPUs differ by %llu "
			"ticks (%.3f us) at most\n",
			(unsigned long long)figures->host->scan.skew.nr_pcpus,
			(unsigned long long)figures->skew_ticks,
			ticks_to_us(figures, figures->skew_ticks));
	if (!figures->host->assumed_clocks && has_kernels_or_xen(figures))
		fprintf(out,
			"Bound:    every time%s is accurate to %llu ns: its clock's map and the skew of "
			"physical CPUs together\n",
			figures->app_bound_ns ? " of Xen and kernels" : "",
			(unsigned long long)figures->bound_ns);
	if (figures->app_bound_ns)
		fprintf(out,
			"Bound:    times of applications are accurate to %llu ns: they read the counter "
			"without a fence, and may be early\n",
			(unsigned long long)figures->app_bound_ns);
}

static void print_order(const struct strata_host_figures *figures, FILE *out)
{
	const struct strata_order_result *order = &figures->order;

	/* With only applications, and without Xen, nothing shows when vCPUs ran. */
	if (has_kernels_or_xen(figures))
		print_track(figures, &order->run, "events", "when Xen ran their vCPUs",
			    "start to its first event", "last event to its stop", out);
	if (order->app.checks)
		print_track(figures, &order->app, "events of applications",
			    "when Xen ran dom0's vCPUs", "start to its first event",
			    "last event to its stop", out);
	if (order->guest_mode.checks)
		print_track(figures, &order->guest_mode, "events", "VM entry and exit",
			    "entry or exit to its next event", "last event to its entry or exit",
			    out);
	print_clocks(figures, out);
}

void merge_report_print(const struct strata_host_figures *figures, FILE *out)
{
	uint64_t duration = figures->duration_ns;

	fprintf(out, "Merged:   %llu events in %llu.%09llu s, %llu lost\n",
		(unsigned long long)figures->events, (unsigned long long)(duration / 1000000000u),
		(unsigned long long)(duration % 1000000000u),
		(unsigned long long)figures->tally.discarded);
	print_sources(figures, out);
	print_lives(figures, out);
	print_order(figures, out);
	fprintf(out, "\n");
}

static void print_violation(const struct strata_host_figures *figures,
			    const struct strata_violation *violation)
{
	char name[STRATA_DOMAIN_TEXT_BYTES];
	const struct strata_timebase *base = &figures->host->timebase;
	uint64_t ns = strata_realtime_ns(base, violation->ticks) - figures->first_ns;

	fprintf(stderr,
		"strata: order violated: %s of %s/%u at %llu.%09llu s: according to Xen it was %s",
		violation->event,
		strata_recorded_domain_text(figures->host, violation->domain, name),
		violation->vcpu, (unsigned long long)(ns / 1000000000u),
		(unsigned long long)(ns % 1000000000u), violation->state);
	if (violation->late_ticks != UINT64_MAX)
		fprintf(stderr, ", %.3f us (%llu ticks) after it stopped running",
			ticks_to_us(figures, violation->late_ticks),
			(unsigned long long)violation->late_ticks);
	if (violation->early_ticks != UINT64_MAX)
		fprintf(stderr, ", %.3f us (%llu ticks) before it ran",
			ticks_to_us(figures, violation->early_ticks),
			(unsigned long long)violation->early_ticks);
	if (violation->bound)
		fprintf(stderr, "; the bound of its time is %llu ticks",
			(unsigned long long)violation->bound);
	fprintf(stderr, "\n");
}

/* Prints the violations of one kind of check. Returns whether there were any. */
static bool print_violations(const struct strata_host_figures *figures,
			     const struct strata_track_result *track, const char *where)
{
	unsigned int i;

	for (i = 0; i < track->nr_named; i++)
		print_violation(figures, &track->named[i]);
	if (track->violations == 0)
		return false;
	fprintf(stderr,
		"strata: the order of these events cannot be trusted: %llu of %llu lie where their "
		"vCPU %s; the clocks of their domains are not what Xen recorded\n",
		(unsigned long long)track->violations, (unsigned long long)track->checks, where);
	return true;
}

int merge_report_verdict(const struct strata_host_figures *figures)
{
	const struct strata_order_result *order = &figures->order;
	int status = STRATA_STATUS_OK;

	if (print_violations(figures, &order->run, "did not run"))
		status = STRATA_STATUS_PARTIAL;
	if (print_violations(figures, &order->guest_mode, "was not in guest mode"))
		status = STRATA_STATUS_PARTIAL;
	if (order->app.violations) {
		fprintf(stderr,
			"strata: %llu of %llu events of applications have times at "
			"which their vCPU did not run, as %s: one of the programs writes false times; kernels and the hypervisor do not depend "
			"on it\n",
			(unsigned long long)order->app.violations,
			(unsigned long long)order->app.checks, order->app.named[0].event);
		status = STRATA_STATUS_PARTIAL;
	}
	if (figures->tally.bad_packets || figures->left_out_sources) {
		fprintf(stderr,
			"strata: not all of the recording was merged: %llu bad packets and %llu "
			"sources were left out; the rest is whole\n",
			(unsigned long long)figures->tally.bad_packets,
			(unsigned long long)figures->left_out_sources);
		status = STRATA_STATUS_PARTIAL;
	}
	return status;
}
