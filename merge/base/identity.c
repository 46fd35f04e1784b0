// SPDX-License-Identifier: GPL-2.0-or-later
/* identity.c - see identity.h. */
#include "base/identity.h"

#include <sys/auxv.h>

uint64_t strata_identity_secret[2];

/* Linux gives each process 16 random bytes at its start.  They are mixed, because the C library
 * makes its stack guard of the same bytes. */
__attribute__((constructor)) static void take_secret(void)
{
	uint64_t random[2];

	memcpy(random, (const void *)getauxval(AT_RANDOM), sizeof(random));
	strata_identity_secret[0] = random[0] * 0x9e3779b97f4a7c15u ^ random[1];
	strata_identity_secret[1] = random[1] * 0xd1342543de82ef95u ^ random[0];
}
