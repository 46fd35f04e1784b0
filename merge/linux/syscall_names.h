/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall_names.h - the system calls of Linux on x86-64 by name.
 *
 * A record of a system call carries its number.  One that a 32-bit program makes has a
 * number of another list, and nothing in the record tells; it gets the name that the number
 * has here.
 */
#ifndef STRATA_MERGE_SYSCALL_NAMES_H
#define STRATA_MERGE_SYSCALL_NAMES_H

#include <stdint.h>

/* "openat"; NULL: there is none of that number. */
const char *strata_syscall_name(int64_t number);

#endif /* STRATA_MERGE_SYSCALL_NAMES_H */
