// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operations.c - the operations of check_platform.h and the plain accesses that the
 * compiler announces, as steps of the search; and what a weakness makes of them.
 */
#include <string.h>

#include "steps.h"
#include "weaken.h"

bool strata_check_writers_share_cpu = true;
const struct weakness *weakened;

/* What a context knows of the words that a weakness affects. */
#define VIEWS_MAX 8u

struct views {
	const volatile void *word[VIEWS_MAX];
	uint64_t value[VIEWS_MAX];
	unsigned int nr;
	enum strata_check_kind last_kind;
	/* A store that waits for the next release. */
	volatile void *swapped;
	size_t swapped_bytes;
	uint64_t swapped_value;
};

static struct views views[EXPLORE_CONTEXTS_MAX];
static uint64_t clock_ticks;

static struct views *my_views(void)
{
	return &views[explore_context()];
}

void weaken_forget(void)
{
	if (explore_running)
		memset(my_views(), 0, sizeof(struct views));
}

static bool is_step(const volatile void *at)
{
	return explore_running && memory_is_shared(at);
}

static bool is_weakened(enum weakening how, enum strata_check_kind kind, const volatile void *at)
{
	return weakened && weakened->how == how && weakened->kind == kind &&
	       (!weakened->at || weakened->at(at)) &&
	       (!weakened->behind || my_views()->last_kind == weakened->behind_kind);
}

static bool stale_view(const volatile void *at, uint64_t *value)
{
	const struct views *mine = my_views();
	unsigned int i;

	for (i = 0; i < mine->nr; i++) {
		if (mine->word[i] == at) {
			*value = mine->value[i];
			return true;
		}
	}
	return false;
}

static void remember(enum strata_check_kind kind, const volatile void *at, uint64_t value)
{
	struct views *mine = my_views();
	unsigned int i;

	if (!weakened)
		return;
	mine->last_kind = kind;
	if (weakened->how != WEAKEN_STALE || (weakened->at && !weakened->at(at)))
		return;
	for (i = 0; i < mine->nr && mine->word[i] != at; i++)
		;
	if (i == VIEWS_MAX)
		return;
	mine->word[i] = at;
	mine->value[i] = value;
	if (i == mine->nr)
		mine->nr++;
}

static uint64_t get(const volatile void *at, size_t bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)at;
	case 2:
		return *(const volatile uint16_t *)at;
	case 4:
		return *(const volatile uint32_t *)at;
	default:
		return *(const volatile uint64_t *)at;
	}
}

static void put(volatile void *at, size_t bytes, uint64_t value)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(volatile uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(volatile uint64_t *)at = value;
		break;
	}
}

static void step(enum strata_check_kind kind, const volatile void *at, size_t bytes, bool loads,
		 bool stores, bool waits)
{
	struct step one = {
		.kind = kind,
		.from = (uintptr_t)at,
		.to = (uintptr_t)at + bytes,
		.loads = loads,
		.stores = stores,
		.waits = waits,
	};

	explore_step(&one);
}

uint64_t strata_check_load(enum strata_check_kind kind, const volatile void *at, size_t bytes)
{
	uint64_t value;

	if (!is_step(at))
		return get(at, bytes);
	if (is_weakened(WEAKEN_STALE, kind, at) && stale_view(at, &value)) {
		remember(kind, at, value);
		return value;
	}
	if (is_weakened(WEAKEN_ELSEWHERE, kind, at))
		at = weakened->elsewhere(at);
	step(kind, at, bytes, true, false, false);
	value = get(at, bytes);
	explore_says(value);
	remember(kind, at, value);
	return value;
}

static void store(enum strata_check_kind kind, volatile void *at, size_t bytes, uint64_t value)
{
	step(kind, at, bytes, false, true, false);
	put(at, bytes, value);
	explore_says(value);
	remember(kind, at, value);
}

void strata_check_store(enum strata_check_kind kind, volatile void *at, size_t bytes,
			uint64_t value)
{
	struct views *mine;

	if (!is_step(at)) {
		put(at, bytes, value);
		return;
	}
	mine = my_views();
	if (is_weakened(WEAKEN_SWAPPED, kind, at)) {
		mine->swapped = at;
		mine->swapped_bytes = bytes;
		mine->swapped_value = value;
		return;
	}
	if (is_weakened(WEAKEN_UNORDERED, kind, at))
		kind = STRATA_CHECK_WRITE_ONCE;
	store(kind, at, bytes, value);
	if (kind == STRATA_CHECK_STORE_RELEASE && mine->swapped) {
		at = mine->swapped;
		mine->swapped = NULL;
		store(kind, at, mine->swapped_bytes, mine->swapped_value);
	}
}

/* Only where one CPU has all writers is a local operation no barrier. */
static bool is_barrier(enum strata_check_kind kind, const volatile void *at)
{
	if (is_weakened(WEAKEN_UNORDERED, kind, at))
		return false;
	return kind == STRATA_CHECK_CMPXCHG || kind == STRATA_CHECK_FETCH_ADD ||
	       !strata_check_writers_share_cpu;
}

