/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_schema.h - the tables of spans (state/span.h), the kinds of spans in each, and their
 * columns.
 */
#ifndef STRATA_MERGE_SQL_SPAN_SCHEMA_H
#define STRATA_MERGE_SQL_SPAN_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "sql/described.h"
#include "state/meaning.h"
#include "state/parts.h"
#include "state/span.h"

enum sql_span_column {
	SPAN_TIME,
	SPAN_END,
	SPAN_NS,
	SPAN_BOUND,
	SPAN_HOST,
	SPAN_SOURCE,
	SPAN_DOMAIN,
	SPAN_DOMAIN_NAME,
	SPAN_VCPU,
	SPAN_PCPU,
	SPAN_CPU,
	SPAN_TID,
	SPAN_TASK,
	SPAN_KIND,
	SPAN_STATE,
	SPAN_BLOCKED_IN,
	SPAN_NUMBER,
	SPAN_NAME,
	SPAN_BYTES,
	SPAN_BEHIND_DOMAIN,
	SPAN_BEHIND_DOMAIN_NAME,
	SPAN_BEHIND_VCPU,
	SPAN_SENDER_DOMAIN,
	SPAN_SENDER_DOMAIN_NAME,
	SPAN_SENDER_VCPU,
	SPAN_GRANTER,
	SPAN_GRANTER_NAME,
	SPAN_OTHERS_WAITED,
	SPAN_PARTS,
	NR_SPAN_COLUMNS = SPAN_PARTS + STRATA_NR_PARTS,
};

#define SQL_SPAN_KIND(kind) (1u << STRATA_SPAN_##kind)

struct sql_span_table {
	const char *name, *what;
	uint32_t kinds;    /* bits of enum strata_span_kind */
	uint64_t columns;  /* bits of enum sql_span_column */
	const char *layer; /* the only layer whose events it needs; NULL: all layers */
	/* Without events of this meaning the table is empty; STRATA_NR_MEANINGS: it needs none. */
	enum strata_meaning_of needs;
	const char *report; /* the report made from the same events; NULL: none */
};

extern const struct sql_span_table sql_span_tables[];
extern const size_t sql_nr_span_tables;

extern const struct sql_described_column sql_span_columns[NR_SPAN_COLUMNS];

/* The value of the column `kind`; NULL: no table has spans of this kind. */
const char *sql_span_kind_name(enum strata_span_kind kind);

/* Whether the column `number` has the number of this kind's spans. */
bool sql_span_has_number(enum strata_span_kind kind);

#endif /* STRATA_MERGE_SQL_SPAN_SCHEMA_H */
