/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - stage 4: strata_layout_CLASS(), which computes the lengths of the fields
 * of variable length, the offset of each, and the length of the payload.
 */

#undef __field
#define __field(type, item)
#undef __field_struct
#define __field_struct(type, item)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len)                                            \
	strata_offsets->item = strata_sequence_at(strata_used);                     \
	strata_offsets->item##_bytes = strata_length(sizeof(type) * (size_t)(len)); \
	strata_used = strata_offsets->item + strata_offsets->item##_bytes;
#undef __string
#define __string(item, src)                                      \
	strata_offsets->item = strata_used;                      \
	strata_offsets->item##_bytes = strata_string_bytes(src); \
	strata_used += strata_offsets->item##_bytes;
#undef __string_len
#define __string_len(item, src, len)                                     \
	strata_offsets->item = strata_used;                              \
	strata_offsets->item##_bytes = strata_cut_string((size_t)(len)); \
	strata_used += strata_offsets->item##_bytes;
#undef __vstring
#define __vstring(item, fmt, ap)                                                               \
	strata_offsets->item = strata_used;                                                    \
	strata_offsets->item##_bytes = strata_cut_string(__trace_event_vstr_len(fmt, ap) - 1); \
	strata_used += strata_offsets->item##_bytes;

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign)                          \
	static __always_inline u32 strata_layout_##name(                            \
		struct strata_offsets_##name *strata_offsets, proto)                \
	{                                                                           \
		struct strata_entry_##name *entry __maybe_unused = NULL;            \
		u32 strata_used = offsetof(struct strata_entry_##name, strata_end); \
                                                                                    \
		tstruct return strata_used;                                         \
	}
