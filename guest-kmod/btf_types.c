// SPDX-License-Identifier: GPL-2.0-only
/* btf_types.c - see btf_types.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "btf_types.h"

/* Structs and unions without a name, one in another. */
#define NESTED_MAX 8u
/* Members that one walk visits: more than any struct has. */
#define VISITS_MAX (1u << 18)

/* Bytes of a type and of what follows it; 0: a kind that is not known here. */
static size_t type_bytes(const struct btf_type *type)
{
	const size_t nr = BTF_INFO_VLEN(type->info);
	size_t more;

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		more = sizeof(u32);
		break;
	case BTF_KIND_ARRAY:
		more = sizeof(struct btf_array);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		more = nr * sizeof(struct btf_member);
		break;
	case BTF_KIND_ENUM:
		more = nr * sizeof(struct btf_enum);
		break;
	case BTF_KIND_ENUM64:
		more = nr * sizeof(struct btf_enum64);
		break;
	case BTF_KIND_FUNC_PROTO:
		more = nr * sizeof(struct btf_param);
		break;
	case BTF_KIND_DATASEC:
		more = nr * sizeof(struct btf_var_secinfo);
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		more = 0;
		break;
	default:
		return 0;
	}
	return sizeof(*type) + more;
}

/* Finds where each type is, if @place has room for it, and counts them.  -EINVAL: one is unknown,
 * or cut. */
static int find_places(struct strata_btf *btf, u32 *place)
{
	u32 at = 0, id;

	for (id = btf->first; at < btf->types_bytes; id++) {
		const struct btf_type *type = (const void *)(btf->types + at);
		size_t bytes = 0;

		if (btf->types_bytes - at >= sizeof(*type))
			bytes = type_bytes(type);
		if (!bytes || bytes > btf->types_bytes - at)
			return -EINVAL;
		if (place)
			place[id - btf->first] = at;
		at += bytes;
	}
	btf->nr = id;
	return 0;
}

/* Finds the two sections behind the header. */
static int find_sections(struct strata_btf *btf, const void *data, size_t bytes)
{
	const struct btf_header *header = data;

	if (bytes < sizeof(*header) || header->magic != BTF_MAGIC ||
	    header->version != BTF_VERSION || header->hdr_len < sizeof(*header) ||
	    header->hdr_len > bytes)
		return -EINVAL;
	bytes -= header->hdr_len;
	if (header->type_off > bytes || header->type_len > bytes - header->type_off ||
	    header->str_off > bytes || header->str_len > bytes - header->str_off ||
	    header->type_off % sizeof(u32) || !header->str_len)
		return -EINVAL;
	btf->types = (const char *)data + header->hdr_len + header->type_off;
	btf->types_bytes = header->type_len;
	btf->strings = (const char *)data + header->hdr_len + header->str_off;
	btf->strings_bytes = header->str_len;
	return btf->strings[btf->strings_bytes - 1] ? -EINVAL : 0;
}

int strata_btf_open(struct strata_btf *btf, const struct strata_btf *base, const void *data,
		    size_t bytes)
{
	int err;

	btf->base = base;
	btf->first = base ? base->nr : 1;
	btf->base_strings_bytes = base ? base->strings_bytes : 0;
	err = find_sections(btf, data, bytes) ?: find_places(btf, NULL);
	if (err)
		return err;
	btf->place = kvmalloc_array(btf->nr - btf->first, sizeof(*btf->place), GFP_KERNEL);
	return btf->place ? find_places(btf, btf->place) : -ENOMEM;
}

void strata_btf_close(struct strata_btf *btf)
{
	kvfree(btf->place);
	btf->place = NULL;
}

const struct btf_type *strata_btf_type(const struct strata_btf *btf, u32 id)
{
	if (btf->base && id < btf->first)
		btf = btf->base;
	return id >= btf->first && id < btf->nr
		       ? (const void *)(btf->types + btf->place[id - btf->first])
		       : NULL;
}

const char *strata_btf_name(const struct strata_btf *btf, u32 offset)
{
	if (btf->base && offset < btf->base_strings_bytes)
		btf = btf->base;
	offset -= btf->base_strings_bytes;
	return offset < btf->strings_bytes ? btf->strings + offset : "";
}

