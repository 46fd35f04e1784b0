// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live.c - following a recording in progress: however much of each stream is complete at each
 * look, all events come once, in the order of the complete recording, and what is shown of each is
 * the same, but for its bound.
 *
 * The recording lies there whole; what the recorder would have said of it at each moment is
 * played back from the times at which its packets were closed.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "recording/ctf_metadata.h"
#include "host/recording_traces.h"
#include "live/live.h"
#include "outputs/follow.h"
#include "outputs/json/json.h"
#include "outputs/shown.h"

#include "../machines_found.h"
#include "live_player.h"
#include "synthetic.h"
#include "saved.h"

#define NR_STREAMS 5u /* two physical CPUs, two vCPUs of g1, one of g2 */
#define STEPS      3000u
#define ROUNDS     40u

/* A packet was closed. */
struct closed {
	uint64_t ticks;
	uint64_t bytes;
};

struct world {
	struct synthetic rec;
	struct synthetic_clock clocks[3]; /* of the vCPUs, at the end */
	unsigned int numbers[3];
	struct closed closed[NR_STREAMS][STEPS + 2];
	unsigned int nr_closed[NR_STREAMS];
	uint64_t begin, end;
};

static const struct {
	const char *source;
	unsigned int source_index, cpu;
} streams[NR_STREAMS] = {
	{ "xen", 0, 0 }, { "xen", 0, 1 }, { "g1", 1, 0 }, { "g1", 1, 1 }, { "g2", 2, 0 },
};

static void close_one(struct world *world, unsigned int i, uint64_t ticks)
{
	struct synthetic_stream *stream =
		synthetic_stream(&world->rec, streams[i].source, streams[i].cpu);

	stream->lost += world->nr_closed[i] % 4 == 3;
	synthetic_close_packet(stream);
	world->closed[i][world->nr_closed[i]++] = (struct closed){ ticks, stream->nr_bytes };
}

/* Sets the counter of a vCPU. @back: it may be set back */
static void set_clock(struct world *world, unsigned int vcpu, uint64_t ticks, bool back)
{
	struct synthetic_clock *clock = &world->clocks[vcpu];
	const uint64_t by = (uint64_t)(rand() % 1000) * 1000000;

	/* As a ring does where time goes back. */
	close_one(world, vcpu + 2, ticks);
	clock->is_hvm = true;
	clock->ratio = 1;
	clock->offset += back && rand() % 2 ? 0 - by : by;
	synthetic_vcpu_clock(&world->rec, (unsigned int)rand() % 2, ticks, vcpu < 2 ? 1 : 2,
			     vcpu % 2, clock);
}

/* Sets what a synthetic recording lacks. */
static void write_metadata(const struct world *world)
{
	struct strata_recording recording = { 0 };
	struct strata_error error = { "" };
	size_t i;

	assert_int_equal(loaded_recording(&recording, world->rec.dir, &error), 0);
	for (i = 0; i < recording.nr_sources; i++)
		assert_int_equal(
			saved_metadata(&recording, &recording.sources[i], world->rec.dir, &error),
			0);
	strata_recording_clear(&recording);
}

