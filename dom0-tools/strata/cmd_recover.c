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
#include "consumerd/host/file_limit.h"
#include "consumerd/output_dir.h"
#include "strata/output_options.h"
#include "recording/recording_remove.h"
#include "consumerd/recover.h"

#define SUFFIX         "-recovered"
#define PARTIAL_SUFFIX ".partial"

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata recover PATH [-o DIR] [--force]\n"
		"Makes a recording from what a killed recorder left. PATH is its output directory, or a\n"
		"file of rings (`strata record --app-memory file`).\n\n"
		"  -o, --output DIR  output directory (default: PATH" SUFFIX ")\n"
		"      --force       replaces an existing recording once the new one is complete\n\n"
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

/* To be called before the rings are drained: prints the records that their writers did not
 * complete. */
static void print_holes(const struct recovery *recovery)
{
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
			printf("Unknown:  %s CPU %u, packet %" PRIu64 ": ", name, stream->cpu,
			       hole.sequence);
			if (hole.reserved)
				printf("%u bytes reserved but not committed at byte %u",
				       hole.reserved, hole.at);
			else
				printf("unknown from byte %u on", hole.at);
			if (hole.behind)
				printf("; %s%u reserved bytes after it%s",
				       hole.is_left ? "up to " : "", hole.behind,
				       hole.is_left ? ", the packet's padding included" : "");
			printf("\n");
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

/* Prints the number of events of each source, and their origin. Returns the total. */
static uint64_t print_sources(const struct strata_recording *made, const struct origin *origins)
{
	uint64_t events, lost, total = 0;
	size_t i, j;

	for (i = 0; i < made->nr_sources; i++) {
		const struct strata_source *source = &made->sources[i];

		events = lost = 0;
		for (j = 0; j < source->nr_streams; j++) {
			events += source->streams[j].events;
			lost += source->streams[j].lost;
		}
		printf("Source:   %s: %" PRIu64 " events were written, ", source->name,
		       origins[i].written);
		if (origins[i].in_reach)
			printf("%" PRIu64 " more were in its rings", events - origins[i].written);
		else
			printf("its rings cannot be read");
		printf("; %" PRIu64 " lost\n", lost);
		total += events;
	}
	return total;
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

static int finish(struct recovery *recovery, const struct place *place, struct strata_error *error)
{
	struct strata_recording made;
	struct recorder_totals totals;
	struct recorder *recorder = recovery->recorder;
	struct origin *origins;

	print_holes(recovery);
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
		printf("Events:   %" PRIu64 "\n", print_sources(&made, origins));
	free(origins);
	strata_recording_clear(&made);
	if (!origins)
		return strata_fail(error, "out of memory");
	if (put_in_place(place, error))
		return -1;
	printf("Recorded: %s (`strata merge %s -o OUT` makes a timeline of it)\n", place->to,
	       place->to);
	return 0;
}

static int recover_to(const char *from, const char *to, bool force)
{
	struct place place = { .to = to, .parent.fd = -1, .force = force };
	struct strata_error error = { "" };
	struct recovery recovery = { 0 };
	int status = STRATA_STATUS_OK;

	if (!choose_place(&place, from, &error) && !recover(&recovery, from, place.partial, &error))
		finish(&recovery, &place, &error);
	if (error.text[0]) {
		fprintf(stderr, "strata: recover: %s\n", error.text);
		status = STRATA_STATUS_FAILED;
	} else if (recovery.left_out) {
		status = STRATA_STATUS_PARTIAL;
	}
	if (recovery.recorder) {
		recorder_abandon(recovery.recorder);
		remove_partial(&place);
	}
	recover_release(&recovery);
	strata_dir_close(&place.parent);
	return status;
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
	return recover_to(from, place, options.force);
}
