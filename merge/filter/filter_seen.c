// SPDX-License-Identifier: GPL-2.0-or-later
/* filter_seen.c - see filter_seen.h. */
#include "filter/filter_seen.h"

#include <string.h>

#include <strata/glob.h>

#include "base/value_hash.h"

void strata_seen_add(struct strata_seen *seen, const struct strata_task *task)
{
	const size_t room = sizeof(seen->names) / sizeof(seen->names[0]);
	size_t at;

	if (!task->is_known || task->bytes == 0)
		return;
	at = (size_t)(strata_hash_bytes(0, task->name, task->bytes) >> 32) % room;
	while (seen->names[at].bytes) {
		const struct strata_seen_name *name = &seen->names[at];

		if (name->bytes == task->bytes && !memcmp(name->name, task->name, task->bytes))
			return;
		at = (at + 1) % room;
	}
	if (seen->nr == STRATA_SEEN_NAMES_MAX) {
		seen->is_full = true;
		return;
	}
	seen->names[at].bytes = task->bytes;
	memcpy(seen->names[at].name, task->name, task->bytes);
	seen->nr++;
}

static void tell_test(const struct strata_seen *seen, struct strata_node *node)
{
	const struct strata_value *wanted = &node->right.value;
	size_t i;

	if (node->left.kind != STRATA_OPERAND_ATTRIBUTE ||
	    node->left.attribute != STRATA_ATTRIBUTE_PROCESS ||
	    wanted->kind != STRATA_VALUE_PATTERN)
		return;
	node->is_likely |= seen->is_full;
	for (i = 0; i < sizeof(seen->names) / sizeof(seen->names[0]); i++) {
		const struct strata_seen_name *name = &seen->names[i];

		if (name->bytes == 0)
			continue;
		node->is_likely |=
			strata_glob_fits(wanted->text, wanted->bytes, name->name, name->bytes);
		strata_nearest_name(&node->nearest, wanted->text, wanted->bytes, true, name->name,
				    name->bytes);
	}
}

void strata_seen_tell(const struct strata_seen *seen, struct strata_node *node)
{
	struct strata_node *child;

	/* A tree is no deeper than an expression may be. */
	for (child = node->first; child; child = child->next)
		strata_seen_tell(seen, child);
	if (node->kind == STRATA_NODE_TEST)
		tell_test(seen, node);
}
