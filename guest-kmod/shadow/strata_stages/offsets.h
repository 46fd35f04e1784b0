/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * offsets.h - stage 2: struct strata_offsets_CLASS, where fields of variable
 * length begin in one record's payload, and how many bytes they take.
 */

#undef __field
#define __field(type, item)
#undef __field_struct
#define __field_struct(type, item)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len) u32 item, item##_bytes;
#undef __string
#define __string(item, src) u32 item, item##_bytes;
#undef __string_len
#define __string_len(item, src, len) u32 item, item##_bytes;
#undef __vstring
#define __vstring(item, fmt, ap) u32 item, item##_bytes;

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign) \
	struct strata_offsets_##name {                     \
		tstruct                                    \
	};
