// SPDX-License-Identifier: GPL-2.0-or-later
/* latencies.c - see latencies.h. */
#include "outputs/timeline/latencies.h"

#include <stdlib.h>
#include <string.h>

#include "outputs/timeline/json_put.h"

#define PARTS_BITS 2u

/* Four bars for each power of two; each length below four has its own bar. */
static unsigned int bar_of(uint64_t length_ns)
{
	const unsigned int top = 63u - (unsigned int)__builtin_clzll(length_ns | 1);

	if (top < PARTS_BITS)
		return (unsigned int)length_ns;
	return ((top - PARTS_BITS + 1) << PARTS_BITS) |
	       (unsigned int)(length_ns >> (top - PARTS_BITS) & 3);
}

/* Returns the least length of a bar. */
static uint64_t bar_from(unsigned int bar)
{
	const unsigned int row = bar >> PARTS_BITS;

	return row ? (uint64_t)(4 | (bar & 3)) << (row - 1) : bar;
}

/* The histogram of an id; NULL: the owner has used up its share, or out of memory. */
static struct strata_latency *latency_of(struct strata_latencies *latencies, uint32_t id,
					 uint64_t owner)
{
	struct strata_latency *latency = strata_id_map_find(&latencies->by_id, id);

	if (latency || !strata_shares_take(&latencies->shares, owner, STRATA_LATENCIES_MAX))
		return latency;
	latency = calloc(1, sizeof(*latency));
	if (!latency || strata_id_map_add(&latencies->by_id, id, latency)) {
		free(latency);
		latencies->no_memory = true;
		return NULL;
	}
	latency->id = id;
	latencies->all[latencies->nr++] = latency;
	return latency;
}

/* Returns a number below @end, from a linear congruential generator (Knuth's MMIX). */
static uint64_t choose(struct strata_latency *latency, uint64_t end)
{
	latency->chance = latency->chance * 6364136223846793005ull + 1442695040888963407ull;
	return (uint64_t)((unsigned __int128)latency->chance * end >> 64);
}

void strata_latencies_add(struct strata_latencies *latencies, uint32_t id,
			  const struct strata_track *track, uint64_t from_ns, uint64_t length_ns)
{
	struct strata_latency *latency = latency_of(latencies, id, track->owner);
	struct strata_latency_bar **bar;
	uint64_t at;

	if (!latency)
		return;
	bar = &latency->bars[bar_of(length_ns)];
	if (!*bar)
		*bar = calloc(1, sizeof(**bar));
	if (!*bar) {
		latencies->no_memory = true;
		return;
	}
	latency->count++;
	/* Vitter's algorithm R: each slice has the same chance to be kept. */
	at = (*bar)->count++;
	if (at >= STRATA_LATENCY_INSTANCES)
		at = choose(latency, (*bar)->count);
	if (at >= STRATA_LATENCY_INSTANCES)
		return;
	(*bar)->instances[at].track = track->id;
	(*bar)->instances[at].from_ns = from_ns;
	(*bar)->instances[at].length_ns = length_ns;
}

static void put_bar(const struct strata_latency_bar *bar, unsigned int at,
		    struct strata_buffer *out)
{
	const size_t nr = bar->count < STRATA_LATENCY_INSTANCES ? bar->count
								: STRATA_LATENCY_INSTANCES;
	size_t i;

	strata_json_number(out, "{\"from\":", bar_from(at));
	strata_json_number(out, ",\"to\":", bar_from(at + 1));
	strata_json_number(out, ",\"count\":", bar->count);
	strata_buffer_text(out, ",\"instances\":[");
	for (i = 0; i < nr; i++) {
		strata_json_number(out, i ? ",[" : "[", bar->instances[i].track);
		strata_json_number(out, ",", bar->instances[i].from_ns);
		strata_json_number(out, ",", bar->instances[i].length_ns);
		strata_buffer_text(out, "]");
	}
	strata_buffer_text(out, "]}");
}

void strata_latencies_json(const struct strata_latencies *latencies, uint32_t first,
			   bool behind_others, struct strata_buffer *out)
{
	size_t i;
	unsigned int j;

	for (i = 0; i < latencies->nr; i++) {
		const struct strata_latency *latency = latencies->all[i];
		bool is_first = true;

		strata_json_number(out, i || behind_others ? ",\n{\"name\":" : "\n{\"name\":",
				   first == UINT32_MAX ? latency->id : first + i);
		strata_buffer_text(out, ",\"unit\":\"ns\",\"bars\":[");
		for (j = 0; j < STRATA_LATENCY_BARS; j++) {
			if (!latency->bars[j])
				continue;
			strata_buffer_text(out, is_first ? "\n" : ",\n");
			put_bar(latency->bars[j], j, out);
			is_first = false;
		}
		strata_buffer_text(out, "]}");
	}
}

void strata_latencies_clear(struct strata_latencies *latencies)
{
	size_t i, j;

	for (i = 0; i < latencies->nr; i++) {
		for (j = 0; j < STRATA_LATENCY_BARS; j++)
			free(latencies->all[i]->bars[j]);
	}
	strata_id_map_free(&latencies->by_id);
	strata_shares_clear(&latencies->shares);
	memset(latencies, 0, sizeof(*latencies));
}
