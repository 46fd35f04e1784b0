// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_trace.c - see ctf_trace.h: opens a trace's directory. */
#include "ctf/trace/ctf_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/trace/ctf_metadata_read.h"
#include "ctf/trace/stream_file.h"
#include "base/escape.h"
#include "ctf/types/ctf_arena.h"
#include "files/sparse.h"

#define FIRST_BYTES 4096u /* first bytes of a stream, which contain its CPU */

/* How often a file is opened that goes and comes again at the same time. */
#define OPEN_TURNS 100u

void strata_ctf_complain(const struct strata_ctf_stream *stream, const char *format, ...)
{
	const struct strata_ctf_trace *trace = stream->trace;
	char name[512], about[1536];
	va_list args;

	snprintf(about, sizeof(about), "%s/%s", trace->path,
		 strata_escape_name(name, sizeof(name), stream->name));
	va_start(args, format);
	strata_complain(trace->complain, trace->complain_data, about, format, args);
	va_end(args);
}

/* The clock of a stream's events and packets: the first to which a field is mapped. */
static int32_t find_clock(const struct strata_ctf_type *type)
{
	size_t i;

	if (!type)
		return STRATA_CTF_NO_CLOCK;
	if (strata_ctf_is_integer(type))
		return type->clock;
	for (i = 0; i < type->nr_fields; i++) {
		const int32_t clock = find_clock(type->fields[i].type);

		if (clock >= 0)
			return clock;
	}
	return STRATA_CTF_NO_CLOCK;
}

/* Returns the number of cycles up to the last time that CTF readers support. */
static uint64_t cycles_max(const struct strata_ctf_time *time)
{
	const __int128 left = (__int128)STRATA_CTF_NS_KNOWN - time->base_ns;
	const unsigned __int128 cycles = (unsigned __int128)left * time->frequency / 1000000000u;

	return cycles > UINT64_MAX ? UINT64_MAX : (uint64_t)cycles;
}

static int set_time(const struct strata_ctf_metadata *metadata,
		    struct strata_ctf_kind_of_stream *kind, struct strata_error *error)
{
	int32_t at = find_clock(kind->class->event_header);
	const struct strata_ctf_clock *clock;
	unsigned __int128 rest;
	__int128 base;

	if (at < 0)
		at = find_clock(kind->class->packet_context);
	if (at < 0)
		at = kind->class->clock;
	kind->time.frequency = 1000000000u;
	kind->time.cycles_max = UINT64_MAX;
	kind->has_time = at >= 0;
	kind->clock = at;
	if (at < 0)
		return 0;
	clock = &metadata->clocks[at];
	rest = (unsigned __int128)clock->offset * 1000000000u;
	base = (__int128)clock->offset_seconds * 1000000000 + (__int128)(rest / clock->frequency);
	if (base > INT64_MAX || base < INT64_MIN)
		return strata_fail(error,
				   "the offset of its clock %.100s is %lld s and %llu cycles: its "
				   "times are beyond the years 1677 to 2262, which readers of CTF "
				   "know; correct it in its metadata",
				   clock->name, (long long)clock->offset_seconds,
				   (unsigned long long)clock->offset);
	kind->time.frequency = clock->frequency;
	kind->time.base_ns = (int64_t)base;
	kind->time.base_rest = (uint64_t)(rest % clock->frequency);
	kind->time.cycles_max = cycles_max(&kind->time);
	return 0;
}

static int make_kind(const struct strata_ctf_metadata *metadata,
		     const struct strata_ctf_stream_class *class,
		     struct strata_ctf_kind_of_stream *kind, struct strata_error *error)
{
	size_t i;

	kind->class = class;
	strata_ctf_header_init(&kind->header, class->event_header);
	if (set_time(metadata, kind, error))
		return -1;
	kind->classes = calloc(class->nr_events + 1, sizeof(*kind->classes));
	if (!kind->classes)
		return strata_fail(error, "out of memory for its %zu events", class->nr_events);
	kind->ids_are_dense = true;
	for (i = 0; i < class->nr_events; i++) {
		const struct strata_ctf_event_class *event = &class->events[i];
		const struct strata_ctf_type *const types[] = { class->event_context,
								event->context, event->payload };

		kind->classes[i].event = event;
		kind->classes[i].id = event->id;
		kind->classes[i].index = (uint32_t)i;
		if (event->id != i)
			kind->ids_are_dense = false;
		if (strata_ctf_program_make(&kind->classes[i].program, types, 3))
			return strata_fail(error, "out of memory for its event %.200s",
					   event->name);
	}
	return 0;
}

static int make_kinds(struct strata_ctf_trace *trace, struct strata_error *error)
{
	size_t i;

	trace->kinds = calloc(trace->metadata.nr_streams + 1, sizeof(*trace->kinds));
	if (!trace->kinds)
		return strata_fail(error, "%s: out of memory", trace->path);
	for (i = 0; i < trace->metadata.nr_streams; i++) {
		if (make_kind(&trace->metadata, &trace->metadata.streams[i], &trace->kinds[i],
			      error))
			return strata_fail_in(error, "%s", trace->path);
	}
	return 0;
}

