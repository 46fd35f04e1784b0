// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c - see live.h: reads the live table, computes the watermark, and merges up to it.
 */
#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/platform/platform.h>

#include "live/live_streams.h"
#include "live/live_watermark.h"
#include "ctf/trace/stream_file.h"
#include "files/mapped_file.h"

struct strata_live {
	char *raw;
	struct strata_live_options options;
	const struct strata_live_table *table;
	struct stat file; /* that contains the table */
	int dir;
	uint64_t generation; /* of the tables that are loaded */
	struct live_streams streams;
	struct live_stream *of_slot[STRATA_LIVE_SLOTS];
	struct strata_lane *lanes; /* for each stream of the set */
	uint64_t from_ns;
	bool has_ended;
	bool has_begun;
	bool said_slotless;
	struct live_watermark watermark;
	struct strata_live_progress progress;
	/* Of the current look. */
	uint64_t to_ns;
	struct strata_live_sink *sink;
	struct strata_error *error;
};

static void complain(const struct strata_live *live, const char *message)
{
	if (live->options.complain)
		live->options.complain(live->options.complain_data, message);
}

/* Opens the recorder's memory that contains the table; -1 with the reason. */
static int open_elsewhere(int file, const char *path, struct strata_error *error)
{
	struct strata_live_elsewhere where;
	struct stat status;
	char name[64];
	int fd;

	if (pread(file, &where, sizeof(where), 0) != (ssize_t)sizeof(where) ||
	    where.magic != STRATA_LIVE_ELSEWHERE_MAGIC || where.version != STRATA_LIVE_VERSION)
		return strata_fail(
			error,
			"%s: not a live table of this version; use the strata of the recorder's build",
			path);
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/fd/%" PRIu32, where.pid, where.fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		return strata_fail(
			error,
			"%s: the file system cannot share memory, so the recorder holds "
			"the table in %s: %s; follow it as root or as the recorder's user",
			path, name, strerror(errno));
	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_ino == where.inode && status.st_size == sizeof(struct strata_live_table))
		return fd;
	if (fd >= 0)
		close(fd);
	return strata_fail(error,
			   "%s: the recorder, process %" PRIu32
			   ", no longer runs on this machine; without --live the recording "
			   "is shown as it is",
			   path, where.pid);
}

