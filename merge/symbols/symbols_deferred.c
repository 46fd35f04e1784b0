// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols_deferred.c - loads a recording's symbols when the first address is named, because most
 * commands name none: see symbols.h.
 */
#include "symbols/symbol_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct strata_symbols_deferred {
	char *path;
	uint64_t owner;
	struct strata_symbols_told told;
	pthread_mutex_t lock; /* of the thread that loads the file; the others wait for it */
	atomic_bool is_done;
	struct strata_symbols *loaded; /* NULL: none; constant once is_done is set */
};

struct strata_symbols *strata_symbols_defer(const char *path, uint64_t owner,
					    const struct strata_symbols_told *told)
{
	struct strata_symbols *symbols = calloc(1, sizeof(*symbols));
	struct strata_symbols_deferred *deferred = calloc(1, sizeof(*deferred));
	char *copy = strdup(path);

	if (!symbols || !deferred || !copy) {
		free(symbols);
		free(deferred);
		free(copy);
		return NULL;
	}
	deferred->path = copy;
	deferred->owner = owner;
	deferred->told = *told;
	pthread_mutex_init(&deferred->lock, NULL);
	symbols->deferred = deferred;
	return symbols;
}

static void load(struct strata_symbols_deferred *deferred)
{
	const struct strata_symbols_told *told = &deferred->told;
	strata_complain_fn *tell;
	struct strata_error error;
	bool has_room = true;

	deferred->loaded =
		strata_symbols_load_recorded(deferred->path, deferred->owner, &has_room, &error);
	tell = has_room ? told->damage : told->no_room;
	/* It was removed meanwhile if there is no reason. */
	if (!deferred->loaded && *error.text && tell)
		tell(told->data, error.text);
}

const struct strata_symbols *strata_symbols_deferred_get(struct strata_symbols_deferred *deferred)
{
	/* Acquires what the thread that loaded the file released. */
	if (!atomic_load_explicit(&deferred->is_done, memory_order_acquire)) {
		pthread_mutex_lock(&deferred->lock);
		if (!atomic_load_explicit(&deferred->is_done, memory_order_relaxed)) {
			load(deferred);
			atomic_store_explicit(&deferred->is_done, true, memory_order_release);
		}
		pthread_mutex_unlock(&deferred->lock);
	}
	return deferred->loaded;
}

void strata_symbols_deferred_free(struct strata_symbols_deferred *deferred)
{
	if (!deferred)
		return;
	strata_symbols_free(deferred->loaded);
	pthread_mutex_destroy(&deferred->lock);
	free(deferred->path);
	free(deferred);
}