/* Reads the CPU of a stream from the start of its file; its reader will report faults there. */
static void read_cpu(struct strata_ctf_stream *stream, int fd)
{
	uint8_t bytes[FIRST_BYTES + STRATA_CTF_PADDING] = { 0 };
	uint64_t slots[STRATA_CTF_SLOTS_MAX] = { 0 };
	struct strata_ctf_packet packet = { 0 };
	struct strata_error error;
	const ssize_t got = pread(fd, bytes, FIRST_BYTES, 0);

	if (got <= 0 ||
	    strata_ctf_packet_read(&stream->trace->metadata, bytes, (size_t)got, stream->bytes,
				   &packet, slots, &error) != STRATA_CTF_PACKET_OK)
		return;
	stream->has_cpu = packet.has_cpu;
	stream->cpu = packet.cpu;
}

/* Returns the largest rounding error of the times of the trace's streams. */
static uint64_t rounding_ns(const struct strata_ctf_trace *trace)
{
	uint64_t rounding = 0;
	size_t i;

	for (i = 0; i < trace->metadata.nr_streams; i++)
		rounding |= strata_ctf_rounding_ns(&trace->kinds[i].time);
	return rounding;
}

/* What a name that cannot be opened stands for, if the reason is that it does not exist. */
enum missing {
	IS_GONE,   /* a recorder removes the file of a ring without packets */
	IS_BACK,   /* it was made again meanwhile */
	IS_A_LINK, /* that leads nowhere */
};

/* Leaves errno as it is. */
static enum missing find_missing(int dir, const char *name)
{
	const int error = errno;
	struct stat status;
	const int result = fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW);

	errno = error;
	if (result)
		return IS_GONE;
	return S_ISLNK(status.st_mode) ? IS_A_LINK : IS_BACK;
}

/* A descriptor; -1 with errno; or -2: it is gone. */
static int open_unless_gone(int dir, const char *name, int flags)
{
	unsigned int turn;
	int fd;

	for (turn = 0; turn < OPEN_TURNS; turn++) {
		fd = openat(dir, name, flags);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		switch (find_missing(dir, name)) {
		case IS_GONE:
			return -2;
		case IS_A_LINK:
			return -1;
		case IS_BACK:
			break;
		}
	}
	return -2;
}

/* Returns how many bytes of a file take no place on the disk: those of its holes.  A file system
 * that compresses, or counts no blocks, has less of a file without holes, too. */
static uint64_t hole_bytes(int fd, const struct stat *status)
{
	const uint64_t size = (uint64_t)status->st_size, held = (uint64_t)status->st_blocks * 512;

	return held < size && strata_next_hole(fd, 0, size) < size ? size - held : 0;
}

/* Opens a file of the directory, if it is a stream file. */
static int add_stream(struct strata_ctf_trace *trace, int dir, const char *name)
{
	struct strata_ctf_stream *stream = &trace->streams[trace->nr_streams];
	struct stat status;
	int fd;

	if (name[0] == '.' || strcmp(name, "metadata") == 0)
		return 0;
	memset(stream, 0, sizeof(*stream));
	stream->trace = trace;
	stream->name = strdup(name);
	if (!stream->name)
		return -1;
	fd = open_unless_gone(dir, name, STRATA_STREAM_FILE_FLAGS | trace->open_flags);
	if (fd == -2) {
		free(stream->name);
		return 0;
	}
	if (fd < 0 || fstat(fd, &status)) {
		strata_ctf_complain(
			stream, "%s; it is left out%s",
			errno == ELOOP ? "symbolic links are not followed" : strerror(errno),
			errno == EMFILE ? ". Raise the limit of open files (ulimit -n)" : "");
	} else if (trace->open_flags && !S_ISREG(status.st_mode)) {
		strata_ctf_complain(stream, "not a regular file; it is left out");
	} else if (S_ISREG(status.st_mode)) {
		stream->bytes = (uint64_t)status.st_size;
		stream->hole_bytes = hole_bytes(fd, &status);
		stream->bound_ns = rounding_ns(trace);
		trace->bytes += stream->bytes;
		trace->nr_streams++;
		read_cpu(stream, fd);
		strata_stream_file_keep(stream, fd, &status);
		return 0;
	}
	if (fd >= 0)
		close(fd);
	free(stream->name);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the names in a directory, sorted; NULL: it cannot be read, or out of memory. */
static char **read_names(const char *path, size_t *nr, struct strata_error *error)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char **names = NULL;
	size_t room = 0;

	*nr = 0;
	while (dir && (entry = readdir(dir))) {
		if (*nr == room) {
			char **more = realloc(names, (room = room * 2 + 16) * sizeof(char *));

			if (!more)
				break;
			names = more;
		}
		names[*nr] = strdup(entry->d_name);
		if (!names[*nr])
			break;
		++*nr;
	}
	if (!dir)
		strata_fail(error, "%s: %s", path, strerror(errno));
	else
		closedir(dir);
	if (names)
		qsort(names, *nr, sizeof(char *), compare_names);
	return names;
}