/* Maps RAW/.live, or the memory that it refers to. 0 or -1. */
static int open_table(struct strata_live *live, struct strata_error *error)
{
	char path[4096];
	void *memory;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" STRATA_LIVE_FILE, live->raw) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", live->raw);
	fd = openat(live->dir, STRATA_LIVE_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return strata_fail(
			error,
			"%s: no recorder writes to it now, or only a flight recorder; view it without --live, or take a snapshot of the flight recorder with `strata snapshot`",
			live->raw);
	if (fd < 0)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	if (fstat(fd, &live->file) || !S_ISREG(live->file.st_mode) ||
	    (live->file.st_size != (off_t)sizeof(*live->table) &&
	     live->file.st_size != (off_t)sizeof(struct strata_live_elsewhere))) {
		close(fd);
		return strata_fail(
			error,
			"%s: not a live table of this version; use the strata of the recorder's build",
			path);
	}
	if (live->file.st_size != (off_t)sizeof(*live->table)) {
		const int elsewhere = open_elsewhere(fd, path, error);

		close(fd);
		if (elsewhere < 0)
			return -1;
		fd = elsewhere;
	}
	memory = mmap(NULL, sizeof(*live->table), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return strata_fail(error, "%s: %s", path, strerror(errno));
	live->table = memory;
	if (strata_mapping_guard(memory, sizeof(*live->table), error))
		return -1;
	/* Acquire: pairs with the release in live_publisher_open(). */
	if (strata_load_acquire(&live->table->magic) != STRATA_LIVE_MAGIC ||
	    live->table->version != STRATA_LIVE_VERSION)
		return strata_fail(
			error,
			"%s: not a live table of this version; use the strata of the recorder's build",
			path);
	return 0;
}

/* A recorder holds a lock on its directory for as long as it lives. */
static bool is_recorded(const struct strata_live *live)
{
	/* On file systems without locks, only the table tells the end. */
	if (flock(live->dir, LOCK_SH | LOCK_NB))
		return true;
	flock(live->dir, LOCK_UN);
	return false;
}

static int load(struct strata_live *live, struct strata_live_sink *sink, uint64_t generation,
		uint64_t now, struct strata_error *error)
{
	free(live->lanes);
	live->lanes = NULL;
	if (sink->sources(sink, NULL, error))
		return -1;
	/* Streams of slots may disappear. */
	memset(live->of_slot, 0, sizeof(live->of_slot));
	if (live_streams_load(&live->streams, error))
		return -1;
	live->progress.now_ns = strata_realtime_ns(&live->streams.host.timebase, now);
	live->progress.has_ended = live->has_ended;
	live->lanes = calloc(live->streams.set.nr_streams + 1, sizeof(*live->lanes));
	if (!live->lanes)
		return strata_fail(error, "out of memory");
	live->generation = generation;
	/* The callback may change how the set's streams are read. */
	return sink->sources(sink, &live->streams.set, error) ||
			       live_streams_open(&live->streams, error)
		       ? -1
		       : 0;
}

/* Reads all slots. 0 or -1: out of memory. */
static int read_slots(struct strata_live *live, uint64_t now, struct strata_error *error)
{
	const struct strata_live_table *table = live->table;
	uint32_t nr = strata_load_acquire(&table->nr_slots), i;
	size_t j;

	for (j = 0; j < live->streams.nr; j++)
		live->streams.streams[j]->in_table = false;
	for (i = 0; i < nr && i < STRATA_LIVE_SLOTS; i++) {
		const struct strata_live_slot *slot = &table->slots[i];
		struct live_stream *stream = live->of_slot[i];
		struct live_said said = { .at_ticks = now };
		uint32_t source, cpu;

		/* Acquire, and the time first: pairs with the releases in live_publisher_set(). */
		said.complete_ticks = strata_load_acquire(&slot->complete_ticks);
		said.bytes = strata_load_acquire(&slot->bytes);
		source = strata_read_once(&slot->source);
		cpu = strata_read_once(&slot->cpu);
		if (source >= STRATA_SOURCES_MAX * 64 || cpu > STRATA_CPU_MAX)
			continue;
		if (!stream || stream->source != source || stream->cpu != cpu)
			stream = live_streams_find(&live->streams, source, cpu);
		/* A stream that ended before it was seen is found when the tables are loaded. */
		if (!stream && said.complete_ticks == UINT64_MAX)
			continue;
		if (!stream)
			stream = live_streams_add(&live->streams, source, cpu);
		if (!stream)
			return strata_fail(error, "out of memory");
		live->of_slot[i] = stream;
		if (stream->has_ended && said.complete_ticks == UINT64_MAX)
			continue;
		stream->has_ended = false;
		live_stream_note(stream, &said);
		stream->in_table = said.complete_ticks != UINT64_MAX;
	}
	return 0;
}

/* Marks the set's stream @at as ended, with all of its file, unless it has a slot. */
static void end_unless_in_table(struct strata_live *live, size_t at, uint64_t now)
{
	struct live_stream *stream = live->streams.of_set[at];
	struct live_said said = { .at_ticks = now, .complete_ticks = UINT64_MAX };
	struct stat status;
	int fd;

	if (!stream || stream->in_table || stream->has_ended)
		return;
	stream->has_ended = true;
	fd = strata_stream_file_enter(live->streams.set.streams[at].stream);
	if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0)
		said.bytes = (uint64_t)status.st_size;
	strata_stream_file_leave(live->streams.set.streams[at].stream, fd);
	live_stream_note(stream, &said);
}

/* Marks streams of earlier loaded tables without a slot as ended. */
static void find_ended(struct strata_live *live, uint64_t now)
{
	size_t i;

	for (i = 0; i < live->streams.set.nr_streams; i++)
		end_unless_in_table(live, i, now);
}

/* The recording has ended: the files are complete. */
static void take_files_as_they_are(struct strata_live *live)
{
	struct live_streams *streams = &live->streams;
	size_t i;

	for (i = 0; i < streams->nr; i++)
		streams->streams[i]->in_table = false;
	for (i = 0; i < streams->set.nr_streams; i++) {
		const struct live_said said = { .bytes = streams->set.streams[i].stream->bytes,
						.complete_ticks = UINT64_MAX };

		if (streams->of_set[i]) {
			streams->of_set[i]->nr_said = 0;
			live_stream_note(streams->of_set[i], &said);
		}
	}
}

