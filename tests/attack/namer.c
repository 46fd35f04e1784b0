// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * namer.c - a program whose fields are called so that the metadata of a merge with them in it might
 * not be read: names that differ by an underscore, the name of a sequence's length, and words of
 * the language of metadata.
 */
#include <strata/tracepoint.h>

STRATA_EVENT(namer, before, strata_u64(_twin), strata_u64(twin));
STRATA_EVENT(namer, behind, strata_u64(twin), strata_u64(_twin));
STRATA_EVENT(namer, length_behind, strata_sequence_u8(data), strata_u64(data_length));
STRATA_EVENT(namer, length_before, strata_u64(data_length), strata_sequence_u8(data));
STRATA_EVENT(namer, with_length, strata_u64(__data_length), strata_sequence_u8(data));
STRATA_EVENT(namer, both, strata_sequence_u8(_data), strata_sequence_u8(data));
STRATA_EVENT(namer, event, strata_u64(stream), strata_u64(event), strata_u64(callsite),
	     strata_u64(variant));

int main(void)
{
	static const uint8_t data[] = { 1, 2 };

	STRATA_TRACE(namer, before, 1, 2);
	STRATA_TRACE(namer, behind, 1, 2);
	STRATA_TRACE(namer, length_behind, data, 2, 3);
	STRATA_TRACE(namer, length_before, 3, data, 2);
	STRATA_TRACE(namer, with_length, 3, data, 2);
	STRATA_TRACE(namer, both, data, 2, data, 2);
	STRATA_TRACE(namer, event, 1, 2, 3, 4);
	return 0;
}
