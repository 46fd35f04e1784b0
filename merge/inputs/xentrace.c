// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xentrace.c - see xentrace.h.  `strata merge` and `strata convert` call it for each
 * file of xentrace's that they are given.
 *
 * The file is read once, or twice if the frequency has to be found, and never held:
 * memory is what the packets of each CPU take that are not complete yet.
 */
#include "inputs/xentrace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <strata/clock.h>

#include "ctf_metadata.h"

#define SOURCE_NAME "xen"
#define DOMAIN_XEN  0x7ff2u

#define PROGRESS_RECORDS 65536u

struct import {
	const struct strata_xentrace_options *options;
	struct strata_xentrace_report *report;
	struct strata_xentrace_reader reader;
	struct strata_recording recording;
	struct strata_source *source;
	struct strata_exits_evidence evidence;
	struct strata_xentrace_stream **streams; /* by CPU; NULL: it has no records so far */
	char raw_dir[4096];
	char streams_dir[4096];
	bool made_raw_dir;
	bool made_streams_dir;
	bool any_ticks;
};

static void complain(const struct import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(const struct import *import, const char *format, ...)
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

static int set_frequency(struct import *import, const char *path, struct strata_error *error)
{
	struct strata_xentrace_frequency found;
	uint32_t told = import->options->tsc_khz;

	if (strata_xentrace_find_frequency(path, &found, error))
		return -1;
	if (!told && !found.tsc_khz)
		return strata_fail(
			error,
			"%s: how fast the host's time stamp counter runs is not in the "
			"file%s; say it with --tsc-khz KHZ: on that host `xl dmesg | grep "
			"MHz` shows it, as in \"Detected 2445.427 MHz processor\", and `xl "
			"debug-keys s; xl dmesg | tail` as khz= of its domains",
			path,
			found.contradicts ? ", as its CPUs' records contradict each other" : "");
	if (told && found.tsc_khz) {
		double apart = (double)told / found.tsc_khz - 1;

		if (apart < 0)
			apart = -apart;
		if (apart * 1e6 > found.error_ppm + STRATA_XENTRACE_PPM_MAX)
			complain(import,
				 "--tsc-khz says %u, but by the file's own records it is %u kHz "
				 "within %u ppm; %u is used",
				 told, found.tsc_khz, found.error_ppm, told);
	}
	import->report->tsc_khz = told ? told : found.tsc_khz;
	import->report->tsc_error_ppm = told ? 0 : found.error_ppm;
	import->recording.tsc_khz = import->report->tsc_khz;
	return 0;
}

/* Another hash for each half: a trace's UUID has to differ from other traces', and be the same
 * whenever the same file is read. */
static uint64_t hash(uint64_t state, const void *bytes, size_t nr)
{
	const uint8_t *at = bytes;
	size_t i;

	for (i = 0; i < nr; i++)
		state = (state ^ at[i]) * 0x100000001b3ull;
	return state ^ state >> 29;
}

static void set_uuid(struct import *import)
{
	const struct strata_xentrace_reader *reader = &import->reader;
	uint64_t halves[2] = { hash(0xcbf29ce484222325ull, &reader->size, sizeof(reader->size)),
			       hash(0x9e3779b97f4a7c15ull, &reader->size, sizeof(reader->size)) };
	size_t nr = 0;
	const uint8_t *bytes = strata_xentrace_beginning(reader, &nr);

	halves[0] = hash(halves[0], bytes, nr);
	halves[1] = hash(halves[1], bytes, nr);
	memcpy(import->source->uuid, halves, sizeof(halves));
	/* Version 8: of the maker's own making. */
	import->source->uuid[6] = (uint8_t)((import->source->uuid[6] & 0x0fu) | 0x80u);
	import->source->uuid[8] = (uint8_t)((import->source->uuid[8] & 0x3fu) | 0x80u);
}

static int make_directories(struct import *import, const char *raw_dir, struct strata_error *error)
{
	if (snprintf(import->raw_dir, sizeof(import->raw_dir), "%s", raw_dir) >=
		    (int)sizeof(import->raw_dir) ||
	    snprintf(import->streams_dir, sizeof(import->streams_dir), "%s/" SOURCE_NAME,
		     raw_dir) >= (int)sizeof(import->streams_dir))
		return strata_fail(error, "%.100s...: the path is too long", raw_dir);
	import->made_raw_dir = mkdir(raw_dir, 0755) == 0;
	if (!import->made_raw_dir && errno != EEXIST)
		return strata_fail(error, "%s: %s", raw_dir, strerror(errno));
	/* One that is there already is another recording's. */
	if (mkdir(import->streams_dir, 0755))
		return strata_fail(error, "%s: %s%s", import->streams_dir, strerror(errno),
				   errno == EEXIST ? "; a recording needs an empty directory" : "");
	import->made_streams_dir = true;
	return 0;
}

static int set_up(struct import *import, const char *path, const char *raw_dir,
		  struct strata_error *error)
{
	import->streams = calloc(STRATA_XENTRACE_CPU_MAX + 1, sizeof(import->streams[0]));
	import->source = strata_recording_add_source(&import->recording, SOURCE_NAME);
	if (!import->streams || !import->source)
		return strata_fail(error, "%s: out of memory", path);
	import->source->layer = STRATA_LAYER_XEN;
	import->source->domain = DOMAIN_XEN;
	import->source->form = STRATA_HEADER_FULL;
	snprintf(import->source->domain_name, sizeof(import->source->domain_name), "xen");
	set_uuid(import);
	if (set_frequency(import, path, error))
		return -1;
	return make_directories(import, raw_dir, error);
}

/* The stream of a CPU; NULL: out of memory. */
static struct strata_xentrace_stream *find_stream(struct import *import, uint32_t cpu)
{
	struct strata_xentrace_stream *stream = import->streams[cpu];

	if (stream)
		return stream;
	stream = malloc(sizeof(*stream));
	if (!stream)
		return NULL;
	strata_xentrace_stream_init(stream, import->streams_dir, import->source, cpu,
				    import->recording.tsc_khz);
	import->streams[cpu] = stream;
	import->report->pcpus++;
	return stream;
}

static void note_gap(struct import *import)
{
	uint32_t cpu;

	for (cpu = 0; cpu <= STRATA_XENTRACE_CPU_MAX; cpu++) {
		if (import->streams[cpu])
			strata_xentrace_stream_gap(import->streams[cpu]);
	}
}

static int take_record(struct import *import, const struct strata_xentrace_record *record,
		       struct strata_error *error)
{
	uint32_t id = record->event | record->words << STRATA_HV_ID_WORDS_SHIFT;
	struct strata_xentrace_stream *stream;

	if (record->event == STRATA_XENTRACE_WRAP_BUFFER) {
		import->report->wraps++;
		return 0;
	}
	stream = find_stream(import, record->cpu);
	if (!stream)
		return strata_fail(error, "out of memory");
	if (!strata_source_event(import->source, id)) {
		import->report->nameless++;
		return 0;
	}
	strata_exits_note(&import->evidence, id,
			  record->words ? strata_xentrace_word(record, 0) : 0);
	return strata_xentrace_stream_add(stream, record, id, error);
}

static int take_all(struct import *import, struct strata_error *error)
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

static void note_span(struct import *import, const struct strata_xentrace_stream *stream)
{
	struct strata_xentrace_report *report = import->report;

	if (!import->any_ticks || stream->first_ticks < report->first_ticks)
		report->first_ticks = stream->first_ticks;
	if (!import->any_ticks || stream->last_ticks > report->last_ticks)
		report->last_ticks = stream->last_ticks;
	import->any_ticks = true;
}

static int finish_streams(struct import *import, struct strata_error *error)
{
	uint32_t cpu;

	for (cpu = 0; cpu <= STRATA_XENTRACE_CPU_MAX; cpu++) {
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

/* Only a file without a single time has none. */
static int check_any(const struct import *import, struct strata_error *error)
{
	if (import->source->nr_streams)
		return 0;
	return strata_fail(error, "%s: no record of it has a time; nothing can be merged",
			   import->reader.path);
}

static void set_anchor(struct import *import)
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

static void set_exits(struct import *import)
{
	enum strata_exits seen = strata_exits_judge(&import->evidence);
	enum strata_exits told = import->options->exits;

	if (told != STRATA_EXITS_UNKNOWN && seen != STRATA_EXITS_UNKNOWN && told != seen)
		complain(import,
			 "VM exits are said to be %s's, but by the records they are %s's; "
			 "the former is used",
			 strata_exits_name(told), strata_exits_name(seen));
	import->source->exits = told != STRATA_EXITS_UNKNOWN ? told : seen;
	import->report->exits = import->source->exits;
}

/* What a user must know who sees the times. */
static void say_what_is_assumed(const struct import *import)
{
	const struct strata_xentrace_report *report = import->report;

	if (report->anchor_guessed)
		complain(import,
			 "no date is in the file: its time of modification is taken as that "
			 "of the last record, which may be off by any amount; --anchor tells "
			 "the true one");
	if (report->tsc_error_ppm)
		complain(import, "the host's counter runs at %u kHz within %u ppm, by the records",
			 report->tsc_khz, report->tsc_error_ppm);
	if (report->tally.outliers)
		complain(import, "%llu times were over an hour ahead of those around them; held",
			 (unsigned long long)report->tally.outliers);
	if (report->tally.steps_back)
		complain(import, "time goes back %llu times within a CPU's records",
			 (unsigned long long)report->tally.steps_back);
	if (report->tally.timeless)
		complain(import,
			 "%llu records are left out: no record of their CPU has a time that "
			 "could be theirs",
			 (unsigned long long)report->tally.timeless);
	if (report->nameless)
		complain(import, "%llu records are left out: there are over %u kinds of them",
			 (unsigned long long)report->nameless, STRATA_SOURCE_EVENTS_MAX);
}

static int finish(struct import *import, struct strata_error *error)
{
	if (finish_streams(import, error))
		return -1;
	import->report->bytes = import->reader.size;
	import->report->windows = import->reader.windows;
	import->report->bad_places = import->reader.bad_places;
	import->report->left_out_bytes = import->reader.left_out_bytes;
	if (check_any(import, error))
		return -1;
	set_anchor(import);
	set_exits(import);
	say_what_is_assumed(import);
	if (strata_ctf_metadata_save(&import->recording, import->source, import->raw_dir, error))
		return -1;
	return strata_recording_save(&import->recording, import->raw_dir, error);
}

/* After a failure: nothing that looks like a recording may stay. */
static void remove_written(const struct import *import)
{
	char path[sizeof(import->streams_dir) + 32];
	uint32_t cpu;

	if (!import->made_streams_dir)
		return;
	for (cpu = 0; cpu <= STRATA_XENTRACE_CPU_MAX; cpu++) {
		if (!import->streams[cpu] || !import->streams[cpu]->created)
			continue;
		snprintf(path, sizeof(path), "%s/cpu_%u", import->streams_dir, cpu);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/metadata", import->streams_dir);
	unlink(path);
	rmdir(import->streams_dir);
	if (import->made_raw_dir)
		rmdir(import->raw_dir);
}

static void clear(struct import *import)
{
	uint32_t cpu;

	for (cpu = 0; import->streams && cpu <= STRATA_XENTRACE_CPU_MAX; cpu++) {
		if (!import->streams[cpu])
			continue;
		strata_xentrace_stream_clear(import->streams[cpu]);
		free(import->streams[cpu]);
	}
	free(import->streams);
	strata_recording_clear(&import->recording);
	strata_xentrace_close(&import->reader);
}

int strata_xentrace_import(const char *path, const char *raw_dir,
			   const struct strata_xentrace_options *options,
			   struct strata_xentrace_report *report, struct strata_error *error)
{
	static const struct strata_xentrace_options defaults;
	struct import import = { .options = options ? options : &defaults, .report = report };
	int status = -1;

	memset(report, 0, sizeof(*report));
	if (strata_xentrace_open(&import.reader, path, import.options->complain,
				 import.options->data, error))
		return -1;
	if (set_up(&import, path, raw_dir, error) == 0 && take_all(&import, error) == 0 &&
	    finish(&import, error) == 0)
		status = 0;
	if (status)
		remove_written(&import);
	clear(&import);
	return status;
}
