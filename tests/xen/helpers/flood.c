// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flood - has a hypervisor that is built for tests flood its CPUs with NMIs (xen-patch/, flood.h).
 *
 *     flood counts                               what each CPU has counted, since boot
 *     flood run PERIOD_US EVERY NMIS LIMIT_S [late|xentrace]
 *                                                floods until each CPU has had NMIS of them
 *
 * Test scripts start it in dom0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <flood.h>

#include "consumerd/xen/strata_sysctl.h"

#define POLL_MS  50
#define CPUS_MAX 64u

/* 0, or -1 with errno. */
static int call(struct strata_sysctl *sysctl, struct strata_flood_op *op)
{
	struct strata_hv_op hv_op = { 0 };
	int result;

	_Static_assert(sizeof(*op) <= sizeof(hv_op), "the operation fits into Strata's");
	memcpy(&hv_op, op, sizeof(*op));
	result = strata_sysctl_call(sysctl, &hv_op);
	memcpy(op, &hv_op, sizeof(*op));
	return result;
}

static bool counts_of(struct strata_sysctl *sysctl, uint32_t cpu, struct strata_flood_op *op)
{
	*op = (struct strata_flood_op){ .operation = STRATA_FLOOD_QUERY, .cpu = cpu };
	return call(sysctl, op) == 0;
}

static int print_counts(struct strata_sysctl *sysctl)
{
	struct strata_flood_op op;
	uint32_t cpu;

	for (cpu = 0; counts_of(sysctl, cpu, &op); cpu++)
		printf("%u %llu %llu %llu %llu %llu\n", cpu, (unsigned long long)op.nmis,
		       (unsigned long long)op.between, (unsigned long long)op.lost_nmi,
		       (unsigned long long)op.lost_check, (unsigned long long)op.lost_other);
	return cpu ? 0 : -1;
}

/* Each CPU's count of NMIs; returns how many CPUs there are. */
static uint32_t nmis_of_all(struct strata_sysctl *sysctl, uint64_t *nmis)
{
	struct strata_flood_op op;
	uint32_t cpu;

	for (cpu = 0; cpu < CPUS_MAX && counts_of(sysctl, cpu, &op); cpu++)
		nmis[cpu] = op.nmis;
	return cpu;
}

/* Has each CPU had @wanted NMIs since the counts @before? */
static bool enough(struct strata_sysctl *sysctl, const uint64_t *before, uint64_t wanted)
{
	uint64_t nmis[CPUS_MAX];
	uint32_t cpu, nr = nmis_of_all(sysctl, nmis);

	for (cpu = 0; cpu < nr && nmis[cpu] - before[cpu] >= wanted; cpu++)
		;
	return nr && cpu == nr;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int run(struct strata_sysctl *sysctl, char **argv, uint32_t flags)
{
	struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	struct strata_flood_op op = {
		.operation = STRATA_FLOOD_START,
		.flags = flags,
		.period_us = (uint32_t)atoi(argv[0]),
		.every = (uint32_t)atoi(argv[1]),
	};
	uint64_t before[CPUS_MAX], begin = now_ms();
	bool done;

	nmis_of_all(sysctl, before);
	if (call(sysctl, &op))
		return -1;
	do {
		nanosleep(&pause, NULL);
		done = enough(sysctl, before, strtoull(argv[2], NULL, 10));
	} while (!done && now_ms() - begin < strtoull(argv[3], NULL, 10) * 1000);
	op = (struct strata_flood_op){ .operation = STRATA_FLOOD_STOP };
	if (call(sysctl, &op))
		return -1;
	printf("flood: %s after %llu ms\n", done ? "enough" : "too few",
	       (unsigned long long)(now_ms() - begin));
	return done ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct strata_error error = { "" };
	struct strata_sysctl sysctl;
	uint32_t flags = 0;
	int result;

	if (strata_sysctl_open(&sysctl, &error) != HYPERVISOR_OK) {
		fprintf(stderr, "flood: %s\n", error.text);
		return 1;
	}
	if (argc == 7)
		flags = !strcmp(argv[6], "late") ? STRATA_FLOOD_STAMP_LATE : STRATA_FLOOD_XENTRACE;
	if (argc == 2 && !strcmp(argv[1], "counts")) {
		result = print_counts(&sysctl);
	} else if (argc >= 6 && !strcmp(argv[1], "run")) {
		result = run(&sysctl, argv + 2, flags);
	} else {
		fprintf(stderr,
			"usage: flood counts | run PERIOD_US EVERY NMIS LIMIT_S [late|xentrace]\n");
		return 2;
	}
	if (result < 0)
		fprintf(stderr,
			"flood: %s; EINVAL: this hypervisor is not built for tests, see "
			"xen-patch/build.sh --test\n",
			strerror(errno));
	strata_sysctl_close(&sysctl);
	return result ? 1 : 0;
}
