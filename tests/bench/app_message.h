/* SPDX-License-Identifier: GPL-2.0-or-later */
/* app_message.h - the message of app.c and app_lttng_message.c: two numbers, and a string of five
 * characters. */
#ifndef STRATA_BENCH_APP_MESSAGE_H
#define STRATA_BENCH_APP_MESSAGE_H

#include <stdint.h>

#define MESSAGE "request %d of %s took %lu us"

void burst_message(uint64_t events);

#endif /* STRATA_BENCH_APP_MESSAGE_H */