/* A host on which a vCPU's counter is set now and then. */
static void make(struct world *world, bool back)
{
	uint64_t ticks = SYNTHETIC_ANCHOR_TICKS;
	unsigned int i, step;

	memset(world, 0, sizeof(*world));
	synthetic_init(&world->rec);
	synthetic_add_source(&world->rec, "xen", "xen", 0x7ff2);
	synthetic_add_source(&world->rec, "g1", "kernel", 1);
	synthetic_add_source(&world->rec, "g2", "kernel", 2);
	world->begin = ticks;
	for (i = 0; i < 2; i++)
		synthetic_pcpu_clock(&world->rec, i, ticks += 10);
	for (i = 0; i < 3; i++)
		set_clock(world, i, ticks += 10, false);
	/* Places of g1's vCPUs when recording begins; g2's are not recorded. */
	for (i = 0; i < 2; i++)
		synthetic_vcpu_state(&world->rec, 1 - i, ticks += 10, 1, i, i);
	for (step = 0; step < STEPS; step++) {
		ticks += 1000 + (uint64_t)rand() % 100000;
		switch (rand() % 8) {
		case 0:
			i = (unsigned int)rand() % 3;
			synthetic_runstate(&world->rec, (unsigned int)rand() % 2, ticks,
					   i < 2 ? 1 : 2, i % 2, 1, rand() % 4 == 0);
			break;
		case 1:
			if (rand() % 20 == 0)
				set_clock(world, (unsigned int)rand() % 3, ticks, back);
			break;
		case 2:
			close_one(world, (unsigned int)rand() % NR_STREAMS, ticks);
			break;
		case 3:
			if (rand() % 50 == 0)
				synthetic_skew(&world->rec, 0, ticks, 1, -(rand() % 100),
					       rand() % 100);
			break;
		default:
			i = (unsigned int)rand() % 3;
			synthetic_mark(&world->rec, i < 2 ? "g1" : "g2", i % 2,
				       synthetic_guest_ticks(&world->clocks[i], ticks),
				       world->numbers[i]++ % 256);
		}
	}
	world->end = ticks + 1000;
	for (i = 0; i < NR_STREAMS; i++)
		close_one(world, i, world->end);
	synthetic_write(&world->rec);
	write_metadata(world);
}

/* An event that was handed on. */
struct seen {
	uint64_t ns;
	char stream[24];
	uint8_t number;
	bool late;
	char *line; /* as it is shown, without its bound */
};

struct collector {
	struct strata_live_sink live;
	struct strata_slice_sink slice;
	const struct strata_trace_set *set;
	struct strata_shown shown;
	struct strata_shown_view view;
	struct strata_shown_last last;
	struct seen *events;
	size_t nr;
	uint64_t late;
	uint64_t discarded;
};

static void begin_to_show(struct collector *collector, const struct strata_trace_set *set)
{
	struct strata_error error;

	if (collector->set) {
		strata_shown_view_clear(&collector->view);
		strata_shown_clear(&collector->shown);
	}
	collector->set = set;
	if (!set)
		return;
	assert_int_equal(strata_shown_init(&collector->shown, set, &error), 0);
	assert_int_equal(strata_shown_view_init(&collector->view, &collector->shown), 0);
}

/* Keeps the output of `view --json` for an event.  Its bound may shrink when more is known. */
static char *show(struct collector *collector, struct strata_ctf_reader *reader,
		  const struct strata_lane_event *at, struct strata_shown_event *event)
{
	struct strata_event_writer *writer = strata_json_lines_new();
	struct strata_buffer buffer = { 0 };
	char *line, *bound, *behind;

	assert_non_null(writer);
	strata_shown_next(reader, at, event);
	strata_shown_follow(event, &collector->last);
	collector->last = strata_shown_last_of(event);
	writer->event(writer, &buffer, event);
	assert_false(buffer.no_memory);
	line = strndup(buffer.bytes, buffer.used);
	bound = strstr(line, "\"bound_ns\":");
	if (bound) {
		behind = strchr(bound, ',') + 1;
		memmove(bound, behind, strlen(behind) + 1);
	}
	strata_buffer_free(&buffer);
	writer->free(writer);
	return line;
}

static void collect(struct collector *collector, size_t stream, struct strata_ctf_reader *reader,
		    const struct strata_lane_event *events, size_t nr)
{
	const struct strata_set_stream *of = &collector->set->streams[stream];
	const char *path = collector->set->traces[of->trace]->path;
	struct strata_shown_event *event = strata_shown_run(&collector->view, stream, reader);
	size_t i;

	collector->events =
		realloc(collector->events, (collector->nr + nr) * sizeof(*collector->events));
	assert_non_null(collector->events);
	for (i = 0; i < nr; i++) {
		struct seen *seen = &collector->events[collector->nr++];

		seen->late = false;
		seen->ns = events[i].ns;
		snprintf(seen->stream, sizeof(seen->stream), "%.8s/%.8s", strrchr(path, '/') + 1,
			 of->stream->name);
		/* Behind the thread's number. */
		seen->number = reader->base[events[i].body / 8 + 4];
		seen->line = show(collector, reader, &events[i], event);
	}
}

