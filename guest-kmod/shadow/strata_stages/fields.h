/* SPDX-License-Identifier: GPL-2.0-only */
/* fields.h - stage 3: strata_fields_CLASS, the description in the header's order. */

#undef __field
#define __field(type, item) { #item, STRATA_KIND(type, #type), sizeof(type), 1 },
#undef __field_struct
#define __field_struct(type, item)                           \
	{ #item, STRATA_FIELD_HEX, STRATA_STRUCT_UNIT(type), \
	  sizeof(type) / STRATA_STRUCT_UNIT(type) },
#undef __array
#define __array(type, item, len) { #item, STRATA_ARRAY_KIND(type, #type), sizeof(type), len },
#undef __dynamic_array
#define __dynamic_array(type, item, len) { #item, STRATA_ARRAY_KIND(type, #type), sizeof(type), 0 },
#undef __string
#define __string(item, src) { #item, STRATA_FIELD_STRING, 1, 1 },
#undef __string_len
#define __string_len(item, src, len) { #item, STRATA_FIELD_STRING, 1, 1 },
#undef __vstring
#define __vstring(item, fmt, ap) { #item, STRATA_FIELD_STRING, 1, 1 },

#undef STRATA_CLASS_0
#define STRATA_CLASS_0(name, proto, args, tstruct, assign) \
	static const struct strata_field_desc strata_fields_##name[] __maybe_unused = { tstruct };
