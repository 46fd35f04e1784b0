// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace.c - see xentrace.h.  `strata import` calls it.
 *
 * The file is read once, or twice to find the frequency.  Memory holds only each CPU's incomplete
 * packet.
 */
#include "inputs/xentrace/xentrace_import.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/ctf_metadata.h"
#include "recording/guest_numbers.h"
#include "recording/recording_remove.h"

#define SOURCE_NAME "xen"
#define DOMAIN_XEN  0x7ff2u

#define PROGRESS_RECORDS 65536u

/* A different hash for each half of the UUID, so that it identifies the file's contents. */
static uint64_t hash(uint64_t state, const void *bytes, size_t nr)
{
	const uint8_t *at = bytes;
	size_t i;

	for (i = 0; i < nr; i++)
		state = (state ^ at[i]) * 0x100000001b3ull;
	return state ^ state >> 29;
}

static void set_uuid(struct xentrace_import *import)
{
	const struct strata_xentrace_reader *reader = &import->reader;
	uint64_t halves[2] = { hash(0xcbf29ce484222325ull, &reader->size, sizeof(reader->size)),
			       hash(0x9e3779b97f4a7c15ull, &reader->size, sizeof(reader->size)) };
	size_t nr = 0;
	const uint8_t *bytes = strata_xentrace_beginning(reader, &nr);

	halves[0] = hash(halves[0], bytes, nr);
	halves[1] = hash(halves[1], bytes, nr);
	memcpy(import->source->uuid, halves, sizeof(halves));
	/* Version 8: custom. */
	import->source->uuid[6] = (uint8_t)((import->source->uuid[6] & 0x0fu) | 0x80u);
	import->source->uuid[8] = (uint8_t)((import->source->uuid[8] & 0x3fu) | 0x80u);
}

static int make_directories(struct xentrace_import *import, const char *raw_dir,
			    struct strata_error *error)
{
	if (strata_dir_make(&import->raw_dir, raw_dir, 0755, &import->made_raw_dir, error))
		return -1;
	if (strata_recording_is_in(&import->raw_dir)) {
		if (!import->options->force)
			return strata_fail(error,
					   "%s: already holds a recording (use --force, or another "
					   "-o)",
					   raw_dir);
		if (strata_recording_remove(&import->raw_dir, error))
			return -1;
	}
	if (!strata_dir_is_empty(&import->raw_dir, NULL))
		return strata_fail(error,
				   "%s: holds other files; a recording needs an empty "
				   "directory: name another with -o",
				   raw_dir);
	return strata_dir_sub(&import->streams_dir, &import->raw_dir, SOURCE_NAME, 0755, error);
}

static int set_up(struct xentrace_import *import, const char *path, const char *raw_dir,
		  struct strata_error *error)
{
	import->streams = calloc(STRATA_XENTRACE_CPU_MAX + 1, sizeof(import->streams[0]));
	import->source = strata_recording_add_source(&import->recording, SOURCE_NAME);
	if (!import->streams || !import->source)
		return strata_fail(error, "%s: out of memory", path);
	if (strata_source_number_events(import->source, error) ||
	    strata_source_limit_guests(import->source, error))
		return -1;
	import->source->layer = STRATA_LAYER_XEN;
	import->source->domain = DOMAIN_XEN;
	import->source->form = STRATA_HEADER_FULL;
	snprintf(import->source->domain_name, sizeof(import->source->domain_name), "xen");
	set_uuid(import);
	if (xentrace_set_frequency(import, path, error))
		return -1;
	return make_directories(import, raw_dir, error);
}

/* The stream of a CPU; NULL: out of memory. */
static struct strata_xentrace_stream *find_stream(struct xentrace_import *import, uint32_t cpu)
{
	struct strata_xentrace_stream *stream = import->streams[cpu];

	if (stream)
		return stream;
	stream = malloc(sizeof(*stream));
	if (!stream)
		return NULL;
	strata_xentrace_stream_init(stream, &import->streams_dir, import->source, cpu,
				    import->recording.tsc_khz);
	import->streams[cpu] = stream;
	if (import->nr_cpus <= cpu)
		import->nr_cpus = cpu + 1;
	import->report->pcpus++;
	return stream;
}

static void note_gap(struct xentrace_import *import)
{
	uint32_t cpu;

	for (cpu = 0; cpu < import->nr_cpus; cpu++) {
		if (import->streams[cpu])
			strata_xentrace_stream_gap(import->streams[cpu]);
	}
}

static int take_record(struct xentrace_import *import, const struct strata_xentrace_record *record,
		       struct strata_error *error)
{
	uint32_t id = record->event | record->words << STRATA_HV_ID_WORDS_SHIFT;
	struct strata_xentrace_stream *stream;
	const struct strata_event_shape *shape;

	if (record->event == STRATA_XENTRACE_WRAP_BUFFER) {
		import->report->wraps++;
		return 0;
	}
	stream = find_stream(import, record->cpu);
	if (!stream)
		return strata_fail(error, "out of memory");
	shape = strata_source_shape(import->source, id);
	if (!shape)
		shape = strata_source_place_event(import->source, id, stream->current.runs.domain);
	if (!shape)
		return strata_fail(error, "out of memory");
	import->report->nameless += shape->id != id;
	id = shape->id;
	strata_exits_note(&import->evidence, id,
			  record->words ? strata_xentrace_word(record, 0) : 0);
	return strata_xentrace_stream_add(stream, record, id, error);
}

