/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outputs_fixture.h - traces in a directory of their own, written by one of the writers. */
#ifndef STRATA_TESTS_OUTPUTS_FIXTURE_H
#define STRATA_TESTS_OUTPUTS_FIXTURE_H

#include "outputs/written.h"
#include "rich_trace.h"

struct outputs_world {
	char dir[32];
	struct strata_trace_set set;
	struct strata_shown shown;
};

/* A directory in which nothing is yet. */
void outputs_begin(struct outputs_world *world);

/* Writes a trace into the directory's @name, and adds it to the set. */
void outputs_add(struct outputs_world *world, const char *name, const struct rich_trace *trace);

/* Writes the set to the directory's @name with @threads; frees @writer.  Returns what
 * strata_written() does, with the number of events. */
int outputs_try(struct outputs_world *world, const char *name, struct strata_event_writer *writer,
		unsigned int threads, uint64_t *events, struct strata_error *error);

/* The same, which must succeed.  Returns the number of events. */
uint64_t outputs_write(struct outputs_world *world, const char *name,
		       struct strata_event_writer *writer, unsigned int threads);

/* Runs a command in the directory, which must succeed. */
void outputs_run(const struct outputs_world *world, const char *command);

/* Returns the content of the directory's file @name as a string; to be freed. */
char *outputs_read(const struct outputs_world *world, const char *name, size_t *length);

/* Both files hold the same bytes; else the first line that differs is shown. */
void outputs_assert_same(const struct outputs_world *world, const char *name, const char *other);

void outputs_end(struct outputs_world *world);

#endif /* STRATA_TESTS_OUTPUTS_FIXTURE_H */
