// SPDX-License-Identifier: GPL-2.0-or-later
/* select_filter.c - see select_filter.h. */
#include "stratad/select/select_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_program.h"

/* Far more than a command to a kernel holds. */
#define EXPRESSION_BYTES_MAX (1u << 20)

/* A filter while it is compiled for each event. */
struct compilation {
	const struct kernel_selection *selection;
	struct strata_ctf_arena *arena; /* of the tree */
	struct strata_node *root;
	struct strata_filter_program *programs; /* of each event of the table, if it is chosen */
	struct event_set chosen;
};

const char *select_filter_expression(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text ? colon + 1 + strspn(colon + 1, " ") : NULL;
}

static int parse(struct compilation *compilation, struct strata_error *error)
{
	compilation->arena = strata_ctf_arena_new(EXPRESSION_BYTES_MAX);
	if (!compilation->arena)
		return strata_fail(error, "out of memory");
	compilation->root = strata_filter_parse(
		select_filter_expression(compilation->selection->text), compilation->arena, error);
	return compilation->root ? 0 : -1;
}

int select_filter_check(const struct kernel_selection *selection, struct strata_error *error)
{
	struct compilation compilation = { .selection = selection };
	const int result = parse(&compilation, error);

	strata_ctf_arena_free(compilation.arena);
	return result ? strata_fail_in(error, "%s", select_option_name(SELECT_FILTER)) : 0;
}

/* The events that the selection names, of those that are recorded. */
static int choose(struct compilation *compilation, const struct strata_event_desc *table, size_t nr,
		  const struct event_set *recorded, struct strata_error *error)
{
	char *patterns =
		strndup(compilation->selection->text, strcspn(compilation->selection->text, ":"));
	struct event_set named;
	size_t i;
	int result;

	if (!patterns)
		return strata_fail(error, "out of memory");
	result = select_kernel_events(patterns, table, nr, &named, error);
	for (i = 0; !result && i < nr; i++)
		if (event_set_has(&named, i) && event_set_has(recorded, i))
			event_set_add(&compilation->chosen, i);
	if (!result && event_set_count(&compilation->chosen) == 0)
		result = strata_fail(error, "none of the events \"%s\" is recorded: select them",
				     patterns);
	free(patterns);
	return result;
}

static int compile(struct compilation *compilation, const struct strata_event_desc *table,
		   size_t nr, struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(STRATA_EVENT_NAME_BYTES)];
	size_t i;

	compilation->programs = calloc(nr, sizeof(*compilation->programs));
	if (!compilation->programs)
		return strata_fail(error, "out of memory");
	for (i = 0; i < nr; i++) {
		if (!event_set_has(&compilation->chosen, i))
			continue;
		if (strata_filter_compile(compilation->root, &table[i], &compilation->programs[i],
					  error))
			return strata_fail_in(
				error, "%s", strata_escape_name(name, sizeof(name), table[i].name));
	}
	if (strata_filter_check_fields(compilation->root, error))
		return -1;
	for (i = 0; i < nr; i++)
		if (event_set_has(&compilation->chosen, i) && !compilation->programs[i].nr &&
		    !compilation->programs[i].passes)
			return strata_fail(error,
					   "no event %s can pass it; name other events, or leave "
					   "this one out of the selection",
					   strata_escape_name(name, sizeof(name), table[i].name));
	return 0;
}

static bool have_same(const struct strata_filter_program *one,
		      const struct strata_filter_program *other)
{
	return one->nr == other->nr && !memcmp(one->bytes, other->bytes, one->nr);
}

/* Writes "where=3,7:0123..." for the event @first and all later ones with the same program. */
static void write_word(struct compilation *compilation, size_t first, size_t nr, FILE *out)
{
	const struct strata_filter_program *program = &compilation->programs[first];
	const char *between = "";
	struct event_set rest = { { 0 } };
	size_t i;

	fprintf(out, " where=");
	for (i = first; i < nr; i++) {
		if (!event_set_has(&compilation->chosen, i))
			continue;
		if (!have_same(program, &compilation->programs[i])) {
			event_set_add(&rest, i);
			continue;
		}
		fprintf(out, "%s%zu", between, i);
		between = ",";
	}
	compilation->chosen = rest;
	putc(':', out);
	for (i = 0; i < program->nr; i++)
		fprintf(out, "%02x", program->bytes[i]);
}

/* Appends a word for each program. */
static int write_words(struct compilation *compilation, struct select_filters *filters, size_t nr,
		       struct strata_error *error)
{
	char *words = NULL;
	size_t bytes = 0, i;
	FILE *out = open_memstream(&words, &bytes);

	if (!out)
		return strata_fail(error, "out of memory");
	fputs(filters->words ? filters->words : "", out);
	for (i = 0; i < nr; i++) {
		/* Where all events pass, nothing is to be tested. */
		if (event_set_has(&compilation->chosen, i) && compilation->programs[i].nr)
			write_word(compilation, i, nr, out);
	}
	if (fclose(out)) {
		free(words);
		return strata_fail(error, "out of memory");
	}
	free(filters->words);
	filters->words = words;
	return 0;
}

static int note_events(const struct compilation *compilation, struct select_filters *filters,
		       const struct strata_event_desc *table, size_t nr, struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(STRATA_EVENT_NAME_BYTES)];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!event_set_has(&compilation->chosen, i))
			continue;
		if (event_set_has(&filters->events, i))
			return strata_fail(error, "another filter names the event %s, too",
					   strata_escape_name(name, sizeof(name), table[i].name));
		event_set_add(&filters->events, i);
	}
	return 0;
}

/* Whether the expression is the number 1. */
static bool lets_all_pass(const struct kernel_selection *selection)
{
	const char *expression = select_filter_expression(selection->text);

	expression += strspn(expression, " ");
	return expression[0] == '1' && !expression[1 + strspn(expression + 1, " ")];
}

int select_filter_add(struct select_filters *filters, const struct kernel_selection *selection,
		      const struct strata_event_desc *table, size_t nr,
		      const struct event_set *recorded, struct strata_error *error)
{
	struct compilation compilation = { .selection = selection };
	int result = -1;

	/* It replaces an earlier filter.  Its events need not be recorded any longer. */
	if (lets_all_pass(selection))
		return 0;
	if (!parse(&compilation, error) && !choose(&compilation, table, nr, recorded, error) &&
	    !note_events(&compilation, filters, table, nr, error) &&
	    !compile(&compilation, table, nr, error))
		result = write_words(&compilation, filters, nr, error);
	free(compilation.programs);
	strata_ctf_arena_free(compilation.arena);
	return result ? strata_fail_in(error, "%s", select_option_name(SELECT_FILTER)) : 0;
}

int select_filters_choose(struct select_filters *filters, const struct kernel_selection *selections,
			  size_t nr_selections, uint32_t domain, const char *name,
			  const struct strata_event_desc *table, size_t nr,
			  const struct event_set *recorded, struct strata_error *error)
{
	size_t i;

	for (i = 0; i < nr_selections; i++)
		if (selections[i].kind == SELECT_FILTER &&
		    select_matches_domain(&selections[i], domain, name) &&
		    select_filter_add(filters, &selections[i], table, nr, recorded, error))
			return -1;
	return 0;
}

void select_filters_clear(struct select_filters *filters)
{
	free(filters->words);
	*filters = (struct select_filters){ .words = NULL };
}
