// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_recover.c - `strata recover`: makes a recording from the files of a killed recorder.
 *
 * Reads the command line, makes the recording beside its final place (recover.c), moves it there
 * when it is complete, and reports its contents and what is unknown.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumerd/rings/app_ring.h"
#include "base/exit_status.h"
#include "strata/commands.h"
#include "stratad/listing/list_json.h"
#include "strata/verb_reply.h"
#include "consumerd/host/file_limit.h"
#include "consumerd/output_dir.h"
#include "strata/output_options.h"
#include "outputs/figures_json.h"
#include "recording/recording_remove.h"
#include "consumerd/recover.h"

#define SUFFIX         "-recovered"
#define PARTIAL_SUFFIX ".partial"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata recover PATH [-o DIR] [--force] [--json]\n"
		"Makes a recording from what a killed recorder left. PATH is its output directory, or a\n"
		"file of rings (`strata record --app-memory file`).\n\n"
		"  -o, --output DIR  output directory (default: PATH" SUFFIX ")\n"
		"      --force       replaces an existing recording once the new one is complete\n"
		"      --json        prints the result as JSON: status, output, events, lost, sources,\n"
		"                    holes\n\n"
		"Recovers all written packets, up to the last whole one, and every committed record in\n"
		"files of rings, in each packet up to the first record that was not committed. For each\n"
		"packet it tells how many bytes after that are unknown. PATH is not changed, so recovery can\n"
		"be repeated with the same result; remove PATH when `strata merge DIR` shows what you need.\n"
		"Rings of Xen, of kernels, and of applications in other memory cannot be recovered, only\n"
		"what was written of them.\n\n"
		"Status: 0 all was recovered, 1 failed, 2 wrong usage, 3 recovered, but something named on\n"
		"stderr was left out.\n");
}

/* The final name of the recording and its temporary name, in the same directory. */
struct place {
	const char *to;
	struct strata_dir parent;
	char name[STRATA_DIR_NAME_BYTES];
	char partial_name[STRATA_DIR_NAME_BYTES];
	char partial[PATH_MAX];
	bool force;
};