static int sources(struct strata_live_sink *sink, const struct strata_trace_set *set,
		   struct strata_error *error)
{
	(void)error;
	begin_to_show((struct collector *)sink, set);
	return 0;
}

static int take_live(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		     const struct strata_lane_event *events, size_t nr, bool late,
		     struct strata_error *error)
{
	struct collector *collector = (struct collector *)sink;

	(void)error;
	collector->late += late ? nr : 0;
	collect(collector, stream, reader, events, nr);
	while (late && nr)
		collector->events[collector->nr - nr--].late = true;
	return 0;
}

static int lose_live(struct strata_live_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		     const struct strata_loss *loss, struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)error;
	((struct collector *)sink)->discarded += loss->discarded;
	return 0;
}

static int lose_slice(struct strata_slice_sink *sink, size_t stream,
		      struct strata_ctf_reader *reader, const struct strata_loss *loss,
		      struct strata_error *error)
{
	(void)stream;
	(void)reader;
	(void)error;
	((struct collector *)((char *)sink - offsetof(struct collector, slice)))->discarded +=
		loss->discarded;
	return 0;
}

static int take_slice(struct strata_slice_sink *sink, size_t stream,
		      struct strata_ctf_reader *reader, const struct strata_lane_event *events,
		      size_t nr, struct strata_error *error)
{
	(void)error;
	collect((struct collector *)((char *)sink - offsetof(struct collector, slice)), stream,
		reader, events, nr);
	return 0;
}

/* All events, when all are there. */
static void merge_whole(const struct world *world, struct collector *collector)
{
	struct strata_error error = { "" };
	struct strata_recording_traces *traces =
		strata_recording_traces_open(world->rec.dir, NULL, NULL, NULL, &error);
	struct strata_ctf_tally tallies[NR_STREAMS] = { { 0 } };
	struct strata_machines machines;
	struct strata_trace_set set = { 0 };
	size_t i;

	assert_non_null(traces);
	for (i = 0; i < 3; i++)
		assert_int_equal(
			strata_trace_set_add(&set, strata_recording_traces_trace(traces, i, &error),
					     &error),
			0);
	memset(collector, 0, sizeof(*collector));
	collector->slice.take = take_slice;
	collector->slice.lose = lose_slice;
	assert_int_equal(machines_found(&machines, &set, NULL, NULL, &error), 0);
	begin_to_show(collector, &set);
	assert_int_equal(
		strata_trace_set_merge(&set, 0, UINT64_MAX, &collector->slice, tallies, &error), 0);
	begin_to_show(collector, NULL);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
	strata_recording_traces_close(traces);
}

static uint64_t now_ticks;

static uint64_t host_clock(void)
{
	return now_ticks;
}

/* Publishes a stream's progress, which may be behind the file. */
static void say(const struct world *world, struct strata_live_table *table, unsigned int i,
		uint64_t ticks)
{
	struct strata_live_slot *slot = &table->slots[i];
	unsigned int j;

	slot->source = streams[i].source_index;
	slot->cpu = streams[i].cpu;
	if (!slot->complete_ticks)
		slot->complete_ticks = world->begin;
	for (j = 0; j < world->nr_closed[i] && world->closed[i][j].ticks <= ticks; j++) {
		if (world->closed[i][j].ticks < slot->complete_ticks)
			continue;
		slot->bytes = world->closed[i][j].bytes;
		slot->complete_ticks = world->closed[i][j].ticks;
	}
	if (table->nr_slots <= i)
		table->nr_slots = i + 1;
}

/* The recorder has its ring, and nothing of it. */
static void say_nothing(struct strata_live_table *table, unsigned int i)
{
	table->slots[i].source = streams[i].source_index;
	table->slots[i].cpu = streams[i].cpu;
	table->slots[i].complete_ticks = 0;
	if (table->nr_slots <= i)
		table->nr_slots = i + 1;
}

