// SPDX-License-Identifier: GPL-2.0-or-later
/* derived_uuid.c - see derived_uuid.h. */
#include "base/derived_uuid.h"

#include <endian.h>
#include <string.h>

#include <sha2.h>

void strata_derive_uuid(uint8_t uuid[16], enum strata_derived kind, uint64_t number,
			const void *from, size_t bytes)
{
	/* Of one length, so that no other input has the same bytes. */
	const struct {
		char purpose[16];
		uint64_t kind, number;
	} head = { "strata uuid 1", htole64(kind), htole64(number) };
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX sha;

	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)&head, sizeof(head));
	SHA256Update(&sha, from, bytes);
	SHA256Final(digest, &sha);
	memcpy(uuid, digest, 16);
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80); /* version 8: custom */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}
