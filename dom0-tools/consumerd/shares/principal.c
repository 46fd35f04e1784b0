// SPDX-License-Identifier: GPL-2.0-or-later
/* principal.c - see principal.h. */
#include "consumerd/shares/principal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <strata/known_name.h>

#include "base/clock.h"

#include "live/live_table.h"
#include "recording/recording.h"
#include "xen/domain_numbers.h"
#include "consumerd/shares/memory_limit.h"
#include "consumerd/shares/subordinate_uids.h"

/* Totals of a recorder, at one moment. */
#define CONNECTIONS_MAX 2048u
#define RINGS_MAX       16384u
#define TABLE_BYTES_MAX (256u << 20)

/* Parts of the memory that the recorder may use. The metadata of a source takes some 15 times as
 * much as its descriptions while it is written. */
#define RINGS_PART       2u
#define TABLE_PART       16u
#define DESCRIPTION_PART 32u

/* How many of the largest holders of a refused resource are named. */
#define HOLDERS_SHOWN 3u

#define SOURCES_BURST      256u
#define SOURCES_PER_1000_S 64000u

#define LINES_BURST      20u
#define LINES_PER_1000_S 100u

#define HYPERVISOR_QUANTA 8

static const char *const resource_names[PRINCIPAL_NR_RESOURCES] = {
	[PRINCIPAL_CONNECTIONS] = "connections",
	[PRINCIPAL_RINGS] = "rings",
	[PRINCIPAL_MEMORY_BYTES] = "bytes of ring memory",
	[PRINCIPAL_LIVE_SLOTS] = "streams that can be followed",
	[PRINCIPAL_SOURCES] = "sources in this recording",
	[PRINCIPAL_STREAMS] = "streams in this recording",
	[PRINCIPAL_GUEST_PAGES] = "mapped pages of guests",
	[PRINCIPAL_TABLE_BYTES] = "bytes for events of connected programs",
	[PRINCIPAL_DESCRIPTION_BYTES] = "bytes of event descriptions in this recording",
};

struct principals {
	struct principal **list;
	size_t nr;
	uint64_t totals[PRINCIPAL_NR_RESOURCES];
	bool refused;
	struct subordinate_uids subordinates;
	struct timespec subordinates_time; /* of the file that they were read from */
};

static const uint8_t no_uuid[PRINCIPAL_UUID_BYTES];

/* The file may change while a recording goes on: users are added. */
static void read_subordinates(struct principals *all)
{
	struct stat status;

	/* Another user may keep /etc locked.  Whoever changes the file has looked it up. */
	if (strata_known_stat(SUBUID_FILE, 0, &status) ||
	    !memcmp(&status.st_mtim, &all->subordinates_time, sizeof(status.st_mtim)))
		return;
	all->subordinates_time = status.st_mtim;
	subordinate_uids_read(&all->subordinates, SUBUID_FILE, PASSWD_FILE);
}

struct principals *principals_new(void)
{
	struct principals *all = calloc(1, sizeof(*all));
	const uint64_t memory = memory_limit();

	if (!all)
		return NULL;
	all->totals[PRINCIPAL_CONNECTIONS] = CONNECTIONS_MAX;
	all->totals[PRINCIPAL_RINGS] = RINGS_MAX;
	all->totals[PRINCIPAL_TABLE_BYTES] = TABLE_BYTES_MAX;
	all->totals[PRINCIPAL_LIVE_SLOTS] = STRATA_LIVE_SLOTS;
	all->totals[PRINCIPAL_GUEST_PAGES] = PRINCIPAL_GUEST_PAGES_MAX;
	all->totals[PRINCIPAL_SOURCES] = STRATA_SOURCES_MAX;
	all->totals[PRINCIPAL_STREAMS] = STRATA_STREAMS_MAX;
	all->totals[PRINCIPAL_DESCRIPTION_BYTES] = STRATA_DESCRIPTION_BYTES_MAX;
	all->totals[PRINCIPAL_MEMORY_BYTES] = memory / RINGS_PART;
	principals_lower_total(all, PRINCIPAL_TABLE_BYTES, memory / TABLE_PART);
	principals_lower_total(all, PRINCIPAL_DESCRIPTION_BYTES, memory / DESCRIPTION_PART);
	/* The first access puts the name into the kernel's cache (strata/known_name.h).  The file
	 * is read before the recording, because others may delay its reader (own_proc.h). */
	access(SUBUID_FILE, F_OK);
	read_subordinates(all);
	return all;
}

