// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_owners.c - see trigger_owners.h; trigger.c calls it. */
#include "stratad/trigger/trigger_owners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stratad/domains/aggregated_apps.h"

static struct trigger_owner owner_of(const struct aggregate_look *look,
				     const struct aggregate_row *row)
{
	const struct aggregate_source *source = row->source;
	struct trigger_owner owner = { .kind = TRIGGER_OWNER_XEN };

	if (source->program) {
		owner.kind = TRIGGER_OWNER_USER;
		owner.number = source->program->user;
	} else if (source->events) {
		owner.kind = TRIGGER_OWNER_DOMAIN;
		aggregate_source_name(source, owner.name);
	} else if (aggregate_owner_name(look, row, owner.name)) {
		owner.kind = TRIGGER_OWNER_DOMAIN;
	}
	return owner;
}

static struct trigger_owner *find(const struct trigger_owners *owners,
				  const struct trigger_owner *like)
{
	size_t i;

	for (i = 0; i < owners->nr; i++) {
		struct trigger_owner *one = &owners->list[i];

		if (one->kind == like->kind && one->number == like->number &&
		    !strcmp(one->name, like->name))
			return one;
	}
	return NULL;
}

bool trigger_owners_pauses(const struct trigger_owners *owners, const struct aggregate_look *look,
			   const struct aggregate_row *row, uint64_t now_ms)
{
	const struct trigger_owner like = owner_of(look, row);
	const struct trigger_owner *one = find(owners, &like);

	return one &&
	       (now_ms < one->quiet_until_ms || (owners->max && one->nr_actions >= owners->max));
}

int trigger_owners_begin(struct trigger_owners *owners, const struct aggregate_look *look,
			 const struct aggregate_row *row, size_t *index)
{
	const struct trigger_owner like = owner_of(look, row);
	struct trigger_owner *one = find(owners, &like);

	if (!one) {
		if (!STRATA_GROW(owners->list, owners->nr, owners->capacity))
			return -1;
		one = &owners->list[owners->nr++];
		*one = like;
	}
	one->nr_actions++;
	one->quiet_until_ms = UINT64_MAX;
	*index = (size_t)(one - owners->list);
	return 0;
}

void trigger_owners_end(struct trigger_owners *owners, size_t index, uint64_t until_ms)
{
	owners->list[index].quiet_until_ms = until_ms;
}

void trigger_owners_free(struct trigger_owners *owners)
{
	free(owners->list);
	*owners = (struct trigger_owners){ .list = NULL };
}