/* Checks whether the existing directory may be replaced. Returns 0 or -1. */
static int check_there(const struct place *place, const struct strata_dir *there,
		       struct strata_error *error)
{
	if (ring_file_any(there))
		return strata_fail(error,
				   "%s contains rings of a recorder that died; name "
				   "another directory with --output",
				   place->to);
	if (flock(there->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return strata_fail(error,
				   "%s is being recorded into; name another directory with "
				   "--output",
				   place->to);
	/* An empty directory may be replaced. */
	if (!unlinkat(place->parent.fd, place->name, AT_REMOVEDIR))
		return 0;
	if (!strata_recording_is_in(there))
		return strata_fail(error,
				   "%s is not empty and contains no recording; name another "
				   "directory with --output",
				   place->to);
	if (place->force)
		return 0;
	return strata_fail(error, "%s: already holds a recording (use --force, or another -o)",
			   place->to);
}

/* Chooses the place of the recording: unused, empty, or an older recording that no recorder writes.
 * Returns 0 or -1; the caller closes the parent directory. */
static int choose_place(struct place *place, const char *from, struct strata_error *error)
{
	struct stat one, other;
	struct strata_dir there;
	int result;

	/* Renaming would replace the link, not its target. */
	if (!lstat(place->to, &one) && S_ISLNK(one.st_mode))
		return strata_fail(error, "%s is a link; name the directory itself with --output",
				   place->to);
	if (strata_dir_walk_beside(&place->parent, place->to, place->name, error))
		return -1;
	if (snprintf(place->partial, sizeof(place->partial), "%s" PARTIAL_SUFFIX, place->to) >=
		    (int)sizeof(place->partial) ||
	    snprintf(place->partial_name, sizeof(place->partial_name), "%s" PARTIAL_SUFFIX,
		     place->name) >= (int)sizeof(place->partial_name))
		return strata_fail(error, "the name of the output directory is too long");
	if (!strata_dir_has(&place->parent, place->name))
		return 0;
	if (strata_dir_open(&there, place->to, error))
		return -1;
	if (!fstat(there.fd, &one) && !stat(from, &other) && one.st_dev == other.st_dev &&
	    one.st_ino == other.st_ino)
		result = strata_fail(error,
				     "%s is the recording to recover; name another directory with "
				     "--output",
				     place->to);
	else
		result = check_there(place, &there, error);
	strata_dir_close(&there);
	return result;
}

/* Removes the recording's own files, and nothing else. */
static void remove_partial(const struct place *place)
{
	struct strata_error ignored;
	struct strata_dir partial;

	if (!strata_dir_find(&partial, &place->parent, place->partial_name))
		return;
	strata_recording_remove(&partial, &ignored);
	strata_dir_close(&partial);
	if (unlinkat(place->parent.fd, place->partial_name, AT_REMOVEDIR))
		fprintf(stderr,
			"strata: %s: files that do not belong to the older recording "
			"were moved here\n",
			place->partial);
}

/* Gives the recording its final name, if nothing has it.  0, or -1 with errno. */
static int rename_to_free(const struct place *place)
{
	const int parent = place->parent.fd;

	if (!renameat2(parent, place->partial_name, parent, place->name, RENAME_NOREPLACE))
		return 0;
	/* Some file systems (9p) know no such flag.  Without it, a directory replaces only an empty
	 * one. */
	return errno == EINVAL ? renameat(parent, place->partial_name, parent, place->name) : -1;
}

/* Moves the recording to its place; an existing one is removed only then. Returns 0 or -1. */
static int put_in_place(const struct place *place, struct strata_error *error)
{
	const int parent = place->parent.fd;

	if (!rename_to_free(place))
		return 0;
	if (!place->force || (errno != EEXIST && errno != ENOTEMPTY) ||
	    renameat2(parent, place->partial_name, parent, place->name, RENAME_EXCHANGE))
		return strata_fail(error, "%s: %s; the recovered recording is in %s", place->to,
				   strerror(errno), place->partial);
	remove_partial(place);
	return 0;
}

static void print_hole(const char *source, uint32_t cpu, const struct app_ring_hole *hole)
{
	printf("Unknown:  %s CPU %u, packet %" PRIu64 ": ", source, cpu, hole->sequence);
	if (hole->reserved)
		printf("%u bytes reserved but not committed at byte %u", hole->reserved, hole->at);
	else
		printf("unknown from byte %u on", hole->at);
	if (hole->behind)
		printf("; %s%u reserved bytes after it%s", hole->is_left ? "up to " : "",
		       hole->behind, hole->is_left ? ", the packet's padding included" : "");
	printf("\n");
}

static struct json_object *hole_to_json(const char *source, uint32_t cpu,
					const struct app_ring_hole *hole)
{
	struct json_object *object = json_object_new_object();

	list_json_text(object, "source", source);
	strata_json_add_u64(object, "cpu", cpu);
	strata_json_add_u64(object, "packet", hole->sequence);
	strata_json_add_u64(object, "at", hole->at);
	strata_json_add_u64(object, "reserved", hole->reserved);
	strata_json_add_u64(object, "behind", hole->behind);
	json_object_object_add(object, "behind_is_limit", json_object_new_boolean(hole->is_left));
	return object;
}

/* To be called before the rings are drained: reports the records that their writers did not
 * complete.  @reply: NULL: prints them */
static void report_holes(const struct recovery *recovery, struct json_object *reply)
{
	struct json_object *holes = reply ? list_json_array(reply, "holes") : NULL;
	const struct strata_recording *recording = recorder_recording(recovery->recorder);
	struct app_ring_hole hole;
	unsigned int turn;
	size_t i;

	for (i = 0; i < recovery->nr_streams; i++) {
		const struct recovered_stream *stream = &recovery->streams[i];
		const char *name = recording->sources[stream->source].name;

		turn = 0;
		while (stream->ring && !stream->ring->broken &&
		       app_ring_next_hole(stream->ring, &turn, &hole)) {
			if (holes)
				json_object_array_add(holes,
						      hole_to_json(name, stream->cpu, &hole));
			else
				print_hole(name, stream->cpu, &hole);
		}
	}
}

/* Where a source's events came from. */
struct origin {
	uint64_t written;
	bool in_reach;
};

/* Finds the origin of each source's events; the caller frees the result. NULL: out of memory. */
static struct origin *find_origins(const struct recovery *recovery,
				   const struct strata_recording *made)
{
	struct origin *origins = calloc(made->nr_sources + 1, sizeof(*origins));
	size_t i;

	for (i = 0; origins && i < recovery->nr_streams; i++) {
		const struct recovered_stream *stream = &recovery->streams[i];

		if (!strata_source_stream(&made->sources[stream->source], stream->cpu))
			continue;
		origins[stream->source].written += stream->taken.events;
		origins[stream->source].in_reach |= stream->ring != NULL;
	}
	return origins;
}

/* The events of a source in the recovered recording. */
struct recovered_source {
	const char *name;
	uint64_t events, lost;
	const struct origin *origin;
};

static void print_source(const struct recovered_source *source)
{
	printf("Source:   %s: %" PRIu64 " events were written, ", source->name,
	       source->origin->written);
	if (source->origin->in_reach)
		printf("%" PRIu64 " more were in its rings",
		       source->events - source->origin->written);
	else
		printf("its rings cannot be read");
	printf("; %" PRIu64 " lost\n", source->lost);
}

static struct json_object *source_to_json(const struct recovered_source *source)
{
	struct json_object *object = json_object_new_object();

	list_json_text(object, "source", source->name);
	strata_json_add_u64(object, "written", source->origin->written);
	if (source->origin->in_reach)
		strata_json_add_u64(object, "recovered", source->events - source->origin->written);
	else
		json_object_object_add(object, "recovered", NULL);
	strata_json_add_u64(object, "lost", source->lost);
	return object;
}

/* Reports the number of events of each source, and their origin, and the total.
 * @reply: NULL: prints them */
static void report_sources(const struct strata_recording *made, const struct origin *origins,
			   struct json_object *reply)
{
	struct json_object *sources = reply ? list_json_array(reply, "sources") : NULL;
	uint64_t events = 0, lost = 0;
	size_t i, j;

	for (i = 0; i < made->nr_sources; i++) {
		const struct strata_source *source = &made->sources[i];
		struct recovered_source recovered = { .name = source->name, .origin = &origins[i] };

		for (j = 0; j < source->nr_streams; j++) {
			recovered.events += source->streams[j].events;
			recovered.lost += source->streams[j].lost;
		}
		if (sources)
			json_object_array_add(sources, source_to_json(&recovered));
		else
			print_source(&recovered);
		events += recovered.events;
		lost += recovered.lost;
	}
	if (reply) {
		strata_json_add_u64(reply, "events", events);
		strata_json_add_u64(reply, "lost", lost);
	} else {
		printf("Events:   %" PRIu64 "\n", events);
	}
}

/* Counts impossible contents, and reports those that were not reported yet. */
static void judge_streams(struct recovery *recovery, const struct strata_recording *made)
{
	size_t i;

	for (i = 0; i < recovery->nr_streams; i++) {
		const struct recovered_stream *stream = &recovery->streams[i];
		const char *name = made->sources[stream->source].name;

		if (stream->ring && !stream->ring->broken && !stream->noted) {
			fprintf(stderr,
				"strata: %s: ring of CPU %u does not tell its position in the "
				"stream: the last written events may appear twice\n",
				name, stream->cpu);
			recovery->left_out++;
		}
		/* The packet that was being written at the torn end is still in its ring. */
		if (stream->ring ? stream->taken.missing || stream->ring->broken
				 : stream->taken.bad || stream->taken.missing)
			recovery->left_out++;
	}
}

/* @reply: gets the figures; NULL: prints them.  0 or -1. */
static int finish(struct recovery *recovery, const struct place *place, struct json_object *reply,
		  struct strata_error *error)
{
	struct strata_recording made;
	struct recorder_totals totals;
	struct recorder *recorder = recovery->recorder;
	struct origin *origins;

	report_holes(recovery, reply);
	recovery->recorder = NULL;
	if (recorder_close(recorder, &totals, error)) {
		remove_partial(place);
		return -1;
	}
	if (totals.was_full) {
		remove_partial(place);
		return strata_fail(error,
				   "the disk is full; make room, or name a directory on another "
				   "one with --output");
	}
	recovery->left_out += totals.bad_packets > 0;
	if (strata_recording_load(&made, place->partial, error))
		return -1;
	judge_streams(recovery, &made);
	origins = find_origins(recovery, &made);
	if (origins)
		report_sources(&made, origins, reply);
	free(origins);
	strata_recording_clear(&made);
	if (!origins)
		return strata_fail(error, "out of memory");
	if (put_in_place(place, error))
		return -1;
	if (reply)
		list_json_text(reply, "output", place->to);
	else
		printf("Recorded: %s (`strata merge %s -o OUT` makes a timeline of it)\n",
		       place->to, place->to);
	return 0;
}

static int recover_to(const char *from, const char *to, bool force, bool json)
{
	struct json_object *reply = json ? verb_reply_new(STRATA_STATUS_OK, NULL) : NULL;
	struct place place = { .to = to, .parent.fd = -1, .force = force };
	struct strata_error error = { "" };
	struct recovery recovery = { 0 };
	int status = STRATA_STATUS_OK;

	if (!choose_place(&place, from, &error) && !recover(&recovery, from, place.partial, &error))
		finish(&recovery, &place, reply, &error);
	if (error.text[0])
		strata_fail_in(&error, "recover");
	else if (recovery.left_out)
		status = STRATA_STATUS_PARTIAL;
	if (recovery.recorder) {
		recorder_abandon(recovery.recorder);
		remove_partial(&place);
	}
	recover_release(&recovery);
	strata_dir_close(&place.parent);
	if (error.text[0]) {
		json_object_put(reply);
		return verb_reply_end(json, STRATA_STATUS_FAILED, error.text);
	}
	if (!reply)
		return status;
	json_object_object_add(reply, "status", json_object_new_int(status));
	return verb_reply_print(reply);
}

/* Returns the length of a path without its trailing slashes. */
static size_t length_of(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return length;
}

int strata_cmd_recover(int argc, char **argv)
{
	struct output_options options = { .output = NULL };
	int status = output_options_read(argc, argv, "recover", usage, &options);
	char place[PATH_MAX];
	const char *from;
	size_t length;

	if (status != OUTPUT_OPTIONS_GO_ON)
		return status;
	if (optind + 1 != argc) {
		fprintf(stderr, "strata: name one recording, or one file of rings; see `strata "
				"recover --help`\n");
		return STRATA_STATUS_USAGE;
	}
	from = argv[optind];
	length = length_of(from);
	/* "/", "." and ".." have no sibling directory. */
	if (options.output ? !options.output[0] : !length || strchr("/.", from[length - 1])) {
		fprintf(stderr, "strata: name the output directory with --output\n");
		return STRATA_STATUS_USAGE;
	}
	if (options.output)
		snprintf(place, sizeof(place), "%.*s", (int)length_of(options.output),
			 options.output);
	else
		snprintf(place, sizeof(place), "%.*s" SUFFIX, (int)length, from);
	/* A file for each stream. */
	file_limit_raise();
	return recover_to(from, place, options.force, options.json);
}
