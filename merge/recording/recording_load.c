// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_load.c - reads recording.json, a hostile file.  Each source is parsed by itself
 * (recording_split.h): one that cannot be read is left out with its reason, and the others are
 * loaded.
 */
#include "recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/recording_format.h"
#include "base/escape.h"
#include "base/json_members.h"
#include "recording/recording_load_source.h"
#include "recording/recording_split.h"
#include "files/safe_dir.h"

/* Removes the last source. */
static void drop_last(struct strata_recording *recording)
{
	struct strata_source *source = &recording->sources[--recording->nr_sources];

	strata_source_clear(source);
	memset(source, 0, sizeof(*source));
}

static int add_vacant(struct strata_recording *recording, struct strata_error *error)
{
	struct strata_source *source = strata_recording_add_source(recording, "");

	if (!source)
		return strata_fail(error, "out of memory");
	source->vacant = true;
	source->layer = STRATA_LAYER_APP;
	return 0;
}

/* Loads a source from its part of the text, whose last byte may be changed. 1; 0: vacant; -1. */
static int add_source(struct recording_load *load, char *text, size_t length, size_t index,
		      struct strata_error *error)
{
	struct strata_recording *recording = load->recording;
	struct json_object *entry = NULL;
	struct strata_source *source;
	char name[sizeof(source->name)];
	const char behind = text[length];
	int status;

	text[length] = '\0';
	status = strata_json_parse_value(text, -1, &entry, error);
	text[length] = behind;
	if (!status && !entry)
		return 0;
	source = status ? NULL : strata_recording_add_source(recording, "");
	if (!status && !source)
		status = strata_fail(error, "out of memory");
	else if (!status)
		status = recording_load_source(load, source, entry, error);
	json_object_put(entry);
	if (!status) {
		load->nr_streams += source->nr_streams;
		return 1;
	}
	snprintf(name, sizeof(name), "%s", source ? source->name : "");
	if (source)
		drop_last(recording);
	return strata_fail_in(error, "source %zu%s%s", index, *name ? " " : "", name);
}

/* Notes that a source is left out, and why. */
static void note_fault(struct strata_recording *recording, const char *path,
		       const struct strata_error *why)
{
	if (recording->nr_faults < STRATA_FAULTS_NAMED)
		strata_fail(&recording->faults[recording->nr_faults], "%s: %s; it is left out",
			    path, why->text);
	recording->nr_faults++;
}

static int load_sources(struct strata_recording *recording, const char *path, char *text,
			const struct recording_split *split, bool keep_places,
			struct strata_error *error)
{
	struct recording_load load = { .recording = recording };
	size_t i, loaded = 0;

	for (i = 0; i < split->nr_sources; i++) {
		const struct recording_part *part = &split->sources[i];
		struct strata_error why = { "" };
		int result =
			add_source(&load, text + part->begin, part->end - part->begin, i, &why);

		loaded += result > 0;
		if (result < 0)
			note_fault(recording, path, &why);
		if (result < 0 && recording->nr_faults == 1)
			*error = why;
		if (result <= 0 && keep_places && add_vacant(recording, error))
			return -1;
	}
	/* If no source can be read, it is not a recording. */
	return recording->nr_faults && !loaded ? -1 : 0;
}

/* Loads everything except the sources. */
static int load_head(struct strata_recording *recording, struct json_object *root,
		     struct strata_error *error)
{
	struct json_object *sources;
	char format[32], boot[STRATA_UUID_TEXT_BYTES] = "";
	uint64_t version, tsc_khz;

	if (!json_object_is_type(root, json_type_object))
		return strata_fail(error, "not a JSON object");
	if (strata_json_text(root, "format", format, sizeof(format), error) ||
	    strcmp(format, STRATA_RECORDING_FORMAT) != 0)
		return strata_fail(error, "\"format\" is not \"%s\"", STRATA_RECORDING_FORMAT);
	if (strata_json_u64(root, "version", UINT32_MAX, &version, error))
		return -1;
	if (version < STRATA_RECORDING_OLDEST || version > STRATA_RECORDING_VERSION)
		return strata_fail(error,
				   "version %llu; this program reads versions %d to %d: read it "
				   "with the strata that recorded it",
				   (unsigned long long)version, STRATA_RECORDING_OLDEST,
				   STRATA_RECORDING_VERSION);
	if (strata_json_u64(root, "tsc_khz", 100000000, &tsc_khz, error) ||
	    strata_json_u64(root, "anchor_ticks", UINT64_MAX, &recording->anchor_ticks, error) ||
	    strata_json_u64(root, "anchor_realtime_ns", INT64_MAX, &recording->anchor_realtime_ns,
			    error) ||
	    strata_json_array(root, "sources", 0, &sources, error))
		return -1;
	if (tsc_khz == 0)
		return strata_fail(error, "\"tsc_khz\" is 0");
	if (strata_json_has(root, "ended_ticks") &&
	    strata_json_u64(root, "ended_ticks", UINT64_MAX, &recording->ended_ticks, error))
		return -1;
	if (strata_json_has(root, "boot") &&
	    strata_json_text(root, "boot", boot, sizeof(boot), error))
		return -1;
	if (boot[0] && !strata_uuid_parse(recording->boot, boot))
		return strata_fail(error, "\"boot\" is not a UUID");
	recording->tsc_khz = (uint32_t)tsc_khz;
	return 0;
}

