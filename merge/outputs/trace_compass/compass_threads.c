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
	strata_id_map_free(&threads->of);
	memset(threads, 0, sizeof(*threads));
}

static void name_thread(const struct compass_threads *threads, struct compass_thread *thread)
{
	char domain[STRATA_DOMAIN_TEXT_BYTES];

	strata_recorded_domain_text(threads->host, thread->domain, domain);
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
	const uint32_t key = strata_vcpu_key(domain, vcpu);
	struct compass_thread *thread = strata_id_map_find(&threads->of, key);

	if (thread)
		return thread;
	if (vcpu > VCPU_MAX || threads->of.nr == THREADS_MAX) {
		threads->odd++;
		return NULL;
	}
	thread = calloc(1, sizeof(*thread));
	if (!thread || strata_id_map_add(&threads->of, key, thread)) {
		free(thread);
		threads->no_memory = true;
		return NULL;
	}
	thread->domain = domain;
	thread->vcpu = vcpu;
	name_thread(threads, thread);
	return thread;
}
