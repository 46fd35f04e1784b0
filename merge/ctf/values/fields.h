/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - walks through an event's fields by their types, and calls a visitor. */
#ifndef STRATA_MERGE_FIELDS_H
#define STRATA_MERGE_FIELDS_H

#include "ctf/values/ctf_cursor.h"

/*
 * Called for each field, in order. @name is NULL for an array's element. Any function may be NULL.
 * A variant appears as the chosen option, under the variant's name, and an optional field as its
 * content.  With shows_variants, both appear as a structure of one field without a name.
 */
struct strata_field_visitor {
	/* An integer, an enumeration's, or a float's bits; a signed one is extended. */
	void (*number)(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value);
	/* A string, or an array of characters, up to its first zero byte; other encodings are
	 * converted to UTF-8. */
	void (*text)(struct strata_field_visitor *visitor, const char *name, const char *text,
		     uint64_t length);
	/* A BLOB's bytes.  NULL: it appears as an array of numbers. */
	void (*blob)(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length);
	/* An absent optional field. */
	void (*none)(struct strata_field_visitor *visitor, const char *name);
	/* A structure, an array or a sequence begins, and ends. @length: elements or fields */
	void (*begin)(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length);
	void (*end)(struct strata_field_visitor *visitor, const struct strata_ctf_type *type);
	/* The name of the number, if its type has no label for it: any bytes; NULL: no name.
	 * Valid during number(). */
	const char *value_name;
	bool shows_variants; /* calls begin and end for them, and for optional fields */
};

/* Walks through a field of @type at the cursor, and moves behind it.  False: it exceeds the end. */
bool strata_field_visit(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor);

/*
 * Iterates over the labels of an enumeration's value: NULL after the last.
 * @at: IN/OUT, 0 at first
 */
const char *strata_enum_next_label(const struct strata_ctf_type *type, uint64_t value, size_t *at);

/* Iterates over the set flags of a bit map, each once, in the same way. */
const char *strata_bit_map_next_flag(const struct strata_ctf_type *type, uint64_t value,
				     size_t *at);

/* Returns the first label, or NULL. */
const char *strata_enum_label(const struct strata_ctf_type *type, uint64_t value);

#endif /* STRATA_MERGE_FIELDS_H */
