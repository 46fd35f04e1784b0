// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_filter_places.c - in which layer, domain and vCPU events of a host happened is
 * what the merger of recordings says, which reads no metadata: of each event, and of
 * those that filters leave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording/ctf_metadata.h"
#include "filter/filter.h"
#include "host/recording_traces.h"
#include "merge_fixture.h"
#include "outputs/perfetto/perfetto.h"
#include "outputs/written.h"

#define EVENTS_MAX  100000u
#define SOURCES_MAX 8u

struct place {
	uint64_t ns;
	uint32_t domain, vcpu, pcpu;
	char layer[8];
};

static struct synthetic rec;
static struct merged merged;
static struct strata_recording_traces *recording;
static struct strata_trace_set set;
static struct strata_shown shown;
static struct place places[EVENTS_MAX];
static size_t nr_places;

static void add_sources(void)
{
	const struct strata_recording *table;
	struct strata_error error = { "" };
	size_t i;

	recording = strata_recording_traces_open(rec.dir, NULL, NULL, NULL, &error);
	assert_non_null(recording);
	table = strata_recording_traces_table(recording);
	for (i = 0; i < table->nr_sources; i++) {
		struct strata_ctf_trace *trace;

		trace = strata_recording_traces_trace(recording, i, &error);
		assert_non_null(trace);
		assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	}
	assert_int_equal(strata_shown_init(&shown, &set, &error), 0);
}

static int set_up(void **state)
{
	const struct synthetic_host host = { .turns = 200,
					     .marks = 5,
					     .slack_before = 1000,
					     .slack_after = 1000,
					     .clock = { .is_hvm = true, .offset = 123456789 } };

	uint64_t ticks;
	unsigned int i;

	(void)state;
	synthetic_build_host(&rec, &host);
	/* A vCPU on a CPU of another number. */
	ticks = synthetic_stream(&rec, "xen", 0)->last_ticks;
	for (i = 1; i <= 20; i++)
		synthetic_hypercall(&rec, 0, ticks + 10 * i, 2, 3, 17, i % 2);
	synthetic_add_source(&rec, "server", "app", 0);
	synthetic_app_mark(&rec, "server", 0, SYNTHETIC_ANCHOR_TICKS + 5000, 3);
	synthetic_write(&rec);
	merge_directory(&merged, rec.dir, NULL, 0);
	assert_string_equal(merged.error.text, "");
	add_sources();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	strata_shown_clear(&shown);
	strata_trace_set_clear(&set);
	strata_recording_traces_close(recording);
	merged_free(&merged);
	synthetic_free(&rec);
	return 0;
}

static void note_place(struct strata_event_writer *writer, struct strata_buffer *buffer,
		       const struct strata_shown_event *event)
{
	struct place *place = &places[nr_places++];

	(void)writer;
	(void)buffer;
	assert_true(nr_places <= EVENTS_MAX);
	memset(place, 0, sizeof(*place));
	place->ns = event->ns;
	place->domain = event->domain;
	place->vcpu = event->vcpu;
	place->pcpu = event->pcpu;
	strncpy(place->layer, event->layer, sizeof(place->layer) - 1);
}

/* The places that the set's filtered events are shown with. */
static void show(void)
{
	const struct strata_written_options options = {
		.path = "/dev/null", .slices = { .to_ns = UINT64_MAX, .threads = 1 }
	};
	struct strata_event_writer writer = { .event = note_place };
	struct strata_error error = { "" };

	nr_places = 0;
	if (strata_written(&set, &shown, &writer, &options, NULL, &error))
		fail_msg("%s", error.text);
}

static const char *layer_of(const struct merged_event *event)
{
	return strcmp(event->source, "xen") == 0      ? "xen"
	       : strcmp(event->source, "server") == 0 ? "app"
						      : "kernel";
}

/* One host's events are in the order of its ticks, several of which are in a nanosecond. */
static void each_event_happened_where_the_merged_order_has_it(void **state)
{
	static struct place wanted[EVENTS_MAX];
	size_t i;

	(void)state;
	show();
	assert_int_equal(nr_places, merged.nr_events);
	assert_true(nr_places > 1000);
	memset(wanted, 0, sizeof(wanted));
	for (i = 0; i < nr_places; i++) {
		const struct merged_event *event = &merged.events[i];

		wanted[i].ns = event->ns;
		wanted[i].domain = event->domain;
		wanted[i].vcpu = event->vcpu;
		wanted[i].pcpu = event->pcpu == UINT32_MAX ? STRATA_SHOWN_UNKNOWN : event->pcpu;
		strncpy(wanted[i].layer, layer_of(event), sizeof(wanted[i].layer) - 1);
	}
	assert_memory_equal(wanted, places, nr_places * sizeof(*places));
}

/* The three numbers of an event as a decoder prints them; -1: not there. */
static long long shown_number(uint32_t number)
{
	return number == STRATA_SHOWN_UNKNOWN ? -1 : (long long)number;
}

