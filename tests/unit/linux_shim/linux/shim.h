/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shim.h - the part of a Linux kernel that the module's files need which are tested without one.
 * Memory behind copy_from_kernel_nofault() and copy_from_user_nofault() is the test's.
 */
#ifndef STRATA_TESTS_LINUX_SHIM_H
#define STRATA_TESTS_LINUX_SHIM_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __user
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

#define __printf(text, args) __attribute__((format(__printf__, text, args)))

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

static inline long strscpy(char *to, const char *from, size_t bytes)
{
	size_t length = strnlen(from, bytes);

	if (length == bytes)
		return -E2BIG;
	memcpy(to, from, length + 1);
	return (long)length;
}

static inline int kstrtouint(const char *text, unsigned int base, unsigned int *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, (int)base);
	if (!isalnum((unsigned char)*text) || *end || errno || value > UINT_MAX)
		return -EINVAL;
	*number = (unsigned int)value;
	return 0;
}

/* Returns the length of the text that it wrote. */
static inline int vscnprintf(char *to, size_t bytes, const char *format, va_list args)
{
	const int length = vsnprintf(to, bytes, format, args);

	return (size_t)length < bytes ? length : (int)bytes - 1;
}

__printf(3, 4) static inline int scnprintf(char *to, size_t bytes, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vscnprintf(to, bytes, format, args);
	va_end(args);
	return length;
}

long copy_from_kernel_nofault(void *to, const void *from, size_t bytes);
long copy_from_user_nofault(void *to, const void *from, size_t bytes);

#endif /* STRATA_TESTS_LINUX_SHIM_H */
