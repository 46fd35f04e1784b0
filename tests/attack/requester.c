// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * requester.c - a program whose requests are analysed: REQUESTER WHAT NUMBER.
 *
 *   serve N   begins and ends N requests, one after the other
 *   open N    only begins N requests
 *   names N   begins N requests of each of 512 names at once, then ends them
 */
#include <stdlib.h>
#include <string.h>

#include <strata/tracepoint.h>

STRATA_EVENT(requester, request_begin, strata_u64(id));
STRATA_EVENT(requester, request_end, strata_u64(id));

/* MACRO(n) for 512 names n, of which a program can have no more. */
#define FOUR(MACRO, n)    MACRO(n##0) MACRO(n##1) MACRO(n##2) MACRO(n##3)
#define SIXTEEN(MACRO, n) FOUR(MACRO, n##0) FOUR(MACRO, n##1) FOUR(MACRO, n##2) FOUR(MACRO, n##3)
#define MANY(MACRO, n) \
	SIXTEEN(MACRO, n##0) SIXTEEN(MACRO, n##1) SIXTEEN(MACRO, n##2) SIXTEEN(MACRO, n##3)
#define ALL(MACRO)     \
	MANY(MACRO, a) \
	MANY(MACRO, b) \
	MANY(MACRO, c) MANY(MACRO, d) MANY(MACRO, e) MANY(MACRO, f) MANY(MACRO, g) MANY(MACRO, h)

#define DECLARE(n)                                         \
	STRATA_EVENT(names, n##_begin, strata_u64(id));    \
	STRATA_EVENT(names, n##_end, strata_u64(id));      \
	static void run_##n(uint64_t nr)                   \
	{                                                  \
		uint64_t i;                                \
		for (i = 0; i < nr; i++)                   \
			STRATA_TRACE(names, n##_begin, i); \
		for (i = 0; i < nr; i++)                   \
			STRATA_TRACE(names, n##_end, i);   \
	}
#define RUN(n) run_##n,

ALL(DECLARE)

static void (*const all[])(uint64_t nr) = { ALL(RUN) };

int main(int argc, char **argv)
{
	uint64_t nr, i;

	if (argc != 3)
		return 2;
	nr = strtoull(argv[2], NULL, 10);
	for (i = 0; !strcmp(argv[1], "names") && i < sizeof(all) / sizeof(all[0]); i++)
		all[i](nr);
	for (i = 0; strcmp(argv[1], "names") && i < nr; i++) {
		STRATA_TRACE(requester, request_begin, i);
		if (!strcmp(argv[1], "serve"))
			STRATA_TRACE(requester, request_end, i);
	}
	return 0;
}
