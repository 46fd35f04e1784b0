/* SPDX-License-Identifier: GPL-2.0-only */
/* entry.h - stage 1: struct strata_entry_CLASS, the fields of fixed length. */

#undef __field
#define __field(type, item) type item STRATA_PACKED_FIELD(type);
#undef __field_struct
#define __field_struct(type, item) type item STRATA_PACKED_FIELD(type);
#undef __array
#define __array(type, item, len) type item[len] STRATA_PACKED_FIELD(type);
#undef __dynamic_array
#define __dynamic_array(type, item, len)
#undef __string
#define __string(item, src)
#undef __string_len
#define __string_len(item, src, len)
#undef __vstring
#define __vstring(item, fmt, ap)

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign) \
	struct strata_entry_##name {                       \
		tstruct char strata_end[0];                \
	} __packed __aligned(4);
#undef STRATA_EVENT_00
#define STRATA_EVENT_00(template, name, proto)
