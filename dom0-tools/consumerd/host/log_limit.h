/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_limit.h - bounds a log that grows as long as a recording goes on: its first and its last
 * messages stay, and a line says how much was removed between them.
 */
#ifndef STRATA_CONSUMERD_LOG_LIMIT_H
#define STRATA_CONSUMERD_LOG_LIMIT_H

#include <stddef.h>

/*
 * Cuts a regular file that has more than @most bytes.  The first @most / 8 and the last @most / 2
 * bytes stay, in whole lines.  Does nothing if the file is smaller, or without memory.
 * @fd: open for reading and appending (O_RDWR | O_APPEND)
 */
void log_limit(int fd, size_t most);

#endif /* STRATA_CONSUMERD_LOG_LIMIT_H */
