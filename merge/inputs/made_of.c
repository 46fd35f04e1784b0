// SPDX-License-Identifier: GPL-2.0-or-later
/* made_of.c - see made_of.h. */
#include "inputs/made_of.h"

#include <stdlib.h>
#include <string.h>

#include "base/derived_uuid.h"
#include "base/id_rows.h"

/* Largest number of traces with one UUID in a conversion, as parts of one trace: set_uuid() of
 * outputs/ctf/ctf_identities.c numbers them. */
#define SAME_UUID_MAX 64u

/* The directories of a recording and of its merge, side by side. */
#define RAW "raw"
#define CTF "ctf"

/* An input, or a source of it, from whose UUID others are derived. */
struct original {
	size_t input, source;
};

/* The finder's tables. Their keys are UUIDs that traces have and that are derived from those of
 * others: UUIDs of no copy are not kept. */
struct finder {
	const struct strata_made_of_input *inputs;
	size_t nr;
	struct strata_id_rows named;  /* struct original, by root and UUID of the copy */
	struct strata_id_rows placed; /* the same of recordings, by their paths too */
	uint64_t steps;
};

static uint64_t named_id(size_t root, const uint8_t uuid[16])
{
	return strata_identity_add_text(strata_identity_add(0, root), uuid, 16);
}

static uint64_t placed_id(size_t root, const uint8_t uuid[16], const char *path, size_t length)
{
	return strata_identity_add_text(named_id(root, uuid), path, length);
}

static bool may_be_copy(const struct strata_made_of_input *input)
{
	return input->trace && input->trace->metadata.has_uuid &&
	       strata_uuid_looks_derived(input->trace->metadata.uuid);
}

/* Adds the UUIDs whose originals are sought. Returns their number, or -1: out of memory. */
static int add_copies(struct finder *finder)
{
	struct original *none;
	size_t i;

	for (i = 0; i < finder->nr; i++) {
		const struct strata_made_of_input *input = &finder->inputs[i];
		uint64_t id;

		if (!may_be_copy(input))
			continue;
		finder->steps++;
		id = named_id(input->root, input->trace->metadata.uuid);
		if (strata_id_rows_find(&finder->named, id))
			continue;
		none = strata_id_rows_add(&finder->named, id, sizeof(*none));
		if (!none)
			return -1;
		none->input = finder->nr;
	}
	return 0;
}

/* Adds a recording's source by the recording's path. Returns 0, or -1: out of memory. */
static int add_placed(struct finder *finder, const uint8_t uuid[16], struct original original)
{
	const struct strata_made_of_input *input = &finder->inputs[original.input];
	const uint64_t id = placed_id(input->root, uuid, input->path, strlen(input->path));
	struct original *placed;

	finder->steps++;
	if (!input->recording || strata_id_rows_find(&finder->placed, id))
		return 0;
	placed = strata_id_rows_add(&finder->placed, id, sizeof(*placed));
	if (!placed)
		return -1;
	*placed = original;
	return 0;
}

/* Adds an original with that UUID to the copies that name it. Returns 0, or -1: out of memory. */
static int add_original(struct finder *finder, const uint8_t uuid[16], struct original original)
{
	const size_t root = finder->inputs[original.input].root;
	struct original *named;
	unsigned int same;
	uint8_t copy[16];

	for (same = 0; same < SAME_UUID_MAX; same++) {
		strata_derive_uuid(copy, STRATA_DERIVED_COPY, same, uuid, 16);
		finder->steps++;
		named = strata_id_rows_find(&finder->named, named_id(root, copy));
		if (!named)
			continue;
		if (named->input == finder->nr)
			*named = original;
		if (add_placed(finder, copy, original))
			return -1;
	}
	return 0;
}

static int add_originals(struct finder *finder)
{
	size_t i, source;

	for (i = 0; i < finder->nr; i++) {
		const struct strata_made_of_input *input = &finder->inputs[i];

		if (input->trace && input->trace->metadata.has_uuid &&
		    add_original(finder, input->trace->metadata.uuid,
				 (struct original){ .input = i }))
			return -1;
		for (source = 0; input->recording && source < input->recording->nr_sources;
		     source++) {
			if (add_original(finder, input->recording->sources[source].uuid,
					 (struct original){ .input = i, .source = source }))
				return -1;
		}
	}
	return 0;
}

/* Returns the recording DIR/raw from which the trace at DIR/ctf or below it was made; NULL: none.
 * @path: of the trace; is overwritten */
static const struct original *find_beside(struct finder *finder,
					  const struct strata_made_of_input *copy, char *path)
{
	const size_t length = sizeof(CTF) - 1;
	const struct original *found = NULL;
	char *at, *end;

	_Static_assert(sizeof(RAW) == sizeof(CTF), "one replaces the other in place");
	for (at = path; !found && at; at = *end ? end + 1 : NULL) {
		end = strchrnul(at, '/');
		if ((size_t)(end - at) != length || memcmp(at, CTF, length) != 0)
			continue;
		memcpy(at, RAW, length);
		finder->steps++;
		found = strata_id_rows_find(&finder->placed,
					    placed_id(copy->root, copy->trace->metadata.uuid, path,
						      (size_t)(end - path)));
		memcpy(at, CTF, length);
	}
	return found;
}

/* Finds the original of a trace. Returns 0, or -1: out of memory. */
static int find_original(struct finder *finder, const struct strata_made_of_input *copy,
			 struct strata_made_of *made)
{
	const struct original *named, *beside;
	char *path;

	finder->steps++;
	named = strata_id_rows_find(&finder->named,
				    named_id(copy->root, copy->trace->metadata.uuid));
	if (named->input == finder->nr)
		return 0;
	path = strdup(copy->path);
	if (!path)
		return -1;
	beside = find_beside(finder, copy, path);
	free(path);
	*made = (struct strata_made_of){ .origin = beside ? beside->input : named->input,
					 .source = beside ? beside->source : named->source,
					 .is_beside = beside != NULL };
	return 0;
}

int strata_made_of_find(const struct strata_made_of_input *inputs, size_t nr,
			struct strata_made_of *made, uint64_t *steps)
{
	struct finder finder = { .inputs = inputs, .nr = nr };
	int status = add_copies(&finder);
	size_t i;

	for (i = 0; i < nr; i++)
		made[i] = (struct strata_made_of){ .origin = nr };
	if (!status && finder.named.nr)
		status = add_originals(&finder);
	for (i = 0; i < nr && !status; i++) {
		if (may_be_copy(&inputs[i]))
			status = find_original(&finder, &inputs[i], &made[i]);
	}
	if (steps)
		*steps = finder.steps;
	strata_id_rows_clear(&finder.named, NULL);
	strata_id_rows_clear(&finder.placed, NULL);
	return status;
}
