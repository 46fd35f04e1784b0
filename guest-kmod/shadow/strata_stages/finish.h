/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finish.h - stage 5: strata_finish_CLASS(), which completes what the kernel's
 * assignments leave out: the number of elements before each sequence, and a zero
 * byte exactly at the end of each string's field.
 */

#undef __dynamic_array
#define __dynamic_array(type, item, len)                       \
	strata_put_count((void *)entry + strata_offsets->item, \
			 strata_offsets->item##_bytes / sizeof(type));
#undef __string
#define __string(item, src) \
	strata_end_string((char *)entry + strata_offsets->item, strata_offsets->item##_bytes);
#undef __string_len
#define __string_len(item, src, len) __string(item, src)
#undef __vstring
#define __vstring(item, fmt, ap) __string(item, fmt)

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign)          \
	static __always_inline void strata_finish_##name(           \
		struct strata_entry_##name *entry,                  \
		const struct strata_offsets_##name *strata_offsets) \
	{                                                           \
		tstruct                                             \
	}
