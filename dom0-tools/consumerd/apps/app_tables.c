// SPDX-License-Identifier: GPL-2.0-or-later
/* app_tables.c - see app_tables.h. */
#include "consumerd/apps/app_tables.h"

#include <string.h>

#include <strata/aggregate.h>

/* One for each CPU, and one for threads that have no CPU's. */
static uint32_t nr_tables(uint32_t nr_cpus)
{
	return nr_cpus + 1;
}

size_t app_tables_bytes_max(const struct strata_aggregate_spec *spec)
{
	return (size_t)nr_tables(app_cpus_max()) * strata_app_table_bytes(spec);
}

int app_tables_give(struct app *app, const struct strata_aggregate_spec *spec,
		    struct app_outgoing *outgoing, struct strata_error *error)
{
	const struct ring_file_header header = { .mode = STRATA_APP_COUNT,
						 .nr_rings = nr_tables(app->nr_cpus),
						 .ring_bytes = strata_app_table_bytes(spec) };
	struct strata_app_packet *packet = &outgoing->packet;
	int fd;

	if (!app->nr_cpus || app->memory.rings)
		return strata_fail(error, "it asked for tables out of sequence");
	fd = app_memory_make(&app->memory, NULL, &app->ready, &header, error);
	if (fd < 0)
		return -1;
	app_begin_message(outgoing, STRATA_APP_SETUP, sizeof(packet->head) + sizeof(*spec));
	packet->head.value = STRATA_APP_COUNT;
	packet->head.count = header.nr_rings;
	packet->head.first_page = app->memory.first_page;
	packet->u.spec = *spec;
	outgoing->fd = fd;
	outgoing->closes_fd = app->memory.kernel_id;
	if (!outgoing->closes_fd)
		app->memory.given = fd;
	return 0;
}

static void put_set(uint8_t bits[STRATA_APP_EVENTS_MAX / 8], const struct event_set *events,
		    size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (event_set_has(events, i))
			bits[i / 8] |= (uint8_t)(1u << i % 8);
}

void app_tables_select(const struct app *app, const struct event_set *events,
		       const struct event_set *ends, struct app_outgoing *outgoing)
{
	struct strata_app_packet *packet = &outgoing->packet;

	app_begin_message(outgoing, STRATA_APP_SELECT,
			  sizeof(packet->head) + sizeof(packet->u.measured));
	packet->head.count = (uint32_t)app->nr_events;
	put_set(packet->u.measured[0], events, app->nr_events);
	put_set(packet->u.measured[1], ends, app->nr_events);
}

size_t app_tables_words(const struct app *app, const struct strata_aggregate_spec *spec)
{
	return spec->kind == STRATA_AGGREGATE_TIME ? STRATA_AGGREGATE_TIME_WORDS : app->nr_events;
}

/* Adds one table.  Rows beyond the events that the application has described are not read. */
static void add_table(const struct strata_aggregate_spec *spec, const unsigned long *table,
		      uint64_t *others, uint64_t *words, size_t nr)
{
	const unsigned long *rows = table + STRATA_AGGREGATE_OTHERS;
	size_t i;

	for (i = 0; i < STRATA_AGGREGATE_OTHERS; i++)
		others[i] += strata_read_once(&table[i]);
	if (spec->kind == STRATA_AGGREGATE_COUNT) {
		for (i = 0; i < nr; i++)
			strata_aggregate_add(STRATA_AGGREGATE_COUNT, &words[i], &rows[i]);
		return;
	}
	for (i = 0; i < strata_aggregate_rows(spec); i++)
		strata_aggregate_add(STRATA_AGGREGATE_TIME, words,
				     rows + i * STRATA_AGGREGATE_TIME_WORDS);
}

bool app_tables_read(struct app *app, const struct strata_aggregate_spec *spec, uint64_t *others,
		     uint64_t *words)
{
	const size_t nr = app_tables_words(app, spec);
	const size_t read =
		STRATA_AGGREGATE_OTHERS +
		(spec->kind == STRATA_AGGREGATE_TIME ? nr * strata_aggregate_rows(spec) : nr);
	uint32_t i;

	memset(others, 0, STRATA_AGGREGATE_OTHERS * sizeof(*others));
	memset(words, 0, nr * sizeof(*words));
	for (i = 0; i < app->memory.header.nr_rings; i++) {
		const unsigned char *table = app->memory.rings + i * app->memory.header.ring_bytes;

		if (!ring_pages_hold(&app->memory.pages, table, read * sizeof(uint64_t)))
			return false;
		add_table(spec, (const unsigned long *)(const void *)table, others, words, nr);
	}
	return true;
}