/* Marks as ended the streams of sources that had gone when the tables were written: they never had
 * a slot that we saw, and their files are complete. */
static void find_gone(struct strata_live *live, uint64_t now)
{
	const struct live_streams *streams = &live->streams;
	size_t i;

	for (i = 0; i < streams->set.nr_streams; i++) {
		struct live_stream *stream = streams->of_set[i];

		if (stream && streams->host.recording.sources[stream->source].went_ticks)
			end_unless_in_table(live, i, now);
	}
}

/* The watermark never goes back. */
static uint64_t next_watermark(struct strata_live *live, uint64_t now)
{
	uint64_t ns;

	if (live->has_ended)
		return UINT64_MAX;
	ns = live_watermark_next(&live->watermark, &live->streams, now);
	return ns > live->progress.watermark_ns ? ns : live->progress.watermark_ns;
}

static int refill(void *data, size_t at)
{
	struct strata_live *live = data;
	struct live_stream *stream = live->streams.of_set[at];

	live->lanes[at].next = live->lanes[at].end = NULL;
	if (stream)
		live_stream_read(stream, live->from_ns, live->to_ns, &live->lanes[at]);
	return 0;
}

/* Passes on the losses before the stream's next event. */
static int tell_loss(struct strata_live *live, size_t at)
{
	struct live_stream *stream = live->streams.of_set[at];

	if (!stream || !stream->is_open || !stream->has_loss)
		return 0;
	stream->has_loss = false;
	if (!live->sink->lose || !strata_loss_is_counted(&stream->loss) ||
	    stream->loss.to_ns < live->from_ns)
		return 0;
	return live->sink->lose(live->sink, at, &stream->reader, &stream->loss, live->error);
}

static void note_bound(struct strata_live *live, const struct strata_ctf_reader *reader,
		       const struct strata_lane_event *events, size_t nr)
{
	uint64_t ns;
	size_t i;

	for (i = 0; i < nr; i++) {
		ns = strata_ctf_bound_ns(reader, events[i].bound);
		if (ns != UINT64_MAX && ns > live->watermark.bound_ns)
			live->watermark.bound_ns = ns;
	}
}

static int take(void *data, size_t at, const struct strata_lane_event *events, size_t nr)
{
	struct strata_live *live = data;
	struct live_stream *stream = live->streams.of_set[at];
	size_t late = 0;
	int status = 0;

	note_bound(live, &stream->reader, events, nr);
	while (late < nr && events[late].ns < live->progress.watermark_ns)
		late++;
	live->progress.events += nr;
	live->progress.late += late;
	status = tell_loss(live, at);
	if (!status && late)
		status = live->sink->take(live->sink, at, &stream->reader, events, late, true,
					  live->error);
	if (!status && late < nr)
		status = live->sink->take(live->sink, at, &stream->reader, events + late, nr - late,
					  false, live->error);
	live_stream_taken(stream, nr);
	return status;
}

static int merge(struct strata_live *live, uint64_t to_ns, struct strata_live_sink *sink,
		 struct strata_error *error)
{
	struct strata_lanes lanes = { .lanes = live->lanes,
				      .nr = live->streams.set.nr_streams,
				      .refill = refill,
				      .take = take,
				      .data = live };
	uint64_t lost = live->streams.lost;
	size_t i;
	int status;

	live->to_ns = to_ns;
	live->sink = sink;
	live->error = error;
	strata_fail(error, "out of memory");
	status = strata_lanes_merge(&lanes);
	for (i = 0; live->has_ended && !status && i < live->streams.set.nr_streams; i++)
		status = tell_loss(live, i);
	live->progress.watermark_ns = to_ns;
	for (i = 0; i < live->streams.nr; i++)
		if (live->streams.streams[i]->is_open)
			lost += live->streams.streams[i]->reader.tally.discarded;
	live->progress.lost = lost;
	return status;
}

/* Begins with the current events, or with the first one. */
static int begin(struct strata_live *live, uint64_t now, struct strata_error *error)
{
	live->has_begun = true;
	if (live->options.from_beginning)
		return 0;
	live->from_ns = live->progress.watermark_ns =
		strata_realtime_ns(&live->streams.host.timebase, now);
	return live_streams_seek(&live->streams, live->from_ns, error);
}

