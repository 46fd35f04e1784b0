/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weaken.h - the negative twins of the checked operations: one operation of the core does less than
 * it promises.  A checker that does not refute them proves nothing.
 */
#ifndef STRATA_TESTS_WEAKEN_H
#define STRATA_TESTS_WEAKEN_H

#include "check_platform.h"

enum weakening {
	WEAKEN_IN_TWO,    /* a read-modify-write is a load, and then a store */
	WEAKEN_UNORDERED, /* no release, no barrier */
	WEAKEN_TO_LOAD,   /* an add is a load */
	WEAKEN_STALE,     /* a load sees the value that its context saw or stored there before */
	WEAKEN_SKIPPED,   /* a compare-and-swap does nothing, and reports success */
	WEAKEN_SWAPPED,   /* a store comes behind the next release of its context */
	WEAKEN_ELSEWHERE, /* a load is of another word */
};

struct weakness {
	const char *name;
	enum weakening how;
	enum strata_check_kind kind; /* of the operation that is weakened */
	bool (*at)(const volatile void *word);
	/* What the context did just before, if @behind makes that matter. */
	bool behind;
	enum strata_check_kind behind_kind;
	const volatile void *(*elsewhere)(const volatile void *word);
};

/* The weakness that is on; NULL: none. */
extern const struct weakness *weakened;

/* The context's stale views end: it begins something new. */
void weaken_forget(void);

#endif /* STRATA_TESTS_WEAKEN_H */