const struct btf_type *strata_btf_plain(const struct strata_btf *btf, u32 id, bool *user)
{
	const struct btf_type *type = strata_btf_type(btf, id);
	u32 i;

	for (i = 0; i < STRATA_BTF_QUALIFIERS_MAX; i++) {
		switch (strata_btf_kind(type)) {
		case BTF_KIND_TYPE_TAG:
			if (user && !strcmp(strata_btf_name(btf, type->name_off), "user"))
				*user = true;
			break;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
			break;
		default:
			return type;
		}
		type = strata_btf_type(btf, type->type);
	}
	return NULL;
}

const struct btf_type *strata_btf_function(const struct strata_btf *btf, const char *name, u32 *nr)
{
	u32 id, found = 0;

	*nr = 0;
	for (id = btf->first; id < btf->nr; id++) {
		const struct btf_type *type = strata_btf_type(btf, id);

		if (strata_btf_kind(type) != BTF_KIND_FUNC ||
		    strcmp(strata_btf_name(btf, type->name_off), name) || type->type == found)
			continue;
		found = type->type;
		++*nr;
	}
	if (*nr != 1 || strata_btf_kind(strata_btf_type(btf, found)) != BTF_KIND_FUNC_PROTO)
		return NULL;
	return strata_btf_type(btf, found);
}

/* Walks through the members of a struct; those of a member without a name come in its place. */
struct walk {
	struct {
		const struct btf_type *type;
		u32 next, bits;
	} level[NESTED_MAX];
	u32 depth;
	u32 visits;
};

/* The next member with a name; NULL: none is left. */
static const struct btf_member *next_member(const struct strata_btf *btf, struct walk *walk,
					    u32 *bits, bool *bit_field)
{
	while (walk->depth > 0 && walk->visits++ < VISITS_MAX) {
		const struct btf_type *type = walk->level[walk->depth - 1].type;
		const u32 number = walk->level[walk->depth - 1].next++;
		const struct btf_member *member = strata_btf_parts(type);
		const struct btf_type *inner;

		if (number >= BTF_INFO_VLEN(type->info)) {
			walk->depth--;
			continue;
		}
		member += number;
		*bits = walk->level[walk->depth - 1].bits;
		*bit_field = BTF_INFO_KFLAG(type->info) && BTF_MEMBER_BITFIELD_SIZE(member->offset);
		*bits += BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member->offset)
						    : member->offset;
		if (*strata_btf_name(btf, member->name_off))
			return member;
		inner = strata_btf_plain(btf, member->type, NULL);
		if (strata_btf_is_compound(inner) && walk->depth < NESTED_MAX) {
			walk->level[walk->depth].type = inner;
			walk->level[walk->depth].next = 0;
			walk->level[walk->depth++].bits = *bits;
		}
	}
	return NULL;
}

const struct btf_member *strata_btf_member(const struct strata_btf *btf,
					   const struct btf_type *type, const char *name, u32 *bits,
					   bool *bit_field)
{
	struct walk walk = { .level = { { type, 0, *bits } }, .depth = 1 };
	const struct btf_member *member;

	while ((member = next_member(btf, &walk, bits, bit_field)))
		if (!strcmp(strata_btf_name(btf, member->name_off), name))
			return member;
	return NULL;
}

void strata_btf_list_members(const struct strata_btf *btf, const struct btf_type *type, char *list,
			     size_t bytes)
{
	struct walk walk = { .level = { { type, 0, 0 } }, .depth = 1 };
	const struct btf_member *member;
	bool bit_field;
	u32 bits;

	*list = '\0';
	while ((member = next_member(btf, &walk, &bits, &bit_field)))
		if (!strata_btf_list_add(list, bytes, strata_btf_name(btf, member->name_off)))
			return;
}

bool strata_btf_list_add(char *list, size_t bytes, const char *name)
{
	static const char more[] = ", ...";
	const size_t length = strlen(list);

	if (length + strlen(", ") + strlen(name) + sizeof(more) > bytes) {
		if (length + sizeof(more) <= bytes)
			strscpy(list + length, more, sizeof(more));
		return false;
	}
	scnprintf(list + length, bytes - length, "%s%s", length ? ", " : "", name);
	return true;
}