/* One read-modify-write, or two steps where the weakness splits it; returns the word's old value.
 */
static uint64_t modify(enum strata_check_kind kind, volatile void *at, size_t bytes, bool compares,
		       uint64_t old, uint64_t operand)
{
	bool in_two = is_weakened(WEAKEN_IN_TWO, kind, at);
	uint64_t held, value;

	if (in_two)
		step(STRATA_CHECK_PLAIN_LOAD, at, bytes, true, false, false);
	else
		step(kind, at, bytes, true, true, is_barrier(kind, at));
	held = get(at, bytes);
	value = compares ? operand : held + operand;
	if (compares && held != old)
		value = held;
	if (in_two) {
		explore_says(held);
		if (value == held)
			return held;
		step(STRATA_CHECK_WRITE_ONCE, at, bytes, false, true, false);
	}
	put(at, bytes, value);
	explore_says(value);
	remember(kind, at, value);
	return held;
}

uint64_t strata_check_cmpxchg(enum strata_check_kind kind, volatile void *at, size_t bytes,
			      uint64_t old, uint64_t new_value)
{
	uint64_t held;

	if (is_step(at)) {
		if (is_weakened(WEAKEN_SKIPPED, kind, at))
			return old;
		return modify(kind, at, bytes, true, old, new_value);
	}
	held = get(at, bytes);
	if (held == old)
		put(at, bytes, new_value);
	return held;
}

uint64_t strata_check_add(enum strata_check_kind kind, volatile void *at, size_t bytes,
			  uint64_t addend)
{
	uint64_t held;

	if (is_step(at)) {
		if (addend == 0 && is_weakened(WEAKEN_TO_LOAD, kind, at))
			return strata_check_load(STRATA_CHECK_READ_ONCE, at, bytes);
		return modify(kind, at, bytes, false, 0, addend);
	}
	held = get(at, bytes);
	put(at, bytes, held + addend);
	return held;
}

void explore_set_clock(uint64_t ticks)
{
	const volatile void *word = (const volatile void *)memory_clock();

	if (explore_running)
		step(STRATA_CHECK_CLOCK, word, 8, true, true, false);
	clock_ticks = ticks;
	explore_says(ticks);
}

uint64_t strata_check_clock(void)
{
	const volatile void *word = (const volatile void *)memory_clock();
	uint64_t value;

	if (!explore_running)
		return clock_ticks++;
	if (is_weakened(WEAKEN_STALE, STRATA_CHECK_CLOCK, word) && stale_view(word, &value))
		return value;
	step(STRATA_CHECK_CLOCK, word, 8, true, true, false);
	value = clock_ticks++;
	explore_says(value);
	remember(STRATA_CHECK_CLOCK, word, value);
	return value;
}

void strata_check_copy(void *to, const void *from, size_t bytes)
{
	if (is_step(from)) {
		step(STRATA_CHECK_COPY, from, bytes, true, false, false);
		remember(STRATA_CHECK_COPY, from, 0);
	}
	memcpy(to, from, bytes);
}

/* The compiler calls this before each plain access: see -fsanitize=thread. */
static void plain(const void *at, size_t bytes, bool stores)
{
	if (!is_step(at))
		return;
	step(stores ? STRATA_CHECK_PLAIN_STORE : STRATA_CHECK_PLAIN_LOAD, at, bytes, !stores,
	     stores, false);
	/* The stored value is known at the next step. */
	if (!stores && bytes <= 8)
		explore_says(get(at, bytes));
}

#define PLAIN_ACCESS(bytes)                           \
	void __tsan_read##bytes(void *at);            \
	void __tsan_read##bytes(void *at)             \
	{                                             \
		plain(at, bytes, false);              \
	}                                             \
	void __tsan_write##bytes(void *at);           \
	void __tsan_write##bytes(void *at)            \
	{                                             \
		plain(at, bytes, true);               \
	}                                             \
	void __tsan_unaligned_read##bytes(void *at);  \
	void __tsan_unaligned_read##bytes(void *at)   \
	{                                             \
		plain(at, bytes, false);              \
	}                                             \
	void __tsan_unaligned_write##bytes(void *at); \
	void __tsan_unaligned_write##bytes(void *at)  \
	{                                             \
		plain(at, bytes, true);               \
	}

PLAIN_ACCESS(1)
PLAIN_ACCESS(2)
PLAIN_ACCESS(4)
PLAIN_ACCESS(8)
PLAIN_ACCESS(16)

void __tsan_read_range(void *at, size_t bytes);
void __tsan_read_range(void *at, size_t bytes)
{
	plain(at, bytes, false);
}

void __tsan_write_range(void *at, size_t bytes);
void __tsan_write_range(void *at, size_t bytes)
{
	plain(at, bytes, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
