// SPDX-License-Identifier: GPL-2.0-or-later
/* recover.c - see recover.h; cmd_recover.c calls it. */
#include "consumerd/recover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/rings/app_ring.h"
#include "consumerd/source_name.h"

/* Names the file that @error is about, which is left out. */
static void leave_out(struct recovery *recovery, const struct strata_error *error)
{
	char text[sizeof(error->text)];
	size_t i;

	/* In a directory that others can write to, a file's name may contain terminal control
	 * sequences. */
	memcpy(text, error->text, sizeof(text));
	for (i = 0; text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			text[i] = '?';
	recovery->left_out++;
	fprintf(stderr, "strata: left out: %s\n", text);
}

static struct recovered_stream *add_stream(struct recovery *recovery, size_t source, uint32_t cpu)
{
	struct recovered_stream *streams =
		reallocarray(recovery->streams, recovery->nr_streams + 1, sizeof(*streams));
	struct recovered_stream *stream;

	if (!streams)
		return NULL;
	recovery->streams = streams;
	stream = &streams[recovery->nr_streams++];
	memset(stream, 0, sizeof(*stream));
	stream->source = source;
	stream->cpu = cpu;
	return stream;
}

/* Moves a source of the old recording, except its streams, which follow.  0 or -1. */
static int move_source(struct recovery *recovery, struct strata_source *old, const char *from,
		       struct strata_error *error)
{
	struct strata_source *source =
		strata_recording_add_source(recorder_recording(recovery->recorder), old->name);
	struct strata_error why;

	if (!source)
		return strata_fail(error, "out of memory");
	/* The rings of an application describe its events, too. */
	if (strata_source_load_events(old, from, &why)) {
		strata_source_is_only_lost(old, &why);
		leave_out(recovery, &why);
	}
	*source = *old;
	source->streams = NULL;
	source->nr_streams = 0;
	old->events = NULL;
	old->nr_events = 0;
	old->shapes = NULL;
	old->by_number = NULL;
	old->numbers = NULL;
	return 0;
}

/* Adds events that the metadata lack: they came after the last save. */
static void add_events(struct strata_source *source, const struct ring_file *file)
{
	struct strata_error ignored;
	uint32_t i;

	if (!source->has_events)
		source->form = (enum strata_header_form)file->header.form;
	for (i = 0; i < file->header.nr_events; i++)
		if (!strata_source_shape(source, file->events[i].id))
			strata_source_add_event(source, &file->events[i], &ignored);
}

/* Checks that the recorder made this file for that source: another one's records would be taken for
 * its own.  0 or -1. */
static int check_source(const struct strata_source *source, const struct ring_file *file,
			struct strata_error *error)
{
	if (source->layer != STRATA_LAYER_APP)
		return strata_fail(error, "%s is not an application of the recording",
				   source->name);
	if (memcmp(source->uuid, file->header.uuid, sizeof(source->uuid)))
		return strata_fail(error,
				   "its rings are not those of %s in this recording: was it "
				   "renamed, or copied from another one? `strata recover FILE -o "
				   "DIR` recovers it alone",
				   source->name);
	return 0;
}

/* The source of an application's rings, by the name that the recorder gave their file. */
static int find_source(struct recovery *recovery, const struct ring_file *file, const char *name,
		       size_t *index, struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recovery->recorder);
	char clean[sizeof(recording->sources->name)];
	struct strata_source *source;

	for (*index = 0; *index < recording->nr_sources; ++*index)
		if (!strcmp(recording->sources[*index].name, name))
			return check_source(&recording->sources[*index], file, error);
	source_name(recording, (uint32_t)file->header.pid, name, clean, sizeof(clean));
	source = strata_recording_add_source(recording, clean);
	if (!source)
		return strata_fail(error, "out of memory");
	source->layer = STRATA_LAYER_APP;
	snprintf(source->domain_name, sizeof(source->domain_name), "%s", file->header.comm);
	memcpy(source->uuid, file->header.uuid, sizeof(source->uuid));
	source->since_ticks = source->came_ticks = file->header.came_ticks;
	source->pid = file->header.pid;
	source->uid = file->header.uid;
	source->form = (enum strata_header_form)file->header.form;
	source->migrates = file->header.mode != STRATA_APP_SINGLE_STORE;
	return 0;
}