void principals_free(struct principals *all)
{
	size_t i;

	if (!all)
		return;
	for (i = 0; i < all->nr; i++)
		free(all->list[i]);
	free(all->list);
	subordinate_uids_clear(&all->subordinates);
	free(all);
}

static struct principal *find(struct principals *all, enum principal_kind kind, uint32_t id,
			      const uint8_t *uuid)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i]->kind == kind && all->list[i]->id == id &&
		    memcmp(all->list[i]->uuid, uuid, PRINCIPAL_UUID_BYTES) == 0)
			return all->list[i];
	return NULL;
}

static int64_t quantum_of(const struct principal *one, enum principal_work work)
{
	if (work == PRINCIPAL_TALKING)
		return PRINCIPAL_TALKING_BYTES;
	/* The hypervisor's rings contain the events of all domains. */
	return one->kind == PRINCIPAL_HYPERVISOR
		       ? (int64_t)PRINCIPAL_DRAINING_BYTES * HYPERVISOR_QUANTA
		       : PRINCIPAL_DRAINING_BYTES;
}

static struct principal *add(struct principals *all, enum principal_kind kind, uint32_t id,
			     const uint8_t *uuid)
{
	struct principal *one = calloc(1, sizeof(*one));
	struct principal **list = reallocarray(all->list, all->nr + 1, sizeof(struct principal *));

	if (list)
		all->list = list;
	if (!one || !list) {
		free(one);
		return NULL;
	}
	one->all = all;
	one->kind = kind;
	one->id = id;
	memcpy(one->uuid, uuid, sizeof(one->uuid));
	one->credit[PRINCIPAL_DRAINING] = quantum_of(one, PRINCIPAL_DRAINING);
	one->credit[PRINCIPAL_TALKING] = quantum_of(one, PRINCIPAL_TALKING);
	one->sources =
		(struct token_bucket){ .burst = SOURCES_BURST, .per_1000_s = SOURCES_PER_1000_S };
	one->memories = one->sources;
	one->lines = (struct token_bucket){ .burst = LINES_BURST, .per_1000_s = LINES_PER_1000_S };
	list[all->nr++] = one;
	return one;
}

struct principal *principals_user(struct principals *all, uint32_t uid)
{
	struct principal *one;

	read_subordinates(all);
	uid = subordinate_uids_owner(&all->subordinates, uid);
	one = find(all, PRINCIPAL_USER, uid, no_uuid);
	if (one)
		return one;
	one = add(all, PRINCIPAL_USER, uid, no_uuid);
	if (!one)
		return NULL;
	one->trusted = uid == 0 || uid == geteuid();
	snprintf(one->name, sizeof(one->name), "user %u", uid);
	return one;
}

struct principal *principals_domain(struct principals *all, uint32_t domain,
				    const uint8_t uuid[PRINCIPAL_UUID_BYTES], const char *name)
{
	const uint32_t id = memcmp(uuid, no_uuid, PRINCIPAL_UUID_BYTES) ? 0 : domain;
	struct principal *one = find(all, PRINCIPAL_DOMAIN, id, uuid);
	char shown[STRATA_ESCAPED_BYTES(PRINCIPAL_NAME_BYTES)];

	if (one)
		return one;
	one = add(all, PRINCIPAL_DOMAIN, id, uuid);
	if (!one)
		return NULL;
	/* Dom0's UUID is zero, and a guest's never is. */
	one->trusted = domain == 0;
	if (name[0])
		snprintf(one->name, sizeof(one->name), "domain %s",
			 strata_escape_name(shown, sizeof(shown),
					    strata_domain_shown_name(domain, name)));
	else
		snprintf(one->name, sizeof(one->name), "domain %u", domain);
	return one;
}

