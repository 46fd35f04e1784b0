// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_counter.c - see kernel_counter.h. */
#include "recording/kernel_counter.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#define PREFIX     "perf:cpu:"
#define RAW_PREFIX "raw:r"

#define HARDWARE(config) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config
#define SOFTWARE(config) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config
#define CACHE(cache, op, result)                                                             \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* Of several names of a counter, the first one is for counters that a guest names by numbers. */
static const struct {
	const char *name, *help;
	uint32_t type;
	uint64_t config;
} known[] = {
	{ "cpu-clock", "nanoseconds of the CPU", SOFTWARE(CPU_CLOCK) },
	{ "task-clock", "nanoseconds of the CPU while the counter is active",
	  SOFTWARE(TASK_CLOCK) },
	{ "page-faults", "page faults", SOFTWARE(PAGE_FAULTS) },
	{ "page-fault", "same as page-faults", SOFTWARE(PAGE_FAULTS) },
	{ "faults", "same as page-faults", SOFTWARE(PAGE_FAULTS) },
	{ "minor-faults", "page faults that needed no disk", SOFTWARE(PAGE_FAULTS_MIN) },
	{ "major-faults", "page faults that waited for a disk", SOFTWARE(PAGE_FAULTS_MAJ) },
	{ "context-switches", "switches between threads", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cs", "same as context-switches", SOFTWARE(CONTEXT_SWITCHES) },
	{ "cpu-migrations", "threads that came from another CPU", SOFTWARE(CPU_MIGRATIONS) },
	{ "migrations", "same as cpu-migrations", SOFTWARE(CPU_MIGRATIONS) },
	{ "alignment-faults", "unaligned accesses that the kernel handled",
	  SOFTWARE(ALIGNMENT_FAULTS) },
	{ "emulation-faults", "instructions that the kernel emulated", SOFTWARE(EMULATION_FAULTS) },
	{ "cycles", "cycles of the processor", HARDWARE(CPU_CYCLES) },
	{ "cpu-cycles", "same as cycles", HARDWARE(CPU_CYCLES) },
	{ "instructions", "instructions", HARDWARE(INSTRUCTIONS) },
	{ "cache-references", "accesses to the last cache", HARDWARE(CACHE_REFERENCES) },
	{ "cache-misses", "misses of the last cache", HARDWARE(CACHE_MISSES) },
	{ "branches", "branch instructions", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-instructions", "same as branches", HARDWARE(BRANCH_INSTRUCTIONS) },
	{ "branch-misses", "branches that were predicted wrongly", HARDWARE(BRANCH_MISSES) },
	{ "bus-cycles", "cycles of the bus", HARDWARE(BUS_CYCLES) },
	{ "stalled-cycles-frontend", "cycles without instructions to issue",
	  HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "idle-cycles-frontend", "same as stalled-cycles-frontend",
	  HARDWARE(STALLED_CYCLES_FRONTEND) },
	{ "stalled-cycles-backend", "cycles in which no instruction could be executed",
	  HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "idle-cycles-backend", "same as stalled-cycles-backend",
	  HARDWARE(STALLED_CYCLES_BACKEND) },
	{ "L1-dcache-loads", "loads from the first data cache", CACHE(L1D, READ, ACCESS) },
	{ "L1-dcache-load-misses", "those that missed it", CACHE(L1D, READ, MISS) },
	{ "L1-dcache-stores", "stores to the first data cache", CACHE(L1D, WRITE, ACCESS) },
	{ "L1-dcache-store-misses", "those that missed it", CACHE(L1D, WRITE, MISS) },
	{ "L1-dcache-prefetches", "its prefetches", CACHE(L1D, PREFETCH, ACCESS) },
	{ "L1-dcache-prefetch-misses", "those that missed it", CACHE(L1D, PREFETCH, MISS) },
	{ "L1-icache-loads", "loads from the instruction cache", CACHE(L1I, READ, ACCESS) },
	{ "L1-icache-load-misses", "those that missed it", CACHE(L1I, READ, MISS) },
	{ "L1-icache-stores", "stores to the instruction cache", CACHE(L1I, WRITE, ACCESS) },
	{ "L1-icache-store-misses", "those that missed it", CACHE(L1I, WRITE, MISS) },
	{ "L1-icache-prefetches", "its prefetches", CACHE(L1I, PREFETCH, ACCESS) },
	{ "L1-icache-prefetch-misses", "those that missed it", CACHE(L1I, PREFETCH, MISS) },
	{ "LLC-loads", "loads from the last cache", CACHE(LL, READ, ACCESS) },
	{ "LLC-load-misses", "those that missed it", CACHE(LL, READ, MISS) },
	{ "LLC-stores", "stores to the last cache", CACHE(LL, WRITE, ACCESS) },
	{ "LLC-store-misses", "those that missed it", CACHE(LL, WRITE, MISS) },
	{ "LLC-prefetches", "its prefetches", CACHE(LL, PREFETCH, ACCESS) },
	{ "LLC-prefetch-misses", "those that missed it", CACHE(LL, PREFETCH, MISS) },
	{ "dTLB-loads", "translations of loads' addresses", CACHE(DTLB, READ, ACCESS) },
	{ "dTLB-load-misses", "those that walked the page table", CACHE(DTLB, READ, MISS) },
	{ "dTLB-stores", "translations of stores' addresses", CACHE(DTLB, WRITE, ACCESS) },
	{ "dTLB-store-misses", "those that walked the page table", CACHE(DTLB, WRITE, MISS) },
	{ "dTLB-prefetches", "translations of prefetches' addresses",
	  CACHE(DTLB, PREFETCH, ACCESS) },
	{ "dTLB-prefetch-misses", "those that walked the page table", CACHE(DTLB, PREFETCH, MISS) },
	{ "iTLB-loads", "translations of instructions' addresses", CACHE(ITLB, READ, ACCESS) },
	{ "iTLB-load-misses", "those that walked the page table", CACHE(ITLB, READ, MISS) },
	{ "branch-loads", "lookups of the branch predictor", CACHE(BPU, READ, ACCESS) },
	{ "branch-load-misses", "those that missed it", CACHE(BPU, READ, MISS) },
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

bool strata_kernel_counter_at(size_t index, const char **name, const char **help)
{
	if (index >= NR_KNOWN)
		return false;
	*name = known[index].name;
	*help = known[index].help;
	return true;
}

/* Names a field after @name, which follows "perf:cpu:".  False: it was cut. */
static bool make_field(char field[STRATA_FIELD_NAME_BYTES], const char *name, size_t length)
{
	const int bytes = snprintf(field, STRATA_FIELD_NAME_BYTES, STRATA_COUNTER_FIELD "%.*s",
				   (int)length, name);
	char *c;

	for (c = field; *c; c++)
		if (*c == '-' || *c == ':')
			*c = '_';
	return bytes < (int)STRATA_FIELD_NAME_BYTES;
}

static bool is_identifier(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return length > 0;
}

/* Reads "raw:rN:NAME".  False: it is something else, or too long. */
static bool find_raw(const char *name, size_t length, struct strata_kernel_counter *counter)
{
	const size_t prefix = strlen(RAW_PREFIX);
	char digits[sizeof("ffffffffffffffff")];
	size_t nr;

	if (length <= prefix || memcmp(name, RAW_PREFIX, prefix) != 0)
		return false;
	nr = strspn(name + prefix, "0123456789abcdefABCDEF");
	if (!nr || nr >= sizeof(digits) || prefix + nr >= length || name[prefix + nr] != ':' ||
	    !is_identifier(name + prefix + nr + 1, length - prefix - nr - 1))
		return false;
	memcpy(digits, name + prefix, nr);
	digits[nr] = '\0';
	counter->type = PERF_TYPE_RAW;
	counter->config = strtoull(digits, NULL, 16);
	return make_field(counter->field, name, length);
}

bool strata_kernel_counter_find(const char *name, size_t length,
				struct strata_kernel_counter *counter)
{
	const size_t prefix = strlen(PREFIX);
	size_t i;

	if (length <= prefix || length >= sizeof(counter->name) ||
	    memcmp(name, PREFIX, prefix) != 0)
		return false;
	memcpy(counter->name, name, length);
	counter->name[length] = '\0';
	name += prefix;
	length -= prefix;
	for (i = 0; i < NR_KNOWN; i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length)) {
			counter->type = known[i].type;
			counter->config = known[i].config;
			make_field(counter->field, name, length);
			return true;
		}
	return find_raw(name, length, counter);
}

static bool is_taken(const struct strata_counter_fields *fields, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		if (i != number && !strcmp(fields->field[i], fields->field[number]))
			return true;
	return false;
}

void strata_kernel_counter_name_field(struct strata_counter_fields *fields, unsigned int number,
				      const struct strata_guest_counter *counter)
{
	char *field = fields->field[number];
	size_t i;

	for (i = 0; i < NR_KNOWN; i++)
		if (known[i].type == counter->type && known[i].config == counter->config)
			break;
	if (i < NR_KNOWN)
		make_field(field, known[i].name, strlen(known[i].name));
	else
		snprintf(field, STRATA_FIELD_NAME_BYTES, STRATA_COUNTER_FIELD "raw_r%" PRIx64,
			 counter->config);
	if ((i == NR_KNOWN && counter->type != PERF_TYPE_RAW) || is_taken(fields, number))
		snprintf(field, STRATA_FIELD_NAME_BYTES, STRATA_COUNTER_FIELD "other_%u", number);
}
