/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * principal.h - accounts for the resources of a recorder by principal: a user, a Xen domain or the
 * hypervisor.  Its programs, connections, rings and sources are counted together.
 *
 * An untrusted principal may use a fixed share of each resource, an eighth of the total, and all
 * untrusted ones together may use seven eighths. Root, the recording user, dom0 and the hypervisor
 * are trusted: only the totals limit them. docs/security.md has the numbers.
 *
 * One thread uses a table.
 */
#ifndef STRATA_CONSUMERD_PRINCIPAL_H
#define STRATA_CONSUMERD_PRINCIPAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/escape.h"
#include "consumerd/shares/token_bucket.h"

enum principal_kind {
	PRINCIPAL_HYPERVISOR,
	PRINCIPAL_USER,
	PRINCIPAL_DOMAIN,
};

/* Pages of guests that all recorders map together.  Each is an entry of dom0's table of mappings,
 * which Xen limits to 262,144 (gnttab_max_maptrack_frames=1024): a quarter is left for dom0's other
 * mappings. */
#define PRINCIPAL_GUEST_PAGES_MAX 196608u

enum principal_resource {
	PRINCIPAL_CONNECTIONS,       /* of applications, at this moment */
	PRINCIPAL_RINGS,             /* that are drained at this moment */
	PRINCIPAL_MEMORY_BYTES,      /* of applications' rings, at this moment */
	PRINCIPAL_LIVE_SLOTS,        /* of the live table, for viewers of a running recording */
	PRINCIPAL_SOURCES,           /* in the recording */
	PRINCIPAL_STREAMS,           /* in the recording */
	PRINCIPAL_DESCRIPTION_BYTES, /* of events, in the recording */
	PRINCIPAL_TABLE_BYTES,       /* of connected applications' event tables, in our memory */
	PRINCIPAL_GUEST_PAGES,       /* that are mapped at this moment */
	PRINCIPAL_NR_RESOURCES,
};

/* The part of each total that an untrusted principal may use, and that is left for trusted ones. */
#define PRINCIPAL_SHARES 8u

#define PRINCIPAL_UUID_BYTES 16u
#define PRINCIPAL_NAME_BYTES 80u

struct principals;
struct principal;

/* An empty table; NULL: out of memory. */
struct principals *principals_new(void);

/* Frees the table and all its principals. */
void principals_free(struct principals *all);

/*
 * The principal of a user id (the owner of a subordinate one), or of a domain. A domain gets a new
 * number at each reboot, so it is identified by the UUID that dom0's tools gave it, and by the
 * number only if that is zero. Valid until principals_free(). NULL: out of memory.
 * @name: for messages
 */
struct principal *principals_user(struct principals *all, uint32_t uid);
struct principal *principals_domain(struct principals *all, uint32_t domain,
				    const uint8_t uuid[PRINCIPAL_UUID_BYTES], const char *name);
struct principal *principals_hypervisor(struct principals *all);

/* Takes @amount of a resource.  Returns 0, or -1: the share or the total is used up, and @error
 * names the holders of most of it. */
int principal_claim(struct principal *one, enum principal_resource resource, uint64_t amount,
		    struct strata_error *error);

/* What other recorders use of a resource of the whole machine: of a principal's, of all untrusted
 * ones', and in all. */
struct principal_beside {
	uint64_t own, untrusted, all;
};

/* As principal_claim(); what is used beside us counts as if we used it. */
int principal_claim_beside(struct principal *one, enum principal_resource resource, uint64_t amount,
			   const struct principal_beside *beside, struct strata_error *error);

/* Gives back a claimed amount. */
void principal_give_back(struct principal *one, enum principal_resource resource, uint64_t amount);

/* The most that a principal may have of a resource, and all untrusted ones together.  UINT64_MAX: a
 * trusted one, which the total alone limits. */
uint64_t principal_share(const struct principal *one, enum principal_resource resource);
uint64_t principals_untrusted_share(const struct principals *all, enum principal_resource resource);

/* Whether any principal has been refused a resource. */
bool principals_refused(const struct principals *all);

/* Sets a total; the share is an eighth of it. */
void principals_set_total(struct principals *all, enum principal_resource resource, uint64_t total);

/* Lowers a total to this value. */
void principals_lower_total(struct principals *all, enum principal_resource resource,
			    uint64_t total);

