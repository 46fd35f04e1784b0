// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_context.c - see kernel_context.h. */
#include "recording/kernel_context.h"

#include <string.h>

#define NUMBER(name, kind)       \
	{                        \
		name, kind, 4, 1 \
	}
#define CALLSTACK(name)                      \
	{                                    \
		name, STRATA_FIELD_HEX, 8, 0 \
	}
#define PROCNAME(name)                                                    \
	{                                                                 \
		name, STRATA_FIELD_TEXT, 1, STRATA_CONTEXT_PROCNAME_BYTES \
	}

static const struct {
	const char *name, *help;
	struct strata_field_desc field;
	const char *
		cut; /* of a call stack: the field before all stacks that says whether it was cut */
} known[STRATA_NR_CONTEXTS] = {
	[STRATA_CONTEXT_PROCNAME] = { "procname", "name of the thread", PROCNAME("procname"),
				      NULL },
	[STRATA_CONTEXT_PID] = { "pid", "number of the process, as its kernel has it",
				 NUMBER("pid", STRATA_FIELD_SIGNED), NULL },
	[STRATA_CONTEXT_PRIO] = { "prio", "priority, as in sched_switch: 120 is nice 0",
				  NUMBER("prio", STRATA_FIELD_SIGNED), NULL },
	[STRATA_CONTEXT_NICE] = { "nice", "nice value: -20 to 19",
				  NUMBER("nice", STRATA_FIELD_SIGNED), NULL },
	[STRATA_CONTEXT_NEED_RESCHEDULE] = { "need_reschedule",
					     "1: the kernel switches to another task soon",
					     NUMBER("need_reschedule", STRATA_FIELD_UNSIGNED),
					     NULL },
	[STRATA_CONTEXT_MIGRATABLE] = { "migratable", "1: the thread may migrate to another CPU",
					NUMBER("migratable", STRATA_FIELD_UNSIGNED), NULL },
	[STRATA_CONTEXT_CALLSTACK_KERNEL] = { "callstack-kernel",
					      "addresses of the kernel's functions, innermost first",
					      CALLSTACK("callstack_kernel"),
					      "callstack_kernel_cut" },
	[STRATA_CONTEXT_CALLSTACK_USER] = { "callstack-user",
					    "addresses of the program's functions, by frame pointers",
					    CALLSTACK("callstack_user"), "callstack_user_cut" },
	[STRATA_CONTEXT_CPU_MIGRATIONS] = { "cpu-migrations",
					    "how often the thread has migrated to another CPU",
					    NUMBER("cpu_migrations", STRATA_FIELD_UNSIGNED), NULL },
	[STRATA_CONTEXT_CONTEXT_SWITCHES] = { "context-switches",
					      "how often the thread has been switched out",
					      NUMBER("context_switches", STRATA_FIELD_UNSIGNED),
					      NULL },
	[STRATA_CONTEXT_MINOR_FAULTS] = { "minor-faults",
					  "page faults of the thread that needed no disk",
					  NUMBER("minor_faults", STRATA_FIELD_UNSIGNED), NULL },
	[STRATA_CONTEXT_MAJOR_FAULTS] = { "major-faults",
					  "page faults of the thread that waited for a disk",
					  NUMBER("major_faults", STRATA_FIELD_UNSIGNED), NULL },
};

const char *strata_kernel_context_name(enum strata_guest_context_bit context)
{
	return known[context].name;
}

const char *strata_kernel_context_help(enum strata_guest_context_bit context)
{
	return known[context].help;
}

bool strata_kernel_context_find(const char *name, size_t length, uint32_t *contexts)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_CONTEXTS; i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length)) {
			*contexts |= STRATA_CONTEXT_BIT(i);
			return true;
		}
	return false;
}

static struct strata_field_desc cut_field(const char *name)
{
	struct strata_field_desc field = NUMBER("", STRATA_FIELD_UNSIGNED);

	strcpy(field.name, name);
	return field;
}

static struct strata_field_desc counter_field(const char *name)
{
	struct strata_field_desc field = { .kind = STRATA_FIELD_UNSIGNED,
					   .bytes = STRATA_COUNTER_BYTES,
					   .count = 1 };

	strcpy(field.name, name);
	return field;
}

void strata_kernel_context_describe(struct strata_event_desc *context, uint32_t contexts,
				    const struct strata_counter_fields *counters)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_CONTEXTS; i++)
		if (contexts & STRATA_CONTEXT_BIT(i) && !known[i].cut)
			context->fields[context->nr_fields++] = known[i].field;
	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		if (contexts & STRATA_COUNTER_BIT(i))
			context->fields[context->nr_fields++] = counter_field(counters->field[i]);
	for (i = 0; i < STRATA_NR_CONTEXTS; i++)
		if (contexts & STRATA_CONTEXT_BIT(i) && known[i].cut)
			context->fields[context->nr_fields++] = cut_field(known[i].cut);
	for (i = 0; i < STRATA_NR_CONTEXTS; i++)
		if (contexts & STRATA_CONTEXT_BIT(i) && known[i].cut)
			context->fields[context->nr_fields++] = known[i].field;
}