static void count_complaint(void *data, const char *message)
{
	*(unsigned int *)data += strstr(message, "no longer waited for") != NULL;
}

static unsigned int followed_behind; /* streams that were left behind, in all rounds */

/* How a recorder and its follower behave. */
struct pace {
	unsigned int
		stopped; /* a stream that is silent for half of the time; NR_STREAMS: all publish */
	uint64_t patience_ns; /* of the follower */
	uint64_t every_ticks; /* between two looks at a recorder that is up to date; 0: random */
};

static void follow_with(const struct world *world, struct collector *collector,
			const struct pace *pace)
{
	const uint64_t half = world->begin + (world->end - world->begin) / 2;
	unsigned int complaints = 0;
	const struct strata_live_options options = { .patience_ns = pace->patience_ns,
						     .from_beginning = true,
						     .clock = host_clock,
						     .complain = count_complaint,
						     .complain_data = &complaints };
	const int dir = open(world->rec.dir, O_RDONLY | O_DIRECTORY);
	struct strata_live_table *table = live_player_make_table(world->rec.dir);
	struct strata_error error = { "" };
	struct strata_live *live;
	unsigned int i, quiet[NR_STREAMS] = { 0 };
	int status = 0;

	/* Marks it as a recording in progress. */
	assert_int_equal(flock(dir, LOCK_EX | LOCK_NB), 0);
	memset(collector, 0, sizeof(*collector));
	collector->live.sources = sources;
	collector->live.take = take_live;
	collector->live.lose = lose_live;
	live = strata_live_open(world->rec.dir, &options, &error);
	if (!live)
		fail_msg("%s", error.text);
	for (now_ticks = world->begin; !status;
	     now_ticks += pace->every_ticks ? pace->every_ticks : (uint64_t)rand() % 10000000) {
		for (i = 0; i < NR_STREAMS; i++) {
			/* The others are never as quiet as to be left behind: twice 4 ms. */
			quiet[i] = pace->every_ticks || rand() % 3 || quiet[i] == 2 ? 0
										    : quiet[i] + 1;
			if (i == pace->stopped && now_ticks < half)
				say_nothing(table, i);
			else if (quiet[i] == 0 || !table->slots[i].complete_ticks)
				say(world, table, i, now_ticks);
		}
		if (rand() % 10 == 0)
			table->generation++;
		if (now_ticks > world->end + 10000000)
			table->state = STRATA_LIVE_ENDED;
		status = strata_live_look(live, &collector->live, &error);
	}
	if (status < 0)
		fail_msg("%s", error.text);
	assert_false(strata_live_progress(live)->died);
	assert_true(complaints <= (pace->stopped < NR_STREAMS));
	followed_behind += complaints;
	assert_int_equal(strata_live_progress(live)->events, collector->nr);
	begin_to_show(collector, NULL);
	strata_live_close(live);
	munmap(table, sizeof(*table));
	close(dir);
}

static void follow(const struct world *world, struct collector *collector)
{
	follow_with(world, collector,
		    &(struct pace){ .stopped = NR_STREAMS, .patience_ns = UINT64_MAX / 2 });
}

static void forget(struct collector *collector)
{
	size_t i;

	for (i = 0; i < collector->nr; i++)
		free(collector->events[i].line);
	free(collector->events);
}

static void end(struct world *world, struct collector *whole, struct collector *followed)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, world->rec.dir);
	unlink(path);
	synthetic_free(&world->rec);
	forget(whole);
	forget(followed);
}