static int open_streams(struct strata_ctf_trace *trace, int dir, struct strata_error *error)
{
	size_t i, nr;
	char **names = read_names(trace->path, &nr, error);
	int status = names ? 0 : -1;

	if (names) {
		trace->streams = calloc(nr + 1, sizeof(*trace->streams));
		if (!trace->streams)
			status = strata_fail(error, "%s: out of memory for %zu streams",
					     trace->path, nr);
	}
	for (i = 0; i < nr && !status; i++) {
		if (add_stream(trace, dir, names[i]))
			status = strata_fail(error, "%s: out of memory", trace->path);
	}
	for (i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	return status;
}

/* Opens the files of the directory, and closes the directory. Returns 0 or -1. */
static int open_files(struct strata_ctf_trace *trace, int dir, struct strata_error *error)
{
	int status;

	if (trace->open_flags)
		status = strata_ctf_metadata_load_in(&trace->metadata, dir, trace->path,
						     trace->complain, trace->complain_data, error);
	else
		status = strata_ctf_metadata_load(&trace->metadata, trace->path, trace->complain,
						  trace->complain_data, error);
	if (!status)
		status = make_kinds(trace, error);
	/* If the directory cannot be opened, neither can the metadata. */
	if (!status)
		status = open_streams(trace, dir, error);
	if (dir >= 0)
		close(dir);
	return status;
}

static struct strata_ctf_trace *open_trace(const char *path, int flags,
					   strata_complain_fn *complain, void *data,
					   struct strata_error *error)
{
	struct strata_ctf_trace *trace = calloc(1, sizeof(*trace));
	int dir;

	if (!trace || !(trace->path = strdup(path))) {
		strata_fail(error, "%s: out of memory", path);
		free(trace);
		return NULL;
	}
	trace->open_flags = flags;
	trace->complain = complain;
	trace->complain_data = data;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (dir < 0 && flags) {
		strata_fail(error, "%s: %s", path,
			    errno == ELOOP || errno == ENOTDIR ? "symbolic links are not followed"
							       : strerror(errno));
		strata_ctf_trace_close(trace);
		return NULL;
	}
	if (open_files(trace, dir, error)) {
		strata_ctf_trace_close(trace);
		return NULL;
	}
	return trace;
}

struct strata_ctf_trace *strata_ctf_trace_open(const char *path, strata_complain_fn *complain,
					       void *data, struct strata_error *error)
{
	return open_trace(path, 0, complain, data, error);
}

struct strata_ctf_trace *strata_ctf_trace_open_recorded(const char *path,
							strata_complain_fn *complain, void *data,
							struct strata_error *error)
{
	return open_trace(path, O_NOFOLLOW, complain, data, error);
}

void strata_ctf_trace_close(struct strata_ctf_trace *trace)
{
	size_t i, j;

	if (!trace)
		return;
	for (i = 0; i < trace->nr_streams; i++) {
		strata_stream_file_close(&trace->streams[i]);
		free(trace->streams[i].name);
	}
	for (i = 0; trace->kinds && i < trace->metadata.nr_streams; i++) {
		struct strata_ctf_kind_of_stream *kind = &trace->kinds[i];

		for (j = 0; kind->classes && j < kind->class->nr_events; j++)
			strata_ctf_program_clear(&kind->classes[j].program);
		free(kind->classes);
	}
	free(trace->kinds);
	free(trace->streams);
	strata_ctf_metadata_clear(&trace->metadata);
	strata_ctf_arena_free(trace->names_arena);
	strata_ctf_arena_free(trace->domains_arena);
	free(trace->symbols.of_domains);
	free(trace->path);
	free(trace);
}

static const struct strata_ctf_env *find_env(const struct strata_ctf_trace *trace, const char *name)
{
	size_t i;

	for (i = 0; i < trace->metadata.nr_env; i++) {
		if (strcmp(trace->metadata.env[i].name, name) == 0)
			return &trace->metadata.env[i];
	}
	return NULL;
}

const char *strata_ctf_env_text(const struct strata_ctf_trace *trace, const char *name)
{
	const struct strata_ctf_env *env = find_env(trace, name);

	return env ? env->text : NULL;
}

bool strata_ctf_env_number(const struct strata_ctf_trace *trace, const char *name, int64_t *number)
{
	const struct strata_ctf_env *env = find_env(trace, name);

	if (!env || env->text)
		return false;
	*number = env->number;
	return true;
}

bool strata_ctf_converted_alike(const struct strata_ctf_trace *a, const struct strata_ctf_trace *b)
{
	const char *merge = strata_ctf_env_text(a, STRATA_CTF_MERGE);
	const char *other = strata_ctf_env_text(b, STRATA_CTF_MERGE);
	int64_t x, y;

	return merge && other && strcmp(merge, other) == 0 &&
	       strata_ctf_env_number(a, STRATA_CTF_MACHINE, &x) &&
	       strata_ctf_env_number(b, STRATA_CTF_MACHINE, &y) && x == y;
}