/* Adds one ring after its stream. 0 or -1. */
static int add_ring(struct recovery *recovery, struct recovered_app *app, uint32_t cpu,
		    const char *from, struct strata_error *error)
{
	const struct ring_file_header *header = &app->file.header;
	struct ring *ring = &app->rings[cpu];
	struct recovered_stream *stream = add_stream(recovery, app->source, cpu);
	bool begins = app_ring_open(ring, header, cpu, app->file.rings + cpu * header->ring_bytes);

	if (!stream)
		return strata_fail(error, "out of memory");
	/* Nothing can be drained from an invalid ring, but its stream may contain packets. */
	ring->broken = !begins;
	if (recorder_add_ring(recovery->recorder, app->source, ring, RECORDER_WITH_PAST, error) ||
	    (from &&
	     recorder_take_over(recovery->recorder, app->source, cpu, from, &stream->taken, error)))
		return -1;
	stream->ring = ring;
	stream->noted = begins && app_ring_resume(ring, stream->taken.next_sequence);
	return 0;
}

static int is_ring_file(const struct dirent *entry)
{
	const char *suffix = strrchr(entry->d_name, '.');

	return suffix && suffix != entry->d_name && strcmp(suffix, RING_FILE_SUFFIX) == 0;
}

/* The source that a file of rings is named after. */
static void name_of(const char *path, char *name, size_t bytes)
{
	const char *last = strrchr(path, '/');
	size_t length, suffix = strlen(RING_FILE_SUFFIX);

	snprintf(name, bytes, "%s", last ? last + 1 : path);
	length = strlen(name);
	if (length > suffix && strcmp(name + length - suffix, RING_FILE_SUFFIX) == 0)
		name[length - suffix] = '\0';
}

/* Takes the clock of the dead recorder.  Saves it at once: if we are killed, the directory is a
 * recording, which the next one may replace.  0 or -1. */
static int set_clock(struct recovery *recovery, const struct ring_file_header *header,
		     struct strata_error *error)
{
	struct strata_recording *recording = recorder_recording(recovery->recorder);

	recording->tsc_khz = header->tsc_khz;
	recording->anchor_ticks = header->anchor_ticks;
	recording->anchor_realtime_ns = header->anchor_realtime_ns;
	return recorder_save(recovery->recorder, error);
}

/*
 * One file of rings.
 * @from: the directory of the recording that it belongs to; NULL: none
 * 0, also if the file is left out; or -1.
 */
static int add_app(struct recovery *recovery, const char *path, const char *from,
		   struct strata_error *error)
{
	struct recovered_app *apps =
		reallocarray(recovery->apps, recovery->nr_apps + 1, sizeof(*apps));
	struct recovered_app *app;
	struct strata_error why;
	char name[256];
	uint32_t cpu;

	if (!apps)
		return strata_fail(error, "out of memory");
	recovery->apps = apps;
	app = &apps[recovery->nr_apps];
	memset(app, 0, sizeof(*app));
	if (ring_file_load(&app->file, path, &why)) {
		if (!from)
			return strata_fail(error, "%s", why.text);
		leave_out(recovery, &why);
		return 0;
	}
	recovery->nr_apps++;
	app->rings = calloc(app->file.header.nr_rings, sizeof(*app->rings));
	if (!app->rings)
		return strata_fail(error, "out of memory");
	if (!from && set_clock(recovery, &app->file.header, error))
		return -1;
	name_of(path, name, sizeof(name));
	if (find_source(recovery, &app->file, name, &app->source, &why)) {
		strata_fail_in(&why, "%s", path);
		if (!from)
			return strata_fail(error, "%s", why.text);
		leave_out(recovery, &why);
		return 0;
	}
	add_events(&recorder_recording(recovery->recorder)->sources[app->source], &app->file);
	for (cpu = 0; cpu < app->file.header.nr_rings; cpu++)
		if (add_ring(recovery, app, cpu, from, error))
			return -1;
	return 0;
}

/* Handles an error (errno) in listing the files of rings. It is expected if none were made. */
static void note_unread(struct recovery *recovery, const char *dir)
{
	struct strata_error why;
	struct stat status;
	int reason = errno;

	if (lstat(dir, &status) && errno == ENOENT)
		return;
	strata_fail(
		&why,
		"%s: %s; events that were only in rings are not recovered: if these are in a separate directory (`ls -l` shows the link), mount it, and recover again",
		dir, strerror(reason));
	leave_out(recovery, &why);
}

/* Adds all files of rings of a recording, in a fixed order. 0 or -1. */
static int add_apps(struct recovery *recovery, const char *from, struct strata_error *error)
{
	struct dirent **entries;
	char dir[600], path[900];
	int nr, i, result = 0;

	snprintf(dir, sizeof(dir), "%s/" RING_FILE_DIR, from);
	nr = scandir(dir, &entries, is_ring_file, alphasort);
	if (nr < 0)
		note_unread(recovery, dir);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (!result)
			result = add_app(recovery, path, from, error);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return result;
}

