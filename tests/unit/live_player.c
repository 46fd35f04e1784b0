// SPDX-License-Identifier: GPL-2.0-or-later
/* live_player.c - see live_player.h. */
#include "live_player.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../machines_found.h"
#include "base/array.h"
#include "host/recording_traces.h"

struct reading {
	struct strata_slice_sink sink;
	const struct strata_trace_set *set;
	const struct strata_recorded_host *host;
	struct live_player *player;
};

struct strata_live_table *live_player_make_table(const char *raw)
{
	struct strata_live_table *table;
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, raw);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, sizeof(*table)), 0);
	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(table != MAP_FAILED);
	close(fd);
	table->magic = STRATA_LIVE_MAGIC;
	table->version = STRATA_LIVE_VERSION;
	return table;
}

/* Notes in which packet the events are. */
static int take(struct strata_slice_sink *sink, size_t at, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	const struct reading *reading = (const struct reading *)sink;
	struct live_player *player = reading->player;
	struct played_stream *stream = &player->streams[at];
	const uint64_t first = strata_recorded_ticks(reading->host, &events[0]);
	const uint64_t last = strata_recorded_ticks(reading->host, &events[nr - 1]);

	(void)error;
	if (!stream->nr || stream->packets[stream->nr - 1].end != reader->next_packet) {
		assert_true(STRATA_GROW(stream->packets, stream->nr, stream->room));
		stream->packets[stream->nr++] =
			(struct played_packet){ .first_ticks = first, .end = reader->next_packet };
	}
	stream->packets[stream->nr - 1].last_ticks = last;
	if (!player->begin_ticks) {
		player->begin_ticks = first;
		player->first_ns = events[0].ns;
	}
	player->end_ticks = last;
	player->last_ns = events[nr - 1].ns;
	return 0;
}

static void read_packets(struct live_player *player)
{
	struct strata_error error = { "" };
	struct strata_recording_traces *traces =
		strata_recording_traces_open(player->raw, NULL, NULL, NULL, &error);
	struct reading reading = { .sink = { .take = take }, .player = player };
	const struct strata_recording *recording;
	struct strata_trace_set set = { 0 };
	struct strata_ctf_tally *tallies;
	struct strata_machines machines;
	uint32_t *sources;
	size_t i;

	if (!traces)
		fail_msg("%s", error.text);
	recording = strata_recording_traces_table(traces);
	sources = calloc(recording->nr_sources + 1, sizeof(*sources));
	assert_non_null(sources);
	for (i = 0; i < recording->nr_sources; i++) {
		struct strata_ctf_trace *trace;

		if (!recording->sources[i].nr_streams)
			continue;
		trace = strata_recording_traces_trace(traces, i, &error);
		assert_non_null(trace);
		sources[set.nr_traces] = (uint32_t)i;
		assert_int_equal(strata_trace_set_add(&set, trace, &error), 0);
	}
	assert_int_equal(machines_found(&machines, &set, NULL, NULL, &error), 0);
	player->nr = set.nr_streams;
	player->streams = calloc(set.nr_streams + 1, sizeof(*player->streams));
	tallies = calloc(set.nr_streams + 1, sizeof(*tallies));
	assert_true(player->streams && tallies);
	for (i = 0; i < set.nr_streams; i++) {
		player->streams[i].source = sources[set.streams[i].trace];
		assert_true(
			strata_cpu_of_stream(set.streams[i].stream->name, &player->streams[i].cpu));
	}
	reading.set = &set;
	reading.host = strata_recording_traces_host(traces);
	assert_int_equal(
		strata_trace_set_merge(&set, 0, UINT64_MAX, &reading.sink, tallies, &error), 0);
	free(tallies);
	free(sources);
	strata_trace_set_clear(&set);
	strata_machines_clear(&machines);
	strata_recording_traces_close(traces);
}

void live_player_open(struct live_player *player, const char *raw)
{
	memset(player, 0, sizeof(*player));
	snprintf(player->raw, sizeof(player->raw), "%s", raw);
	player->dir = open(raw, O_RDONLY | O_DIRECTORY);
	assert_true(player->dir >= 0);
	read_packets(player);
	/* Marks it as a recording in progress. */
	assert_int_equal(flock(player->dir, LOCK_EX | LOCK_NB), 0);
	player->table = live_player_make_table(raw);
	player->table->generation = 1;
}

void live_player_say(struct live_player *player, uint64_t now_ticks, bool has_ended)
{
	size_t i;

	for (i = 0; i < player->nr; i++) {
		struct played_stream *stream = &player->streams[i];
		struct strata_live_slot *slot = &player->table->slots[i];

		slot->source = stream->source;
		slot->cpu = stream->cpu;
		while (stream->next < stream->nr &&
		       stream->packets[stream->next].last_ticks <= now_ticks)
			slot->bytes = stream->packets[stream->next++].end;
		slot->complete_ticks = now_ticks;
		/* The recorder knows of an open sub-buffer only since when it is. */
		if (stream->next < stream->nr &&
		    stream->packets[stream->next].first_ticks < now_ticks)
			slot->complete_ticks = stream->packets[stream->next].first_ticks;
	}
	player->table->nr_slots = (uint32_t)player->nr;
	if (has_ended)
		player->table->state = STRATA_LIVE_ENDED;
}

void live_player_close(struct live_player *player)
{
	char path[300];
	size_t i;

	snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, player->raw);
	unlink(path);
	munmap(player->table, sizeof(*player->table));
	close(player->dir);
	for (i = 0; i < player->nr; i++)
		free(player->streams[i].packets);
	free(player->streams);
}
