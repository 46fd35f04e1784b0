// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forger.c - FORGER PID: a program whose records say that they are of the process PID, 100 of them;
 * then it waits until it is killed.
 *
 * It lies to libstrata, instead of changing what libstrata knows: a record that single stores could
 * not write takes the process and thread from libstrata's own memory.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <strata/tracepoint.h>

STRATA_EVENT(forger, forged, strata_u32(number));

static pid_t claimed;
/* The main thread's alone: libstrata's thread needs the true pid. */
static __thread bool lies;

static long (*true_syscall(void))(long, ...)
{
	return (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

pid_t getpid(void)
{
	return lies ? claimed : (pid_t)true_syscall()(SYS_getpid);
}

long syscall(long number, ...)
{
	long of[6];
	va_list list;
	int i;

	if (lies && number == SYS_gettid)
		return claimed;
	va_start(list, number);
	for (i = 0; i < 6; i++)
		of[i] = va_arg(list, long);
	va_end(list);
	return true_syscall()(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

int main(int argc, char **argv)
{
	uint32_t i;

	if (argc != 2)
		return 2;
	claimed = atoi(argv[1]);
	lies = true;
	for (i = 0; i < 100; i++)
		STRATA_TRACE(forger, forged, i);
	lies = false;
	printf("done\n");
	fflush(stdout);
	pause();
	return 0;
}