struct principal *principals_hypervisor(struct principals *all)
{
	struct principal *one = find(all, PRINCIPAL_HYPERVISOR, 0, no_uuid);

	if (one)
		return one;
	one = add(all, PRINCIPAL_HYPERVISOR, 0, no_uuid);
	if (!one)
		return NULL;
	one->trusted = true;
	snprintf(one->name, sizeof(one->name), "the hypervisor");
	return one;
}

/* Shares --------------------------------------------------------------------------------------- */

static uint64_t share_of(const struct principals *all, enum principal_resource resource)
{
	return all->totals[resource] / PRINCIPAL_SHARES;
}

/* The sum over all principals, or over the untrusted ones. */
static uint64_t sum(const struct principals *all, enum principal_resource resource, bool trusted)
{
	uint64_t used = 0;
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (trusted || !all->list[i]->trusted)
			used += all->list[i]->used[resource];
	return used;
}

/* The next largest holder: it holds less than @before, or comes after it in the table. */
static const struct principal *next_holder(const struct principals *all,
					   enum principal_resource resource,
					   const struct principal *before)
{
	const struct principal *best = NULL;
	bool is_behind = !before;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		const struct principal *one = all->list[i];
		uint64_t used = one->used[resource];

		if (used &&
		    (!before || used < before->used[resource] ||
		     (is_behind && used == before->used[resource])) &&
		    (!best || used > best->used[resource]))
			best = one;
		is_behind |= one == before;
	}
	return best;
}

static void tell_holders(const struct principal *asking, enum principal_resource resource,
			 uint64_t beside, char *text, size_t bytes)
{
	const struct principal *one = NULL;
	unsigned int shown = 0;
	size_t length = 0;

	text[0] = '\0';
	while (shown < HOLDERS_SHOWN && length < bytes &&
	       (one = next_holder(asking->all, resource, one))) {
		if (one == asking)
			continue;
		length += (size_t)snprintf(text + length, bytes - length, "%s%s %" PRIu64,
					   shown++ ? ", " : "; the others: ", one->name,
					   one->used[resource]);
	}
	if (beside && length < bytes)
		snprintf(text + length, bytes - length, "; other recorders: %" PRIu64, beside);
	else if (!shown)
		snprintf(text, bytes, "; others hold none");
}

int principal_claim_beside(struct principal *one, enum principal_resource resource, uint64_t amount,
			   const struct principal_beside *beside, struct strata_error *error)
{
	const struct principals *all = one->all;
	const uint64_t total = all->totals[resource], used = sum(all, resource, true) + beside->all;
	const uint64_t untrusted = sum(all, resource, false) + beside->untrusted;
	const uint64_t share = share_of(all, resource), own = one->used[resource] + beside->own;
	const bool fits = amount <= total && used <= total - amount;
	char holders[400];

	if (one->trusted ? fits
			 : fits && amount <= share && own <= share - amount &&
				   untrusted + amount <= total - share) {
		one->used[resource] += amount;
		return 0;
	}
	one->all->refused = true;
	tell_holders(one, resource, beside->all, holders, sizeof(holders));
	if (one->trusted)
		return strata_fail(error,
				   "%s holds %" PRIu64 " %s and asks for %" PRIu64 " more; %" PRIu64
				   " of %" PRIu64 " are in use%s",
				   one->name, own, resource_names[resource], amount, used, total,
				   holders);
	return strata_fail(
		error,
		"%s holds %" PRIu64 " of its share of %" PRIu64 " %s and asks for %" PRIu64
		" more; %" PRIu64 " of %" PRIu64 " are in use%s",
		one->name, own, share, resource_names[resource], amount, used, total, holders);
}