/*
 * Whether a principal may write @bytes more to a recording while @room bytes of the disk are free.
 * An untrusted one may not use more than it then leaves for all others.
 */
bool principal_may_write(const struct principal *one, uint64_t bytes, uint64_t room);

/*
 * Whether a principal may make @nr more files in a recording while the disk has room for @room of
 * them.  An untrusted one may not make more than it then leaves for all others.
 */
bool principal_may_make_files(const struct principal *one, uint64_t nr, uint64_t room);

/* Counts bytes that a principal has written to the recording: packets, and its part of the tables.
 */
void principal_note_written(struct principal *one, uint64_t bytes);

/* Counts files that it has made there. */
void principal_note_files(struct principal *one, uint64_t nr);

/* Takes back what was counted for a source of the present recording that left nothing there. */
void principal_note_undone(struct principal *one, uint64_t bytes, uint64_t files);

/* Gives back the bytes and files of an ended recording that was removed. */
void principal_note_removed(struct principal *one, uint64_t bytes, uint64_t files);

/* Whether it may begin another source now: an untrusted one 256 at once, then 64 a second. */
bool principal_may_begin_source(struct principal *one);

/* Whether memory may be made for a program of its that has not begun a source: likewise. */
bool principal_may_prepare_memory(struct principal *one);

/*
 * Work.  In each turn of the recorder's loop a principal may use a quantum of each kind of work,
 * in drained bytes; other work is charged in proportion to its cost.  A step that has begun is
 * finished, and its excess is paid in the following turns (deficit round robin).
 */
enum principal_work {
	PRINCIPAL_DRAINING, /* its rings */
	PRINCIPAL_TALKING,  /* its connections: messages and set-up */
	PRINCIPAL_NR_WORK,
};

/* For reading; only the functions here change it. */
struct principal {
	struct principals *all;
	enum principal_kind kind;
	uint32_t id; /* of the user; of a domain without a UUID */
	bool trusted;
	uint8_t uuid[PRINCIPAL_UUID_BYTES]; /* of a domain; else zero */
	/* "user 1000", "domain g1", "the hypervisor"; already safe to print. */
	char name[STRATA_ESCAPED_BYTES(PRINCIPAL_NAME_BYTES) + 16];
	uint64_t used[PRINCIPAL_NR_RESOURCES];
	int64_t credit[PRINCIPAL_NR_WORK]; /* bytes of work that may be done in this turn */
	uint64_t written;                  /* bytes, in all recordings */
	uint64_t removed;                  /* of these, in recordings that were removed */
	uint64_t files;                    /* in all recordings */
	uint64_t removed_files;            /* likewise */
	struct token_bucket sources, memories;
	struct token_bucket lines;
	uint64_t unprinted;     /* lines */
	uint64_t looks_from_ns; /* its processes are not looked at before (apps_look.c) */
	uint64_t went_on_ms;    /* when a helper last had done something for its programs */
};

/* The hypervisor's for draining is eight times that. */
#define PRINCIPAL_DRAINING_BYTES (1u << 20)
#define PRINCIPAL_TALKING_BYTES  (256u << 10)

/* Files of a source besides its streams: its directory, its metadata, and the new copies of these
 * while they are being replaced. */
#define PRINCIPAL_SOURCE_FILES 3u

/* The least cost of a step. */
#define PRINCIPAL_STEP_BYTES 4096u

/* The cost of making or closing a file, and of setting up a ring. */
#define PRINCIPAL_FILE_BYTES (32u << 10)

/* The cost of mapping and unmapping a page of a guest. */
#define PRINCIPAL_PAGE_BYTES 512u

/* The cost of each microsecond that the recorder waits for Xen on behalf of the principal. */
#define PRINCIPAL_US_BYTES 256u

void principals_begin_turn(struct principals *all);

/* Whether it has credit left in this turn. */
bool principal_has_credit(const struct principal *one, enum principal_work work);

void principal_charge(struct principal *one, enum principal_work work, uint64_t bytes);

/*
 * Prints "strata: " and a line to stderr about something that a principal caused.  An untrusted
 * one may cause 20 lines at once, then one each 10 s; others are counted.
 */
void principal_complain(struct principal *one, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints for each principal how many lines were not printed since this was called last. */
void principals_sum_up(struct principals *all);

#endif /* STRATA_CONSUMERD_PRINCIPAL_H */
