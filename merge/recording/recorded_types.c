// SPDX-License-Identifier: GPL-2.0-or-later
/* recorded_types.c - see recorded_types.h. */
#include "recording/recorded_types.h"

#include "ctf/types/ctf_event_types.h"

#define WORD 32u /* the largest alignment, in bits */

static void make_context(struct strata_recorded_types *types, bool has_pid)
{
	const struct strata_ctf_field fields[] = {
		{ "timestamp_begin", &types->ticks },
		{ "timestamp_end", &types->ticks },
		{ "content_size", &types->number },
		{ "packet_size", &types->number },
		{ "packet_seq_num", &types->number },
		{ "events_discarded", &types->number },
		{ "lost", &types->lost },
		{ "cpu_id", &types->id },
		/* The same in each packet, so that filters find it as a context. */
		{ has_pid ? "pid" : "reserved", has_pid ? &types->pid : &types->id },
	};
	size_t i;

	for (i = 0; i < STRATA_RECORDED_CONTEXT_FIELDS; i++)
		types->context_fields[i] = fields[i];
	types->pid = types->id;
	types->pid.is_signed = true;
	types->lost = types->number;
	types->lost.kind = STRATA_CTF_ARRAY;
	types->lost.element = &types->number;
	types->lost.length = STRATA_NR_LOST;
	types->packet_context =
		strata_ctf_struct(types->context_fields, STRATA_RECORDED_CONTEXT_FIELDS, WORD);
}

/* After a tag that is the id, a short time; after the escape value, id and time in full. */
static void make_tagged(struct strata_recorded_types *types, unsigned int id_bits,
			unsigned int ticks_bits, unsigned int tag_align, unsigned int ticks_align)
{
	const uint64_t escape = (1u << id_bits) - 1;

	types->tag = strata_ctf_integer(id_bits, tag_align);
	types->tag.kind = STRATA_CTF_ENUM;
	types->tag.slot = 0;
	types->labels[0] = (struct strata_ctf_label){ "compact", 0, escape - 1 };
	types->labels[1] = (struct strata_ctf_label){ "extended", escape, escape };
	types->tag.labels = types->labels;
	types->tag.nr_labels = 2;

	types->short_time = strata_ctf_integer(ticks_bits, ticks_align);
	types->short_time.clock = 0;
	types->short_fields[0] = (struct strata_ctf_field){ "timestamp", &types->short_time };
	types->compact = strata_ctf_struct(types->short_fields, 1, ticks_align);

	types->options[0] = (struct strata_ctf_field){ "compact", &types->compact };
	types->options[1] = (struct strata_ctf_field){ "extended", &types->extended };
	types->choices[0] = (struct strata_ctf_choice){ 0, escape - 1, 0 };
	types->choices[1] = (struct strata_ctf_choice){ escape, escape, 1 };
	types->variant = strata_ctf_struct(types->options, 2, 1);
	types->variant.kind = STRATA_CTF_VARIANT;
	types->variant.slot = 0;
	types->variant.choices = types->choices;
	types->variant.nr_choices = 2;

	types->tagged_fields[0] = (struct strata_ctf_field){ "id", &types->tag };
	types->tagged_fields[1] = (struct strata_ctf_field){ "v", &types->variant };
	types->event_header = strata_ctf_struct(types->tagged_fields, 2, WORD);
}

void strata_recorded_types(struct strata_recorded_types *types, enum strata_header_form form,
			   bool has_pid)
{
	types->number = strata_ctf_integer(64, WORD);
	types->ticks = types->number;
	types->ticks.clock = 0;
	types->id = strata_ctf_integer(32, WORD);
	make_context(types, has_pid);
	types->full_fields[0] = (struct strata_ctf_field){ "id", &types->id };
	types->full_fields[1] = (struct strata_ctf_field){ "timestamp", &types->ticks };
	types->extended = strata_ctf_struct(types->full_fields, 2, WORD);
	if (form == STRATA_HEADER_COMPACT)
		make_tagged(types, STRATA_COMPACT_ID_BITS, STRATA_COMPACT_TICKS_BITS, 1, 1);
	else if (form == STRATA_HEADER_LARGE)
		make_tagged(types, STRATA_LARGE_ID_BITS, STRATA_LARGE_TICKS_BITS,
			    STRATA_LARGE_ID_BITS, STRATA_LARGE_TICKS_BITS);
	else
		types->event_header = types->extended;
}
