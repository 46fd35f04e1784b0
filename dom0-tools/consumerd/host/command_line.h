/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h - keeps other users from holding the lock of the recorder's address space.
 *
 * Every user may read /proc/PID/cmdline of every process.  The kernel reads the arguments out of
 * that process's memory, and may give the CPU to others meanwhile: a reader of the lowest priority,
 * beside busy programs, keeps the lock of the process's address space for seconds.  The process
 * then waits in each call that changes its mappings: mmap(), munmap(), brk().  No other file of
 * /proc/PID that all may read takes that lock.
 */
#ifndef STRATA_CONSUMERD_COMMAND_LINE_H
#define STRATA_CONSUMERD_COMMAND_LINE_H

/* Makes our command line empty for the kernel, so that nobody reads it: ps shows the name in
 * brackets.  Children inherit that until they execute a program.  Prints a message if it cannot. */
void command_line_hide(void);

#endif /* STRATA_CONSUMERD_COMMAND_LINE_H */
