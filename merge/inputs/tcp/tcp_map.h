/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_map.h - a table of rules, as data: which events of which tracers describe TCP segments, in
 * which fields. docs/tcp-map.md describes its text; the built-in table (tcp_map_builtin.c) is in
 * the same form, and a user's rules come before it.
 *
 * A rule names events, whether they occur on sending or receiving a segment, and which fields
 * contain which numbers of the segment. The set of these numbers is its *form*: segments of two
 * machines are compared by the numbers that both forms have (tcp_forms.h).
 */
#ifndef STRATA_MERGE_INPUTS_TCP_MAP_H
#define STRATA_MERGE_INPUTS_TCP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/types/ctf_types.h"
#include "base/error.h"

enum strata_tcp_role {
	STRATA_TCP_NONE, /* a rule without a role: it only provides fields to others that join it */
	STRATA_TCP_SENT,
	STRATA_TCP_RECEIVED,
};

/* The numbers that a form has. */
enum {
	STRATA_TCP_HAS_SOURCE = 1 << 0,
	STRATA_TCP_HAS_DESTINATION = 1 << 1,
	STRATA_TCP_HAS_SOURCE_PORT = 1 << 2,
	STRATA_TCP_HAS_DESTINATION_PORT = 1 << 3,
	STRATA_TCP_HAS_SEQUENCE = 1 << 4,
	STRATA_TCP_HAS_ACKNOWLEDGED = 1 << 5,
	/* Except those that differ between parts of a split segment. */
	STRATA_TCP_HAS_FLAGS = 1 << 6,
	STRATA_TCP_HAS_RAW_FLAGS = 1 << 7, /* all, as the tracer writes them */
	STRATA_TCP_HAS_ID = 1 << 8,        /* IPv4's identification */
	STRATA_TCP_HAS_TAG = 1 << 9,       /* a step that a connection takes once */
	STRATA_TCP_HAS_STATE = 1 << 10, /* a state that lasts from a segment on, in many events */
};

/* The remaining bits of a form with raw flags: how these are written. */
#define STRATA_TCP_DIALECT 0xffff0000u

/* The fields that a rule names. */
enum strata_tcp_part {
	STRATA_TCP_SOURCE,
	STRATA_TCP_DESTINATION,
	STRATA_TCP_SOURCE_PORT,
	STRATA_TCP_DESTINATION_PORT,
	STRATA_TCP_SEQUENCE,
	STRATA_TCP_ACKNOWLEDGED,
	STRATA_TCP_FLAGS,
	STRATA_TCP_RAW_FLAGS,
	STRATA_TCP_ID,
	STRATA_TCP_FRAGMENT, /* IPv4's offset and flags of a fragment */
	STRATA_TCP_PACKET,   /* the bytes of a packet, which contain all of these */
	STRATA_TCP_JOIN, /* a number that events about one segment share: an address of an skb */
	STRATA_TCP_NR_PARTS,
};

enum strata_tcp_packet_layer {
	STRATA_TCP_ETHERNET, /* the packet begins with this header */
	STRATA_TCP_IP,
};

#define STRATA_TCP_NAMES_MAX 8u

/* Alternatives: patterns of events' names, or names of fields. */
struct strata_tcp_names {
	const char *names[STRATA_TCP_NAMES_MAX];
	size_t nr;
	bool is_optional; /* for fields */
};

struct strata_tcp_condition {
	const char *field;
	uint64_t value;
};

struct strata_tcp_rule {
	struct strata_tcp_names events;
	enum strata_tcp_role role;
	struct strata_tcp_names parts[STRATA_TCP_NR_PARTS]; /* without names: absent */
	struct strata_tcp_condition conditions[STRATA_TCP_NAMES_MAX];
	size_t nr_conditions;
	enum strata_tcp_packet_layer layer; /* of its packet */
	uint32_t tag;                       /* 0: none */
	uint32_t dialect;                   /* of its raw flags: bits of STRATA_TCP_DIALECT */
	bool swaps;                         /* source and destination as the peer sees them */
	bool is_state;
	bool goes_on; /* further rules may match the same event */
	uint32_t form;
	unsigned int number; /* of its line in the map */
};

struct strata_tcp_map {
	struct strata_tcp_rule *rules; /* the user's rules, then the built-in ones */
	size_t nr, nr_own;
	char **texts; /* storage of the names */
	size_t nr_texts;
};

/*
 * Makes a map from a user's text, followed by the built-in table.
 * @text: NULL: only the built-in table
 * @name: of the text, for messages
 * Returns 0, or -1 with the line and the reason. Clear the map in either case.
 */
int strata_tcp_map_make(struct strata_tcp_map *map, const char *text, const char *name,
			struct strata_error *error);

/* The same from a file; @path NULL: only the built-in table. */
int strata_tcp_map_load(struct strata_tcp_map *map, const char *path, struct strata_error *error);

void strata_tcp_map_clear(struct strata_tcp_map *map);

/* Whether the rule names events of this class and the class has all fields that the rule needs. */
bool strata_tcp_rule_fits(const struct strata_tcp_rule *rule,
			  const struct strata_ctf_event_class *event);

/* Whether @names contains a name. */
bool strata_tcp_has_name(const struct strata_tcp_names *names, const char *name);

extern const char strata_tcp_map_builtin[];

#endif /* STRATA_MERGE_INPUTS_TCP_MAP_H */