static int take_all(struct xentrace_import *import, struct strata_error *error)
{
	struct strata_xentrace_record record;
	enum strata_xentrace_step step;
	uint64_t nr = 0;

	while ((step = strata_xentrace_next(&import->reader, &record))) {
		if (step == STRATA_XENTRACE_GAP)
			note_gap(import);
		else if (take_record(import, &record, error))
			return -1;
		if (++nr % PROGRESS_RECORDS == 0 && import->options->progress)
			import->options->progress(import->options->data, nr, import->reader.offset,
						  import->reader.size);
	}
	if (import->options->progress)
		import->options->progress(import->options->data, nr, import->reader.offset,
					  import->reader.size);
	return 0;
}

static void add_tally(struct strata_xentrace_tally *sum, const struct strata_xentrace_tally *tally)
{
	sum->events += tally->events;
	sum->lost += tally->lost;
	sum->untimed += tally->untimed;
	sum->timeless += tally->timeless;
	sum->steps_back += tally->steps_back;
	sum->outliers += tally->outliers;
	sum->unknown += tally->unknown;
}

static void note_span(struct xentrace_import *import, const struct strata_xentrace_stream *stream)
{
	struct strata_xentrace_report *report = import->report;

	if (!import->any_ticks || stream->first_ticks < report->first_ticks)
		report->first_ticks = stream->first_ticks;
	if (!import->any_ticks || stream->last_ticks > report->last_ticks)
		report->last_ticks = stream->last_ticks;
	import->any_ticks = true;
}

static int finish_streams(struct xentrace_import *import, struct strata_error *error)
{
	uint32_t cpu;

	for (cpu = 0; cpu < import->nr_cpus; cpu++) {
		struct strata_xentrace_stream *stream = import->streams[cpu];
		struct strata_stream *entry;

		if (!stream)
			continue;
		if (strata_xentrace_stream_finish(stream, error))
			return -1;
		add_tally(&import->report->tally, &stream->tally);
		import->report->contradictions += stream->current.contradictions;
		if (stream->packets == 0)
			continue;
		note_span(import, stream);
		entry = strata_source_add_stream(import->source, cpu);
		if (!entry)
			return strata_fail(error, "out of memory");
		entry->packets = stream->packets;
		entry->events = stream->tally.events;
		entry->lost = stream->lost;
	}
	return 0;
}

/* Fails if no record has a time. */
static int check_any(const struct xentrace_import *import, struct strata_error *error)
{
	if (import->source->nr_streams)
		return 0;
	return strata_fail(error, "%s: no record has a time, so nothing can be merged",
			   import->reader.path);
}

static int finish(struct xentrace_import *import, struct strata_error *error)
{
	if (finish_streams(import, error))
		return -1;
	import->report->bytes = import->reader.size;
	import->report->windows = import->reader.windows;
	import->report->bad_places = import->reader.bad_places;
	import->report->left_out_bytes = import->reader.left_out_bytes;
	if (check_any(import, error))
		return -1;
	xentrace_assume_rest(import);
	if (strata_ctf_metadata_save(&import->recording, import->source, &import->raw_dir, error))
		return -1;
	return strata_recording_save(&import->recording, &import->raw_dir, error);
}

/* Removes everything after a failure. */
static void remove_written(const struct xentrace_import *import, const char *raw_dir)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_error ignored;
	struct strata_dir parent;

	if (import->streams_dir.fd >= 0)
		strata_recording_remove_source(&import->raw_dir, SOURCE_NAME);
	if (!import->made_raw_dir || strata_dir_walk_beside(&parent, raw_dir, name, &ignored))
		return;
	unlinkat(parent.fd, name, AT_REMOVEDIR);
	strata_dir_close(&parent);
}

static void clear(struct xentrace_import *import)
{
	uint32_t cpu;

	for (cpu = 0; cpu < import->nr_cpus; cpu++) {
		if (!import->streams[cpu])
			continue;
		strata_xentrace_stream_clear(import->streams[cpu]);
		free(import->streams[cpu]);
	}
	free(import->streams);
	strata_dir_close(&import->streams_dir);
	strata_dir_close(&import->raw_dir);
	strata_recording_clear(&import->recording);
	strata_xentrace_close(&import->reader);
}

int strata_xentrace_import(const char *path, const char *raw_dir,
			   const struct strata_xentrace_options *options,
			   struct strata_xentrace_report *report, struct strata_error *error)
{
	static const struct strata_xentrace_options defaults;
	struct xentrace_import import = { .options = options ? options : &defaults,
					  .report = report,
					  .raw_dir = { .fd = -1 },
					  .streams_dir = { .fd = -1 } };
	int status = -1;

	memset(report, 0, sizeof(*report));
	if (strata_xentrace_open(&import.reader, path, import.options->complain,
				 import.options->data, error))
		return -1;
	if (set_up(&import, path, raw_dir, error) == 0 && take_all(&import, error) == 0 &&
	    finish(&import, error) == 0)
		status = 0;
	if (status)
		remove_written(&import, raw_dir);
	clear(&import);
	return status;
}
