/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - random numbers that a seed gives again, and those at which
 * arithmetic breaks.
 */
#ifndef STRATA_TESTS_FUZZ_RANDOM_H
#define STRATA_TESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct randomness {
	uint64_t state;
};

/* splitmix64: any state is a good one, and neighbours share nothing. */
static inline uint64_t random_next(struct randomness *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* 0 .. limit - 1 */
static inline uint32_t random_below(struct randomness *random, uint32_t limit)
{
	return (uint32_t)(random_next(random) % limit);
}

static inline bool random_one_in(struct randomness *random, uint32_t chances)
{
	return random_below(random, chances) == 0;
}

/* A number to put in the place of @was. */
static inline uint64_t random_awkward(struct randomness *random, uint64_t was)
{
	static const uint64_t numbers[] = {
		0,          1,          2,           3,           7,           8,
		11,         12,         13,          22,          23,          64,
		103,        104,        255,         256,         257,         4095,
		4096,       4097,       0xfffe,      0xffff,      0x10000,     0x1ffff,
		131072,     131073,     0x3fffff,    0x400000,    0x7fffffff,  0x80000000u,
		0xffffffff, 1ull << 32, 104ull * 8,  4096ull * 8, 4097ull * 8, INT64_MAX,
		1ull << 63, UINT64_MAX, 0xc1fc1fc1u, 65536 * 8,
	};

	switch (random_below(random, 8)) {
	case 0:
		return was + 1;
	case 1:
		return was - 1;
	case 2:
		return was ^ 1ull << random_below(random, 64);
	case 3:
		return was + (1ull << random_below(random, 64));
	case 4:
		return random_next(random);
	default:
		return numbers[random_below(random, sizeof(numbers) / sizeof(numbers[0]))];
	}
}

#endif /* STRATA_TESTS_FUZZ_RANDOM_H */
