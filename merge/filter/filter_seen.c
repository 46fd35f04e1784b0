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

	if (!strata_node_is_of(node, STRATA_ATTRIBUTE_PROCESS) ||
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

void strata_seen_add_vcpu(struct strata_seen_vcpus *seen, uint32_t vcpu)
{
	const uint64_t bit = 1ull << vcpu % 64;

	/* Relaxed: read when all threads have ended. Most events have a vCPU that is there. */
	if (vcpu <= UINT16_MAX &&
	    !(__atomic_load_n(&seen->bits[vcpu / 64], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&seen->bits[vcpu / 64], bit, __ATOMIC_RELAXED);
}

void strata_seen_tell_vcpus(const struct strata_seen_vcpus *seen, struct strata_node *node)
{
	const struct strata_value *wanted = &node->right.value;
	struct strata_node *child;
	uint64_t i;

	/* A tree is no deeper than an expression may be. */
	for (child = node->first; child; child = child->next)
		strata_seen_tell_vcpus(seen, child);
	if (!strata_node_is_of(node, STRATA_ATTRIBUTE_VCPU) || wanted->kind != STRATA_VALUE_INTEGER)
		return;
	for (i = 0; i <= UINT16_MAX; i++) {
		if (!(seen->bits[i / 64] >> i % 64 & 1))
			continue;
		node->is_likely |= i == wanted->number;
		strata_nearest_number(&node->nearest, wanted->number, i);
	}
}