static void what_is_followed_is_what_there_is_in_the_end(void **state)
{
	static struct world world;
	struct collector whole, followed;
	unsigned int round;
	size_t i, with_pcpu = 0;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		srand(round);
		make(&world, false);
		merge_whole(&world, &whole);
		follow(&world, &followed);
		assert_int_equal(followed.late, 0);
		assert_true(whole.nr > STEPS / 4);
		assert_true(whole.discarded > 0);
		for (i = 0; i < whole.nr && i < followed.nr; i++) {
			const struct seen *a = &whole.events[i], *b = &followed.events[i];

			if (strcmp(a->line, b->line) != 0)
				fail_msg("round %u, event %zu: %s, but %s", round, i, a->line,
					 b->line);
			with_pcpu += a->stream[0] == 'g' && strstr(a->line, "\"pcpu\":") != NULL;
		}
		assert_int_equal(followed.nr, whole.nr);
		/* Losses are reported once, too. */
		assert_int_equal(followed.discarded, whole.discarded);
		end(&world, &whole, &followed);
	}
	assert_true(with_pcpu > ROUNDS * STEPS / 4);
}

/* Where counters are set back, times are known less well while it goes on: events may come late. */
static void each_event_of_a_counter_that_is_set_back_comes_once(void **state)
{
	static struct world world;
	struct collector whole, followed;
	unsigned int round;
	size_t i, j;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		srand(1000 + round);
		make(&world, true);
		merge_whole(&world, &whole);
		follow(&world, &followed);
		assert_int_equal(followed.nr, whole.nr);
		/* Losses are reported once, too. */
		assert_int_equal(followed.discarded, whole.discarded);
		for (j = 2; j < NR_STREAMS; j++) {
			unsigned int next = 0;
			char name[24];

			snprintf(name, sizeof(name), "%s/cpu_%u", streams[j].source,
				 streams[j].cpu);
			for (i = 0; i < followed.nr; i++) {
				if (strcmp(followed.events[i].stream, name) != 0)
					continue;
				assert_int_equal(followed.events[i].number, next++ % 256);
			}
			assert_int_equal(next, world.numbers[j - 2]);
		}
		end(&world, &whole, &followed);
	}
}

static bool is_of(const struct seen *seen, const char *stream)
{
	return strcmp(seen->stream, stream) == 0;
}

/* Where one is stopped with a sub-buffer open: the others are shown meanwhile, in order; when it
 * goes on it is late for a while, and then it is one of them again. */
static void a_stopped_stream_is_left_behind_and_comes_back(void **state)
{
	static struct world world;
	struct collector whole, followed;
	unsigned int round, late_then = 0, in_time_then = 0;
	size_t i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		size_t late = 0, of_it = 0;

		srand(round);
		make(&world, false);
		merge_whole(&world, &whole);
		follow_with(&world, &followed,
			    &(struct pace){ .stopped = NR_STREAMS - 1, .patience_ns = 20000000 });
		assert_int_equal(followed.nr, whole.nr);
		for (i = 0; i < followed.nr; i++) {
			const struct seen *seen = &followed.events[i];

			of_it += is_of(seen, "g2/cpu_0");
			late += seen->late;
			assert_true(!seen->late || is_of(seen, "g2/cpu_0"));
		}
		late_then += late > 0;
		in_time_then += late < of_it;
		end(&world, &whole, &followed);
	}
	/* Not where the tables came too late, by chance: some half of all rounds. */
	assert_true(followed_behind > ROUNDS / 4);
	assert_true(late_then > ROUNDS / 4);
	assert_true(in_time_then > ROUNDS / 2);
}

/* Given looks further apart than the time for which a stream is waited for. */
static void who_looks_rarely_leaves_no_stream_behind(void **state)
{
	static struct world world;
	struct collector whole, followed;
	unsigned int round;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		srand(2000 + round);
		make(&world, false);
		merge_whole(&world, &whole);
		follow_with(&world, &followed,
			    &(struct pace){ .stopped = NR_STREAMS,
					    .patience_ns = 18000000,
					    .every_ticks = 50000000 });
		assert_int_equal(followed.nr, whole.nr);
		assert_int_equal(followed.late, 0);
		end(&world, &whole, &followed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stopped_stream_is_left_behind_and_comes_back),
		cmocka_unit_test(who_looks_rarely_leaves_no_stream_behind),
		cmocka_unit_test(what_is_followed_is_what_there_is_in_the_end),
		cmocka_unit_test(each_event_of_a_counter_that_is_set_back_comes_once),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