/* Whether the table is still in place and is the one that the recorder updates. */
static bool is_in_place(const struct strata_live *live)
{
	struct stat status;

	return !fstatat(live->dir, STRATA_LIVE_FILE, &status, AT_SYMLINK_NOFOLLOW) &&
	       status.st_dev == live->file.st_dev && status.st_ino == live->file.st_ino &&
	       status.st_size == live->file.st_size;
}

/* Finds out whether the recorder has ended or died. 0 or -1: the recording was replaced. */
static int find_end(struct strata_live *live, struct strata_error *error)
{
	const bool in_place = is_in_place(live);

	/* Acquire: pairs with the release in live_publisher_close(), which comes before the table
	 * is removed. */
	live->has_ended = strata_load_acquire(&live->table->state) == STRATA_LIVE_ENDED;
	if (live->has_ended)
		return 0;
	if (!in_place)
		return strata_fail(
			error,
			"%s/" STRATA_LIVE_FILE
			" was removed, replaced or truncated, so the progress of the recording is unknown; if another one has begun there, follow that",
			live->raw);
	if (is_recorded(live))
		return 0;
	/* It may have ended meanwhile. */
	live->progress.died = strata_load_acquire(&live->table->state) != STRATA_LIVE_ENDED;
	live->has_ended = true;
	return 0;
}

int strata_live_look(struct strata_live *live, struct strata_live_sink *sink,
		     struct strata_error *error)
{
	const uint64_t now = live->options.clock ? live->options.clock() : strata_clock();
	uint64_t generation;
	int status;

	if (!live->has_ended && find_end(live, error))
		return -1;
	/* A recorder that was never seen alive may have used another counter. */
	if (!live->has_ended || live->streams.now_ticks)
		live->streams.now_ticks = now;
	if (!live->has_ended) {
		if (read_slots(live, now, error))
			return -1;
		find_ended(live, now);
	}
	/* Acquire, and last: pairs with the release in live_publisher_tables(). */
	generation = strata_load_acquire(&live->table->generation);
	/* The recorder has not saved its tables yet. */
	if (generation == 0 && !live->has_ended)
		return 0;
	live->streams.has_ended = live->has_ended;
	if (live->has_ended || !live->lanes || generation != live->generation) {
		if (load(live, sink, generation, now, error))
			return -1;
		find_gone(live, now);
	}
	if (!live->has_begun && begin(live, now, error))
		return -1;
	if (live->has_ended)
		take_files_as_they_are(live);
	if (live->table->slotless && !live->said_slotless)
		complain(live, "more streams are recorded than can be followed; events of some may "
			       "come late");
	live->said_slotless |= live->table->slotless > 0;
	if (live_streams_advance(&live->streams, error))
		return -1;
	status = merge(live, next_watermark(live, now), sink, error);
	return status ? status : live->has_ended;
}

struct strata_live *strata_live_open(const char *raw, const struct strata_live_options *options,
				     struct strata_error *error)
{
	struct strata_live *live = calloc(1, sizeof(*live));

	if (!live || !(live->raw = strdup(raw))) {
		free(live);
		strata_fail(error, "out of memory");
		return NULL;
	}
	live->options = *options;
	live->streams.raw = live->raw;
	live->streams.complain = options->complain;
	live->streams.complain_data = options->complain_data;
	live->watermark.delay_ns = options->delay_ns;
	live->watermark.patience_ns = options->patience_ns;
	live->dir = open(raw, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (live->dir < 0)
		strata_fail(error, "%s: %s", raw, strerror(errno));
	if (live->dir < 0 || open_table(live, error)) {
		strata_live_close(live);
		return NULL;
	}
	return live;
}

const struct strata_live_progress *strata_live_progress(const struct strata_live *live)
{
	return &live->progress;
}

void strata_live_close(struct strata_live *live)
{
	if (!live)
		return;
	live_streams_clear(&live->streams);
	free(live->lanes);
	if (live->table) {
		munmap((void *)live->table, sizeof(*live->table));
		strata_mapping_forget(live->table);
	}
	if (live->dir >= 0)
		close(live->dir);
	free(live->raw);
	free(live);
}
