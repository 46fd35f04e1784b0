// SPDX-License-Identifier: MIT
/* wake.c - see wake.h. */
#include "libstrata/wake.h"

#include <errno.h>

#include <strata/abi/app.h>

#include "libstrata/rings.h"
#include "libstrata/wait_page.h"

/* The last one that each was asked for, or its low half. */
static unsigned long asked_sleep[STRATA_APP_CHANNELS];
static uint32_t asked; /* bits of channels */

void wake_ask(uint32_t channel, uint64_t sleep)
{
	const int error = errno;

	/* A child has its parent's rings until it starts anew, but not the page that calls. */
	if (!strata_read_once(rings_own))
		return;
	/* Two threads may both ask: the recorder gets a message too many. */
	if (strata_read_once(&asked_sleep[channel]) == (unsigned long)sleep)
		return;
	strata_write_once(&asked_sleep[channel], (unsigned long)sleep);
	/* The waiting thread finds the bit when it finds the call. */
	__atomic_fetch_or(&asked, 1u << channel, __ATOMIC_RELEASE);
	wait_page_call();
	errno = error;
}

uint32_t wake_take(void)
{
	/* Acquire: pairs with wake_ask(). */
	return __atomic_exchange_n(&asked, 0, __ATOMIC_ACQUIRE);
}
