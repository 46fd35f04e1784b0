// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probed N PHASE - calls N times two functions that uprobes are set on, with arguments that follow
 * from the number of the call: (PHASE << 32) + 0, 1, ...
 *
 * It first prints its process's number, the addresses of both functions, and where in its file the
 * second one begins.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INNER 0x5a5a5a5a00000000u

struct call {
	uint64_t inner; /* number ^ INNER */
	char text[24];  /* "call-I" */
};

/* Returns number * 3. */
__attribute__((noinline)) long strata_probed(long number, const struct call *call, const char *also)
{
	/* So that no copy of it is made for what it is called with. */
	__asm__ volatile("" : "+r"(number), "+r"(call), "+r"(also)::"memory");
	return number * 3;
}

/* At + 5, %ax is the first argument + 1. */
long strata_places(long number);
__asm__(".text\n"
	".globl strata_places\n"
	".type strata_places, @function\n"
	"strata_places:\n"
	"	nop\n"
	"	lea 1(%rdi), %rax\n"
	"	nop\n"
	"	ret\n"
	".size strata_places, . - strata_places\n");

/* Returns the offset of an address of this program in its file. */
static unsigned long offset_of(unsigned long address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end, offset, found = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    address >= begin && address < end)
			found = address - begin + offset;
	if (maps)
		fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	const long calls = argc == 3 ? strtol(argv[1], NULL, 10) : -1;
	const long phase = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	long i;

	if (calls < 0) {
		fprintf(stderr, "usage: probed N PHASE\n");
		return EXIT_FAILURE;
	}
	for (i = 0; i < calls; i++) {
		const long number = (phase << 32) + i;
		struct call call = { .inner = (uint64_t)number ^ INNER };
		char also[24];

		snprintf(call.text, sizeof(call.text), "call-%u", (unsigned int)i);
		snprintf(also, sizeof(also), "also-%u", (unsigned int)i);
		if (strata_probed(number, &call, also) != number * 3 ||
		    strata_places(number) != number + 1) {
			fprintf(stderr, "probed: a function returns another value\n");
			return EXIT_FAILURE;
		}
	}
	printf("probed: phase %ld process %d functions %p %p offset %#lx\n", phase, getpid(),
	       (void *)strata_probed, (void *)strata_places,
	       offset_of((unsigned long)strata_places));
	return EXIT_SUCCESS;
}
