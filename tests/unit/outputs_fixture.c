// SPDX-License-Identifier: GPL-2.0-or-later
/* outputs_fixture.c - see outputs_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "outputs_fixture.h"

#define PATH_BYTES 512u

static void path_of(char path[PATH_BYTES], const struct outputs_world *world, const char *name)
{
	snprintf(path, PATH_BYTES, "%s/%s", world->dir, name);
}

void outputs_begin(struct outputs_world *world)
{
	memset(world, 0, sizeof(*world));
	snprintf(world->dir, sizeof(world->dir), "/tmp/strata-outputs-XXXXXX");
	assert_non_null(mkdtemp(world->dir));
}

void outputs_add(struct outputs_world *world, const char *name, const struct rich_trace *trace)
{
	struct strata_ctf_trace *opened;
	struct strata_error error = { "" };
	char path[PATH_BYTES];

	path_of(path, world, name);
	rich_trace_write(path, trace);
	opened = strata_ctf_trace_open(path, NULL, NULL, &error);
	assert_string_equal(error.text, "");
	assert_non_null(opened);
	assert_int_equal(strata_trace_set_add(&world->set, opened, &error), 0);
}

int outputs_try(struct outputs_world *world, const char *name, struct strata_event_writer *writer,
		unsigned int threads, uint64_t *events, struct strata_error *error)
{
	char path[PATH_BYTES];
	const struct strata_written_options options = {
		.path = path,
		.force = true,
		.slices = { .to_ns = UINT64_MAX, .threads = threads, .slice_bytes = 10000 },
	};
	int status;

	assert_non_null(writer);
	path_of(path, world, name);
	if (!world->shown.set)
		assert_int_equal(strata_shown_init(&world->shown, &world->set, error), 0);
	status = strata_written(&world->set, &world->shown, writer, &options, events, error);
	writer->free(writer);
	return status;
}

uint64_t outputs_write(struct outputs_world *world, const char *name,
		       struct strata_event_writer *writer, unsigned int threads)
{
	struct strata_error error = { "" };
	uint64_t events = 0;

	if (outputs_try(world, name, writer, threads, &events, &error))
		fail_msg("%s", error.text);
	return events;
}

void outputs_run(const struct outputs_world *world, const char *command)
{
	char whole[4096];

	snprintf(whole, sizeof(whole), "export LC_ALL=C; cd %s && { %s; } >commands.log",
		 world->dir, command);
	if (system(whole))
		fail_msg("this failed: %s", command);
}

char *outputs_read(const struct outputs_world *world, const char *name, size_t *length)
{
	char path[PATH_BYTES];
	char *text;
	FILE *file;
	long size;

	path_of(path, world, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	*length = fread(text, 1, (size_t)size, file);
	assert_int_equal(*length, size);
	text[*length] = '\0';
	fclose(file);
	return text;
}

void outputs_assert_same(const struct outputs_world *world, const char *name, const char *other)
{
	size_t length, other_length, at = 0, line = 0, number = 1;
	char *text = outputs_read(world, name, &length);
	char *other_text = outputs_read(world, other, &other_length);

	for (; at < length && at < other_length && text[at] == other_text[at]; at++) {
		if (text[at] == '\n') {
			line = at + 1;
			number++;
		}
	}
	if (at < length || at < other_length)
		fail_msg("line %zu:\n%s: %.*s\n%s: %.*s", number, name,
			 (int)strcspn(text + line, "\n"), text + line, other,
			 (int)strcspn(other_text + line, "\n"), other_text + line);
	free(text);
	free(other_text);
}

void outputs_end(struct outputs_world *world)
{
	char command[64];

	if (world->shown.set)
		strata_shown_clear(&world->shown);
	strata_trace_set_clear(&world->set);
	snprintf(command, sizeof(command), "rm -rf %s", world->dir);
	assert_int_equal(system(command), 0);
}
