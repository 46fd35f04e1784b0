// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ctf_metadata.c - any bytes as the metadata of a trace: they are refused, or
 * what they describe keeps the promises of ctf_types.h, which packets are then read by.
 */
#include "metadata_promises.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct strata_ctf_metadata metadata;
	struct strata_error error = { .text = "" };

	if (strata_ctf_metadata_parse(&metadata, "metadata", bytes, size, hear, NULL, &error) == 0)
		check(&metadata);
	else
		PROMISE(strncmp(error.text, "metadata:", 9) == 0);
	strata_ctf_metadata_clear(&metadata);
	return 0;
}
