// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_kernel_memory.c - LD_PRELOAD for a recorder: it may not make memory of the kernel's
 * (consumerd/host/kernel_memory.h), as in a container, and so rings lie in anonymous files.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGUMENTS_MAX 6

typedef long (*numbered_call)(long, long, long, long, long, long, long);

long syscall(long number, ...)
{
	long argument[ARGUMENTS_MAX];
	va_list arguments;
	int i;

	if (number == SYS_bpf) {
		errno = EPERM;
		return -1;
	}
	/* Of those that were not given, the kernel reads none. */
	va_start(arguments, number);
	for (i = 0; i < ARGUMENTS_MAX; i++)
		argument[i] = va_arg(arguments, long);
	va_end(arguments);
	return ((numbered_call)dlsym(RTLD_NEXT, "syscall"))(number, argument[0], argument[1],
							    argument[2], argument[3], argument[4],
							    argument[5]);
}