/* Adds the written part of streams whose rings are gone.  0 or -1. */
static int add_streams(struct recovery *recovery, const struct strata_recording *old,
		       const char *from, struct strata_error *error)
{
	const struct strata_recording *recording = recorder_recording(recovery->recorder);
	size_t i, j;

	for (i = 0; i < old->nr_sources; i++) {
		for (j = 0; j < old->sources[i].nr_streams; j++) {
			uint32_t cpu = old->sources[i].streams[j].cpu;
			struct recovered_stream *stream;
			struct strata_stream *counts;

			/* It has a ring. */
			if (strata_source_stream(&recording->sources[i], cpu))
				continue;
			stream = add_stream(recovery, i, cpu);
			if (!stream)
				return strata_fail(error, "out of memory");
			if (recorder_take_over(recovery->recorder, i, cpu, from, &stream->taken,
					       error))
				return -1;
			/* Its packets tell its losses, if it has any. */
			counts = strata_source_stream(&recording->sources[i], cpu);
			if (!counts->packets)
				counts->lost = old->sources[i].streams[j].lost;
		}
	}
	return 0;
}

/* Copies the counts of packets that the dead recorder refused. */
static void copy_refusals(struct strata_recording *recording, const struct strata_recording *old)
{
	const struct strata_stream *stream;
	size_t i, j;

	for (i = 0; i < old->nr_sources; i++) {
		for (j = 0; j < old->sources[i].nr_streams; j++) {
			stream = &old->sources[i].streams[j];
			strata_source_stream(&recording->sources[i], stream->cpu)->bad_packets +=
				stream->bad_packets;
		}
	}
}

/* Opens a recording that is not in progress. Returns a descriptor whose lock keeps recorders away,
 * or -1. */
static int hold(const char *from, struct strata_error *error)
{
	int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return strata_fail(error, "%s: %s", from, strerror(errno));
	/* A file system without locks excludes no one. */
	if (!flock(fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
		return fd;
	close(fd);
	return strata_fail(
		error,
		"a recorder still writes to %s: end it with Ctrl-C or SIGINT, which completes its recording",
		from);
}

static void complain(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "strata: %s\n", message);
}

static int add_recording(struct recovery *recovery, const char *from, struct strata_error *error)
{
	struct ring_file_header clock = { 0 };
	struct strata_recording old;
	int result;
	size_t i;

	if (strata_recording_load(&old, from, error))
		return strata_fail_in(error,
				      "not a recording; a single file of rings is accepted, too");
	strata_recording_tell_faults(&old, complain, NULL);
	recovery->left_out += old.nr_faults > 0;
	clock.tsc_khz = old.tsc_khz;
	clock.anchor_ticks = old.anchor_ticks;
	clock.anchor_realtime_ns = old.anchor_realtime_ns;
	result = set_clock(recovery, &clock, error);
	memcpy(recorder_recording(recovery->recorder)->boot, old.boot, sizeof(old.boot));
	for (i = 0; i < old.nr_sources && !result; i++)
		result = move_source(recovery, &old.sources[i], from, error);
	if (!result)
		result = add_apps(recovery, from, error);
	/* Last: the streams above must keep their places, and an application's other streams are of
	 * higher CPUs than its rings. */
	if (!result)
		result = add_streams(recovery, &old, from, error);
	if (!result)
		copy_refusals(recorder_recording(recovery->recorder), &old);
	strata_recording_clear(&old);
	return result;
}

int recover(struct recovery *recovery, const char *from, const char *to, struct strata_error *error)
{
	struct stat status;
	int held = -1, result;

	memset(recovery, 0, sizeof(*recovery));
	if (stat(from, &status))
		return strata_fail(error,
				   "%s: %s; name the output directory of a recording, or a file of "
				   "rings",
				   from, strerror(errno));
	if (S_ISDIR(status.st_mode) && (held = hold(from, error)) < 0)
		return -1;
	recovery->recorder = recorder_open(to, OUTPUT_REPLACE, error);
	if (!recovery->recorder) {
		result = -1;
	} else if (held >= 0) {
		result = add_recording(recovery, from, error);
	} else {
		result = add_app(recovery, from, NULL, error);
	}
	if (held >= 0)
		close(held);
	return result;
}

void recover_release(struct recovery *recovery)
{
	size_t i;

	for (i = 0; i < recovery->nr_apps; i++) {
		ring_file_clear(&recovery->apps[i].file);
		free(recovery->apps[i].rings);
	}
	free(recovery->apps);
	free(recovery->streams);
}