static void perfetto_says_where_each_event_happened(void **state)
{
	char path[128], command[512];
	const struct strata_written_options options = {
		.path = path, .slices = { .to_ns = UINT64_MAX, .threads = 1 }
	};
	struct strata_event_writer *writer = strata_perfetto_new();
	struct strata_error error = { "" };
	long long domain, vcpu, pcpu;
	size_t i, not_vcpu = 0, not_domain = 0;
	FILE *decoded;

	(void)state;
	show();
	assert_non_null(writer);
	snprintf(path, sizeof(path), "%s/trace.pftrace", rec.dir);
	if (strata_written(&set, &shown, writer, &options, NULL, &error))
		fail_msg("%s", error.text);
	writer->free(writer);
	snprintf(command, sizeof(command),
		 "python3 tests/unit/perfetto_events.py %s | jq -r '.annotations | "
		 "\"\\(.domain // -1) \\(.vcpu // -1) \\(.pcpu // -1)\"'",
		 path);
	decoded = popen(command, "r");
	assert_non_null(decoded);
	for (i = 0; i < nr_places; i++) {
		assert_int_equal(fscanf(decoded, "%lld %lld %lld", &domain, &vcpu, &pcpu), 3);
		assert_int_equal(domain, shown_number(places[i].domain));
		assert_int_equal(vcpu, shown_number(places[i].vcpu));
		assert_int_equal(pcpu, shown_number(places[i].pcpu));
		not_vcpu += pcpu >= 0 && pcpu != vcpu;
		not_domain += pcpu >= 0 && pcpu != domain;
	}
	assert_int_equal(pclose(decoded), 0);
	/* Else one would do for the other. */
	assert_true(not_vcpu > 10 && not_domain > 10);
}

static void filter_by(enum strata_attribute attribute, const char *value)
{
	struct strata_filter *filter = strata_filter_new();
	const char *names[SOURCES_MAX];
	struct strata_error error = { "" };
	size_t i;

	for (i = 0; i < shown.nr_sources; i++)
		names[i] = shown.sources[i].name;
	if (strata_filter_option(filter, "--it", attribute, value, &error) ||
	    strata_filter_bind(filter, &set, names, &error))
		fail_msg("%s", error.text);
	set.filter = strata_filter_of_set(filter);
	show();
	set.filter = NULL;
	strata_filter_free(filter);
}

static void a_domain_is_filtered_by_number_and_by_name(void **state)
{
	static const char *const values[][2] = {
		{ "0", "dom0" }, { "1", "g1" }, { "2", "*2" }, { "32767", "idle" }
	};
	size_t i, j, all = 0;

	(void)state;
	for (i = 0; i < 4; i++) {
		const uint16_t domain = (uint16_t)atoi(values[i][0]);
		size_t wanted = 0;

		for (j = 0; j < merged.nr_events; j++)
			wanted += merged.events[j].domain == domain;
		filter_by(STRATA_ATTRIBUTE_DOMAIN, values[i][0]);
		assert_int_equal(nr_places, wanted);
		for (j = 0; j < nr_places; j++)
			assert_int_equal(places[j].domain, domain);
		filter_by(STRATA_ATTRIBUTE_DOMAIN, values[i][1]);
		assert_int_equal(nr_places, wanted);
		assert_true(i == 3 || wanted > 0);
		all += wanted;
	}
	filter_by(STRATA_ATTRIBUTE_DOMAIN, "dom0,1,g2,idle");
	assert_int_equal(nr_places, all);
	filter_by(STRATA_ATTRIBUTE_DOMAIN, "nobody");
	assert_int_equal(nr_places, 0);
}

static void layers_and_processes_are_filtered(void **state)
{
	static const char *const layers[] = { "xen", "kernel", "app" };
	size_t i, j, all = 0;

	(void)state;
	for (i = 0; i < 3; i++) {
		filter_by(STRATA_ATTRIBUTE_LAYER, layers[i]);
		assert_true(nr_places > 0);
		for (j = 0; j < nr_places; j++)
			assert_string_equal(places[j].layer, layers[i]);
		all += nr_places;
	}
	assert_int_equal(all, merged.nr_events);
	/* An application has the name of its program. */
	filter_by(STRATA_ATTRIBUTE_PROCESS, "serv*");
	assert_int_equal(nr_places, 1);
	assert_string_equal(places[0].layer, "app");
	/* A kernel's event has the thread that ran. */
	filter_by(STRATA_ATTRIBUTE_PROCESS, "1");
	assert_true(nr_places > 0);
	for (j = 0; j < nr_places; j++)
		assert_string_equal(places[j].layer, "kernel");
	/* An application's has the process, which counts, and the thread, which does not. */
	filter_by(STRATA_ATTRIBUTE_PROCESS, "700");
	assert_int_equal(nr_places, 1);
	filter_by(STRATA_ATTRIBUTE_PROCESS, "701");
	assert_int_equal(nr_places, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfetto_says_where_each_event_happened),
		cmocka_unit_test(each_event_happened_where_the_merged_order_has_it),
		cmocka_unit_test(a_domain_is_filtered_by_number_and_by_name),
		cmocka_unit_test(layers_and_processes_are_filtered),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
