// SPDX-License-Identifier: GPL-2.0-or-later
/* compass_guest.c - see compass_guest.h. */
#include "outputs/trace_compass/compass_guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/abi/guest_context.h>

#include "linux/syscall_names.h"

/* Names of events that the analysis interprets as those of a host, system calls, or vmsync
 * pairs. */
static const char *const taken_names[] = { "sys_", "compat_sys_", "exit_syscall",
					   "kvm_", "vmsync_",     "lttng_" };

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool has_field(const struct strata_event_desc *desc, const char *name)
{
	unsigned int i;

	for (i = 0; i < desc->nr_fields; i++) {
		if (strcmp(desc->fields[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Renames "prev_pid" to "prev_tid". */
static void rename_pids(struct strata_event_desc *desc)
{
	static const char *const pids[] = { "pid",        "prev_pid",  "next_pid",
					    "parent_pid", "child_pid", "old_pid" };
	char tid[STRATA_FIELD_NAME_BYTES];
	unsigned int i;
	size_t j;

	for (i = 0; i < desc->nr_fields; i++) {
		char *name = desc->fields[i].name;

		for (j = 0; j < sizeof(pids) / sizeof(pids[0]); j++) {
			if (strcmp(name, pids[j]) != 0)
				continue;
			memcpy(tid, name, sizeof(tid));
			tid[strlen(tid) - 3] = 't';
			if (!has_field(desc, tid))
				memcpy(name, tid, sizeof(tid));
		}
	}
}

static void avoid_taken_names(struct strata_event_desc *desc)
{
	const struct strata_event_desc was = *desc;
	size_t i;

	for (i = 0; i < sizeof(taken_names) / sizeof(taken_names[0]); i++) {
		if (starts_with(was.name, taken_names[i]))
			snprintf(desc->name, sizeof(desc->name), "kernel:%.40s", was.name);
	}
}

static uint32_t make_class(struct compass_guest *guest, const struct strata_event_desc *of)
{
	struct strata_event_desc desc = *of;

	if (strcmp(desc.name, "sys_exit") == 0)
		snprintf(desc.name, sizeof(desc.name), "exit_syscall");
	else
		avoid_taken_names(&desc);
	if (starts_with(desc.name, "sched_"))
		rename_pids(&desc);
	return strata_compass_trace_class(&guest->trace, &desc);
}

/* @of: the description of sys_enter */
static uint32_t syscall_class(struct compass_guest *guest, const struct strata_ctf_event_class *of,
			      int64_t id)
{
	const char *name = strata_number_name(&strata_linux_syscalls, (uint64_t)id);
	struct strata_event_desc desc;
	struct strata_error error;
	uint32_t *number;

	number = &guest->syscalls[name && id < COMPASS_SYSCALLS ? (uint32_t)id
								: COMPASS_SYSCALLS - 1];
	if (*number)
		return *number - 1;
	strata_recorded_event_describe(of, &desc, &error);
	snprintf(desc.name, sizeof(desc.name), "sys_%s", name ? name : "unknown");
	*number = strata_compass_trace_class(&guest->trace, &desc) + 1;
	return *number - 1;
}

static bool is_sys_enter(const struct strata_event_desc *desc)
{
	return strcmp(desc->name, "sys_enter") == 0 && desc->nr_fields > 0 &&
	       strcmp(desc->fields[0].name, "id") == 0 && desc->fields[0].bytes == 8;
}

/* Returns the class of that index, which exists. NULL: out of memory. */
static struct compass_class *find_class(struct compass_source *source, size_t index)
{
	const size_t nr = index + 64;
	struct compass_class *classes;

	if (index < source->nr_classes)
		return &source->classes[index];
	classes = reallocarray(source->classes, nr, sizeof(*classes));
	if (!classes) {
		source->guest->trace.no_memory = true;
		return NULL;
	}
	memset(classes + source->nr_classes, 0, (nr - source->nr_classes) * sizeof(*classes));
	source->classes = classes;
	source->nr_classes = nr;
	return &classes[index];
}

static void set_class(struct compass_guest *guest, struct compass_class *class,
		      const struct strata_ctf_kind_of_stream *kind,
		      const struct strata_ctf_event_class *of)
{
	struct strata_counter_fields counters;
	struct strata_event_desc desc;
	struct strata_error error;

	class->is = COMPASS_CLASS_FOREIGN;
	if (strata_recorded_contexts(kind->class->event_context, &class->contexts, &counters,
				     &error) ||
	    strata_recorded_event_describe(of, &desc, &error))
		return;
	class->is = is_sys_enter(&desc) ? COMPASS_CLASS_SYS_ENTER : COMPASS_CLASS_PLAIN;
	if (class->is == COMPASS_CLASS_PLAIN)
		class->number = make_class(guest, &desc);
}

bool strata_compass_guest_put(struct compass_source *source, struct compass_file *file,
			      const struct strata_ctf_reader *reader,
			      const struct strata_lane_event *event)
{
	const struct strata_ctf_event_class *of = reader->kind->classes[event->class].event;
	struct compass_class *class = find_class(source, of->index);
	const uint8_t *context = reader->base + event->body / 8, *payload;
	uint32_t bytes, number;
	int32_t chosen;
	int64_t id;

	if (class && class->is == COMPASS_CLASS_NEW)
		set_class(source->guest, class, reader->kind, of);
	if (!class || class->is == COMPASS_CLASS_FOREIGN)
		return false;
	payload = strata_recorded_payload(reader, event, sizeof(int32_t), &bytes);
	chosen = strata_guest_context_bytes(class->contexts, payload, bytes);
	if (chosen < 0)
		return false;
	/* The analysis knows the tid only. */
	payload += chosen;
	bytes -= (uint32_t)chosen;
	number = class->number;
	if (class->is == COMPASS_CLASS_SYS_ENTER) {
		if (bytes < sizeof(id))
			return false;
		memcpy(&id, payload, sizeof(id));
		number = syscall_class(source->guest, of, id);
	}
	strata_compass_trace_put(&source->guest->trace, file, number, event->ns, context, payload,
				 bytes);
	return true;
}

int strata_compass_guest_open(struct compass_guest *guest, const struct strata_dir *dir,
			      const struct strata_source *source, struct strata_error *error)
{
	memset(guest, 0, sizeof(*guest));
	guest->domain = source->domain;
	if (strata_compass_trace_open(&guest->trace, dir, source->name,
				      strata_layer_context(STRATA_LAYER_KERNEL), source->uuid,
				      error))
		return -1;
	guest->sync.trace = &guest->trace;
	guest->sync.vm_uid = source->domain;
	strata_compass_sync_describe(&guest->trace, "guest", &guest->sync.classes);
	strata_compass_trace_say(&guest->trace, "sysname", "Linux");
	strata_compass_trace_say(&guest->trace, "xen_domain", "%u", source->domain);
	strata_compass_trace_say(&guest->trace, "synthetic_vmsync",
				 "vmsync_*: no hypercall was made for them; each is at the time of "
				 "the event beside it. vm_uid is the domain");
	strata_compass_trace_say(&guest->trace, "renamed",
				 "as LTTng has it: sys_enter and sys_exit; pid in sched_*, "
				 "which is a tid");
	return 0;
}

void strata_compass_guest_close(struct compass_guest *guest)
{
	strata_compass_trace_close(&guest->trace);
}
