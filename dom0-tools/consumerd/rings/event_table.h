/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_table.h - unpacks an event table, as strata/abi/guest.h packs a guest's. */
#ifndef STRATA_CONSUMERD_EVENT_TABLE_H
#define STRATA_CONSUMERD_EVENT_TABLE_H

#include <stddef.h>

#include <strata/event.h>

#include "base/error.h"

/* How format_bytes of the entries is read. */
enum event_table_formats {
	EVENT_TABLE_WITH_FORMATS,    /* a format of that size follows the entry's fields */
	EVENT_TABLE_BEFORE_FORMATS,  /* of a writer that knew no formats: any value, read as 0 */
	EVENT_TABLE_WITHOUT_FORMATS, /* must be 0 */
};

/*
 * Unpacks a table.
 * @bytes: a private copy of the guest's table, @size bytes with any contents
 * @nr:    entries that it must hold, at least 1
 * Returns an array of @nr that is the caller's to free(), in order of ids, which
 * are 0, 1, ...; in each entry nr_fields is within its limit, the names end within
 * their arrays, and nothing else has been checked.  NULL with the reason.
 */
struct strata_event_desc *event_table_parse(const unsigned char *bytes, size_t size, size_t nr,
					    enum event_table_formats formats,
					    struct strata_error *error);

/*
 * Unpacks one entry, which must have the id @id and may have a format; @event is as those of a
 * table are.  Returns its bytes, or 0 with the reason.
 */
size_t event_table_parse_entry(const unsigned char *bytes, size_t size, size_t id,
			       struct strata_event_desc *event, struct strata_error *error);

#endif /* STRATA_CONSUMERD_EVENT_TABLE_H */
