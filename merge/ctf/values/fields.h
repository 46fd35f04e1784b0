/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - walks through an event's fields by their types, and says what is there. */
#ifndef STRATA_MERGE_FIELDS_H
#define STRATA_MERGE_FIELDS_H

#include "ctf/values/ctf_cursor.h"

/*
 * Told of each field in its order.  @name is NULL for an array's element.  Any may be NULL.
 * A variant shows as the option that its tag chose, under the variant's own name, and an optional
 * field as what it is; who wants to know that it was one is told of its begin and end like of a
 * structure of one field, whose name is NULL.
 */
struct strata_field_visitor {
	/* An integer, an enumeration's, or a float's bits; a signed one is extended. */
	void (*number)(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value);
	/* A string, or an array of characters, up to its first zero byte; what was encoded
	 * otherwise as UTF-8. */
	void (*text)(struct strata_field_visitor *visitor, const char *name, const char *text,
		     uint64_t length);
	/* A BLOB's bytes.  NULL: it is told of as an array of numbers. */
	void (*blob)(struct strata_field_visitor *visitor, const char *name, const uint8_t *bytes,
		     uint64_t length);
	/* An optional field that is not there. */
	void (*none)(struct strata_field_visitor *visitor, const char *name);
	/* A structure, an array or a sequence begins, and ends. @length: elements or fields */
	void (*begin)(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length);
	void (*end)(struct strata_field_visitor *visitor, const struct strata_ctf_type *type);
	/* The name of the number that is told, which its type has no label for: any bytes.  NULL:
	 * it has no name.  Valid while number() runs. */
	const char *value_name;
	bool shows_variants; /* begin and end are told of them, and of optional fields */
};

/* Walks through a field of @type at the cursor, and moves behind it. False: it does not fit. */
bool strata_field_visit(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor);

/*
 * The labels of an enumeration's value, one after the other: NULL after the last.
 * @at: IN/OUT, 0 at first
 */
const char *strata_enum_next_label(const struct strata_ctf_type *type, uint64_t value, size_t *at);

/* The same of the flags of a bit map that have a bit set: each once. */
const char *strata_bit_map_next_flag(const struct strata_ctf_type *type, uint64_t value,
				     size_t *at);

/* The first of them; NULL: none fits. */
const char *strata_enum_label(const struct strata_ctf_type *type, uint64_t value);

#endif /* STRATA_MERGE_FIELDS_H */