/* Loads the text of a file; @text may be changed. 0 or -1. */
static int load_text(struct strata_recording *recording, const char *path, char *text,
		     size_t length, bool keep_places, struct strata_error *error)
{
	struct json_object *root = NULL;
	struct recording_split split;
	char *head = NULL;
	size_t rest;
	int status;

	if (!recording_split(&split, text, length, STRATA_SOURCES_MAX)) {
		recording_split_clear(&split);
		return strata_fail(error, "\"sources\" has over %u entries", STRATA_SOURCES_MAX);
	}
	/* The same text with an empty list of sources. */
	rest = length - split.list.end;
	head = malloc(split.list.begin + rest + 1);
	if (head) {
		memcpy(head, text, split.list.begin);
		memcpy(head + split.list.begin, text + split.list.end, rest);
		head[split.list.begin + rest] = '\0';
		status =
			strata_json_parse_value(head, (int)(split.list.begin + rest), &root, error);
	} else {
		status = strata_fail(error, "out of memory");
	}
	if (!status)
		status = load_head(recording, root, error);
	json_object_put(root);
	free(head);
	if (!status)
		status = load_sources(recording, path, text, &split, keep_places, error);
	recording_split_clear(&split);
	return status;
}

/* Reads the whole file and closes it; NULL with the reason.  @length: OUT. */
static char *read_file(int fd, const char *path, size_t *length, struct strata_error *error)
{
	struct stat status;
	char *text = NULL;
	ssize_t got;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size > STRATA_RECORDING_BYTES_MAX) {
		strata_fail(error, "%s: not a file of at most %ld bytes", path,
			    STRATA_RECORDING_BYTES_MAX);
		goto out;
	}
	text = malloc((size_t)status.st_size + 1);
	if (!text) {
		strata_fail(error, "%s: out of memory", path);
		goto out;
	}
	for (*length = 0; *length < (size_t)status.st_size; *length += (size_t)got) {
		got = read(fd, text + *length, (size_t)status.st_size - *length);
		if (got <= 0)
			break;
	}
	text[*length] = '\0';
out:
	close(fd);
	return text;
}

/* @at: a file descriptor of the directory; -1: open @dir. Returns 0 or -1. */
static int load(struct strata_recording *recording, int at, const char *dir, bool keep_places,
		struct strata_error *error)
{
	char path[PATH_MAX];
	char *text;
	size_t length;
	int status, fd;

	memset(recording, 0, sizeof(*recording));
	if (snprintf(path, sizeof(path), "%s/%s", dir, STRATA_RECORDING_FILE) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", dir);
	fd = openat(at < 0 ? AT_FDCWD : at, at < 0 ? path : STRATA_RECORDING_FILE,
		    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return strata_fail(error, "%s: %s", path,
				   errno == ELOOP ? "must not be a link" : strerror(errno));
	text = read_file(fd, path, &length, error);
	if (!text)
		return -1;
	status = load_text(recording, path, text, length, keep_places, error);
	if (status) {
		strata_fail_in(error, "%s", path);
		strata_recording_clear(recording);
	}
	free(text);
	return status;
}

int strata_recording_load(struct strata_recording *recording, const char *dir,
			  struct strata_error *error)
{
	return load(recording, -1, dir, false, error);
}

int strata_recording_load_places(struct strata_recording *recording, const char *dir,
				 struct strata_error *error)
{
	return load(recording, -1, dir, true, error);
}

void strata_recording_tell_faults(const struct strata_recording *recording,
				  strata_complain_fn *complain, void *data)
{
	char more[80];
	size_t i;

	for (i = 0; complain && i < recording->nr_faults && i < STRATA_FAULTS_NAMED; i++)
		complain(data, recording->faults[i].text);
	if (!complain || recording->nr_faults <= STRATA_FAULTS_NAMED)
		return;
	snprintf(more, sizeof(more), "%zu more sources are left out",
		 recording->nr_faults - STRATA_FAULTS_NAMED);
	complain(data, more);
}

int strata_recording_load_in(struct strata_recording *recording, const struct strata_dir *dir,
			     struct strata_error *error)
{
	return load(recording, dir->fd, dir->path, false, error);
}
