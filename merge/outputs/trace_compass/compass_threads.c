// SPDX-License-Identifier: GPL-2.0-or-later
/* compass_threads.c - see compass_threads.h. */
#include "outputs/trace_compass/compass_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xen/domain_numbers.h"

#define TIDS_OF_DOMAIN 10000
#define VCPU_MAX       (TIDS_OF_DOMAIN - 2) /* Xen has fewer */
#define THREADS_MAX    65536u               /* a hostile file could name 2^32 */

void strata_compass_domain_name(const struct strata_recorded_host *host, uint16_t domain,
				char name[COMPASS_COMM_BYTES])
{
	const char *known = strata_recorded_domain_name(host, domain);

	if (known)
		snprintf(name, COMPASS_COMM_BYTES, "%s", known);
	else
		snprintf(name, COMPASS_COMM_BYTES, "d%u", domain);
}

void strata_compass_threads_init(struct compass_threads *threads,
				 const struct strata_recorded_host *host)
{
	memset(threads, 0, sizeof(*threads));
	threads->host = host;
	threads->unrecorded.tid = COMPASS_TID_UNRECORDED;
	threads->unrecorded.pid = COMPASS_TID_UNRECORDED;
	snprintf(threads->unrecorded.comm, COMPASS_COMM_BYTES, "not recorded");
}

void strata_compass_threads_clear(struct compass_threads *threads)
{
	uint32_t i;

	for (i = 0; i < threads->capacity; i++)
		free(threads->by_hash[i]);
	free(threads->by_hash);
	memset(threads, 0, sizeof(*threads));
}

/* Where a vCPU's thread is, or would be. */
static uint32_t find(struct compass_thread *const *by_hash, uint32_t capacity, uint16_t domain,
		     uint16_t vcpu)
{
	uint32_t at = (((uint32_t)domain << 16 | vcpu) * 0x9e3779b1u) & (capacity - 1);

	while (by_hash[at] && (by_hash[at]->domain != domain || by_hash[at]->vcpu != vcpu))
		at = (at + 1) & (capacity - 1);
	return at;
}

static bool grow(struct compass_threads *threads)
{
	const uint32_t capacity = threads->capacity ? threads->capacity * 2 : 64;
	struct compass_thread **by_hash;
	uint32_t i;

	if (threads->nr * 2 < threads->capacity)
		return true;
	by_hash = calloc(capacity, sizeof(struct compass_thread *));
	if (!by_hash)
		return false;
	for (i = 0; i < threads->capacity; i++) {
		struct compass_thread *thread = threads->by_hash[i];

		if (thread)
			by_hash[find(by_hash, capacity, thread->domain, thread->vcpu)] = thread;
	}
	free(threads->by_hash);
	threads->by_hash = by_hash;
	threads->capacity = capacity;
	return true;
}

static void name_thread(const struct compass_threads *threads, struct compass_thread *thread)
{
	char domain[COMPASS_COMM_BYTES];

	strata_compass_domain_name(threads->host, thread->domain, domain);
	snprintf(thread->comm, sizeof(thread->comm), "%.80s/%u", domain, thread->vcpu);
	if (thread->domain == STRATA_DOMID_IDLE)
		return;
	thread->is_vcpu = true;
	thread->has_guest_mode =
		strata_xen_scan_has_guest_mode(&threads->host->scan, thread->domain);
	thread->pid = TIDS_OF_DOMAIN * (thread->domain + 1);
	thread->tid = thread->pid + 1 + thread->vcpu;
}

struct compass_thread *strata_compass_thread(struct compass_threads *threads, uint16_t domain,
					     uint16_t vcpu)
{
	struct compass_thread *thread;
	uint32_t at;

	if (threads->capacity) {
		at = find(threads->by_hash, threads->capacity, domain, vcpu);
		if (threads->by_hash[at])
			return threads->by_hash[at];
	}
	if (vcpu > VCPU_MAX || threads->nr == THREADS_MAX) {
		threads->odd++;
		return NULL;
	}
	thread = grow(threads) ? calloc(1, sizeof(*thread)) : NULL;
	if (!thread) {
		threads->no_memory = true;
		return NULL;
	}
	thread->domain = domain;
	thread->vcpu = vcpu;
	name_thread(threads, thread);
	threads->by_hash[find(threads->by_hash, threads->capacity, domain, vcpu)] = thread;
	threads->nr++;
	return thread;
}
