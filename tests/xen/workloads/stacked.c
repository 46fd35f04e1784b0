// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacked N PHASE - makes N system calls that a trace can be searched for (marked.c), each from a
 * function that a function calls, and all with frame pointers, as a program of nice value 7.
 *
 * It first prints its process's number, and the two addresses that a walk over the frames of such a
 * call must find behind that of the call itself: in the caller, and in main().
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define MARK_WHICH 0x5354
#define MARK_WHO   0x52415441

/* In the function itself: the C library's has no frame pointer. */
static __attribute__((noinline)) void call(long phase, void **ret)
{
	long result = SYS_getpriority;

	*ret = __builtin_return_address(0);
	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(MARK_WHICH), "S"(MARK_WHO), "d"(phase)
			 : "rcx", "r11", "memory");
}

static __attribute__((noinline)) void call_from_here(long phase, void *rets[2])
{
	rets[1] = __builtin_return_address(0);
	call(phase, &rets[0]);
	/* So that the call above is not the last thing done. */
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	const long calls = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	const long phase = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	void *rets[2] = { NULL, NULL };
	long i;

	if (calls < 1) {
		fprintf(stderr, "usage: stacked N PHASE (N at least 1)\n");
		return EXIT_FAILURE;
	}
	if (nice(7) != 7) {
		perror("stacked: nice");
		return EXIT_FAILURE;
	}
	for (i = 0; i < calls; i++)
		call_from_here(phase, rets);
	printf("stacked: phase %ld process %d frames %p %p\n", phase, getpid(), rets[0], rets[1]);
	return EXIT_SUCCESS;
}
