// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsdl_roles.c - the roles of fields of packets and event headers, which TSDL gives by their names;
 * see tsdl_build.h.
 */
#include <string.h>

#include "ctf/tsdl/tsdl_build.h"

/* Roles by names, for each scope. */
static const struct {
	enum strata_ctf_scope scope;
	const char *name;
	enum strata_ctf_role role;
} named_roles[] = {
	{ STRATA_CTF_PACKET_HEADER, "magic", STRATA_CTF_ROLE_MAGIC },
	{ STRATA_CTF_PACKET_HEADER, "stream_id", STRATA_CTF_ROLE_STREAM_CLASS },
	{ STRATA_CTF_PACKET_HEADER, "stream_instance_id", STRATA_CTF_ROLE_STREAM },
	{ STRATA_CTF_PACKET_CONTEXT, "packet_size", STRATA_CTF_ROLE_PACKET_SIZE },
	{ STRATA_CTF_PACKET_CONTEXT, "content_size", STRATA_CTF_ROLE_CONTENT_SIZE },
	{ STRATA_CTF_PACKET_CONTEXT, "timestamp_begin", STRATA_CTF_ROLE_TIME },
	{ STRATA_CTF_PACKET_CONTEXT, "timestamp_end", STRATA_CTF_ROLE_END_TIME },
	{ STRATA_CTF_PACKET_CONTEXT, "events_discarded", STRATA_CTF_ROLE_DISCARDED },
	{ STRATA_CTF_PACKET_CONTEXT, "packet_seq_num", STRATA_CTF_ROLE_SEQUENCE },
	{ STRATA_CTF_EVENT_HEADER, "id", STRATA_CTF_ROLE_EVENT_CLASS },
};

static bool is_uuid(const struct strata_ctf_field *field)
{
	const struct strata_ctf_type *type = field->type;

	return strcmp(field->name, "uuid") == 0 && type->kind == STRATA_CTF_ARRAY &&
	       type->length == 16 && type->element->kind == STRATA_CTF_INTEGER &&
	       type->element->bits == 8 && type->element->align == 8;
}

void strata_tsdl_name_roles(const struct strata_ctf_type *type, enum strata_ctf_scope scope)
{
	size_t i, j;

	for (i = 0; type && i < type->nr_fields; i++) {
		struct strata_ctf_type *field = (struct strata_ctf_type *)type->fields[i].type;

		if (scope == STRATA_CTF_EVENT_HEADER &&
		    (field->kind == STRATA_CTF_STRUCT || field->kind == STRATA_CTF_VARIANT))
			strata_tsdl_name_roles(field, scope);
		if (scope == STRATA_CTF_PACKET_HEADER && is_uuid(&type->fields[i]))
			field->roles = (uint16_t)STRATA_CTF_ROLE_UUID;
		if (field->kind > STRATA_CTF_ENUM ||
		    (scope == STRATA_CTF_EVENT_HEADER && field->clock != STRATA_CTF_NO_CLOCK))
			continue;
		for (j = 0; j < sizeof(named_roles) / sizeof(named_roles[0]); j++) {
			if (named_roles[j].scope == scope &&
			    strcmp(named_roles[j].name, type->fields[i].name) == 0)
				field->roles = (uint16_t)named_roles[j].role;
		}
	}
}