int principal_claim(struct principal *one, enum principal_resource resource, uint64_t amount,
		    struct strata_error *error)
{
	static const struct principal_beside nothing;

	return principal_claim_beside(one, resource, amount, &nothing, error);
}

void principal_give_back(struct principal *one, enum principal_resource resource, uint64_t amount)
{
	one->used[resource] -= amount < one->used[resource] ? amount : one->used[resource];
}

uint64_t principal_share(const struct principal *one, enum principal_resource resource)
{
	return one->trusted ? UINT64_MAX : share_of(one->all, resource);
}

uint64_t principals_untrusted_share(const struct principals *all, enum principal_resource resource)
{
	return all->totals[resource] - share_of(all, resource);
}

bool principals_refused(const struct principals *all)
{
	return all->refused;
}

void principals_set_total(struct principals *all, enum principal_resource resource, uint64_t total)
{
	all->totals[resource] = total;
}

void principals_lower_total(struct principals *all, enum principal_resource resource,
			    uint64_t total)
{
	if (total < all->totals[resource])
		all->totals[resource] = total;
}

bool principal_may_write(const struct principal *one, uint64_t bytes, uint64_t room)
{
	return one->trusted ||
	       (bytes <= room && one->written - one->removed + bytes <= room - bytes);
}

bool principal_may_make_files(const struct principal *one, uint64_t nr, uint64_t room)
{
	const uint64_t made = one->files - one->removed_files;

	if (one->trusted || (nr <= room && made + nr <= room - nr))
		return true;
	one->all->refused = true;
	return false;
}

void principal_note_written(struct principal *one, uint64_t bytes)
{
	one->written += bytes;
}

void principal_note_files(struct principal *one, uint64_t nr)
{
	one->files += nr;
}

void principal_note_undone(struct principal *one, uint64_t bytes, uint64_t files)
{
	one->written -= bytes;
	one->files -= files;
}

void principal_note_removed(struct principal *one, uint64_t bytes, uint64_t files)
{
	one->removed += bytes;
	one->removed_files += files;
}

bool principal_may_begin_source(struct principal *one)
{
	return one->trusted ||
	       token_bucket_take(&one->sources, clock_now_ms(CLOCK_MONOTONIC_COARSE));
}

bool principal_may_prepare_memory(struct principal *one)
{
	return one->trusted ||
	       token_bucket_take(&one->memories, clock_now_ms(CLOCK_MONOTONIC_COARSE));
}

/* Work ----------------------------------------------------------------------------------------- */

void principals_begin_turn(struct principals *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct principal *one = all->list[i];
		unsigned int work;

		for (work = 0; work < PRINCIPAL_NR_WORK; work++) {
			int64_t quantum = quantum_of(one, (enum principal_work)work);

			/* Unused credit is not saved: a burst would keep others waiting. */
			one->credit[work] += quantum;
			if (one->credit[work] > quantum)
				one->credit[work] = quantum;
		}
	}
}

bool principal_has_credit(const struct principal *one, enum principal_work work)
{
	return one->credit[work] > 0;
}

void principal_charge(struct principal *one, enum principal_work work, uint64_t bytes)
{
	one->credit[work] -= (int64_t)bytes;
}

/* Messages ------------------------------------------------------------------------------------- */

void principal_complain(struct principal *one, const char *format, ...)
{
	struct strata_error text = { "" };
	va_list args;

	if (!one->trusted &&
	    !token_bucket_take(&one->lines, clock_now_ms(CLOCK_MONOTONIC_COARSE))) {
		one->unprinted++;
		return;
	}
	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	fprintf(stderr, "strata: %s\n", text.text);
}

void principals_sum_up(struct principals *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->list[i]->unprinted)
			fprintf(stderr, "strata: %s caused %" PRIu64 " more messages like these\n",
				all->list[i]->name, all->list[i]->unprinted);
		all->list[i]->unprinted = 0;
	}
}
