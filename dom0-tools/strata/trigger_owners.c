// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_owners.c - see trigger_owners.h; trigger.c calls it. */
#include "strata/trigger_owners.h"

#include <stdlib.h>

#include "base/array.h"
#include "stratad/domains/aggregated_apps.h"

static struct trigger_owner owner_of(const struct aggregate_row *row)
{
	const struct aggregate_source *source = row->source;

	if (source->program)
		return (struct trigger_owner){ .kind = TRIGGER_OWNER_USER,
					       .number = source->program->user };
	if (source->events)
		return (struct trigger_owner){ .kind = TRIGGER_OWNER_DOMAIN,
					       .number = source->domain };
	if (source->spec->by_owner)
		return (struct trigger_owner){ .kind = TRIGGER_OWNER_DOMAIN, .number = row->owner };
	return (struct trigger_owner){ .kind = TRIGGER_OWNER_XEN };
}

void trigger_owners_expire(struct trigger_owners *owners, uint64_t now_ms)
{
	size_t i, nr = 0;

	for (i = 0; i < owners->nr; i++)
		if (now_ms < owners->list[i].quiet_until_ms)
			owners->list[nr++] = owners->list[i];
	owners->nr = nr;
}

bool trigger_owners_pauses(const struct trigger_owners *owners, const struct aggregate_row *row)
{
	const struct trigger_owner owner = owner_of(row);
	size_t i;

	for (i = 0; i < owners->nr; i++)
		if (owners->list[i].kind == owner.kind && owners->list[i].number == owner.number)
			return true;
	return false;
}

int trigger_owners_begin(struct trigger_owners *owners, const struct aggregate_row *row,
			 uint64_t until_ms)
{
	struct trigger_owner owner = owner_of(row);

	if (!STRATA_GROW(owners->list, owners->nr, owners->capacity))
		return -1;
	owner.quiet_until_ms = until_ms;
	owners->list[owners->nr++] = owner;
	return 0;
}

void trigger_owners_free(struct trigger_owners *owners)
{
	free(owners->list);
	*owners = (struct trigger_owners){ .list = NULL };
}
