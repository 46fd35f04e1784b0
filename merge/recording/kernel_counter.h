/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_counter.h - the names of the counters of each CPU that a kernel writes as contexts
 * (strata/abi/guest_context.h): those of LTTng, "perf:cpu:cycles".
 */
#ifndef STRATA_MERGE_KERNEL_COUNTER_H
#define STRATA_MERGE_KERNEL_COUNTER_H

#include <stdbool.h>
#include <stddef.h>

#include <strata/abi/guest_context.h>
#include <strata/event.h>

/* Before each field's name. */
#define STRATA_COUNTER_FIELD "perf_cpu_"

struct strata_kernel_counter {
	uint32_t type; /* of a struct strata_guest_counter */
	uint64_t config;
	char name[48];                       /* "perf:cpu:page-faults" */
	char field[STRATA_FIELD_NAME_BYTES]; /* "perf_cpu_page_faults", cut to fit */
};

/* The names of fields by the entry of the channel's table. */
struct strata_counter_fields {
	char field[STRATA_COUNTERS_MAX][STRATA_FIELD_NAME_BYTES];
};

/* The counter of an index with one line of help.  False: the index is beyond the last. */
bool strata_kernel_counter_at(size_t index, const char **name, const char **help);

/* Finds a counter by its name, or reads "perf:cpu:raw:rN:NAME", with N in hexadecimal.  False: the
 * name is unknown, or too long for a field. */
bool strata_kernel_counter_find(const char *name, size_t length,
				struct strata_kernel_counter *counter);

/* Names the field of an entry of a guest's table, which is hostile; unlike all others of @fields.
 * The first of several names is taken. */
void strata_kernel_counter_name_field(struct strata_counter_fields *fields, unsigned int number,
				      const struct strata_guest_counter *counter);

#endif /* STRATA_MERGE_KERNEL_COUNTER_H */
