/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h - walks through an event's fields by their types, and says what is there. */
#ifndef STRATA_MERGE_FIELDS_H
#define STRATA_MERGE_FIELDS_H

#include "ctf/ctf_cursor.h"

/*
 * Told of each field in its order.  @name is NULL for an array's element.  Any may be NULL.
 * A variant shows as the option that its tag chose, under the variant's own name; who wants to
 * know that it was one is told of its begin and end like of a structure of one field, whose
 * name is NULL.
 */
struct strata_field_visitor {
	/* An integer, an enumeration's, or a float's bits; a signed one is extended. */
	void (*number)(struct strata_field_visitor *visitor, const char *name,
		       const struct strata_ctf_type *type, uint64_t value);
	/* A string, or an array of characters, up to its first zero byte. */
	void (*text)(struct strata_field_visitor *visitor, const char *name, const char *text,
		     uint64_t length);
	/* A structure, an array or a sequence begins, and ends. @length: elements or fields */
	void (*begin)(struct strata_field_visitor *visitor, const char *name,
		      const struct strata_ctf_type *type, uint64_t length);
	void (*end)(struct strata_field_visitor *visitor, const struct strata_ctf_type *type);
	bool shows_variants; /* begin and end are told of them */
};

/* Walks through a field of @type at the cursor, and moves behind it. False: it does not fit. */
bool strata_field_visit(struct strata_field_visitor *visitor, const char *name,
			const struct strata_ctf_type *type, struct strata_ctf_cursor *cursor);

/*
 * The labels of an enumeration's value, one after the other: NULL after the last.
 * @at: IN/OUT, 0 at first
 */
const char *strata_enum_next_label(const struct strata_ctf_type *type, uint64_t value, size_t *at);

/* The first of them; NULL: none fits. */
const char *strata_enum_label(const struct strata_ctf_type *type, uint64_t value);

#endif /* STRATA_MERGE_FIELDS_H */
