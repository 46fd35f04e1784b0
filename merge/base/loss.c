// SPDX-License-Identifier: GPL-2.0-or-later
/* loss.c - see loss.h. */
#include "base/loss.h"

#include "base/put_text.h"

static const char *const reason_names[STRATA_NR_LOST] = {
	[STRATA_LOST_FULL] = "buffer full",
	[STRATA_LOST_NESTED] = "nested wrap",
	[STRATA_LOST_BIG] = "record too large",
};

const char *const strata_loss_json_names[STRATA_NR_LOST] = {
	[STRATA_LOST_FULL] = "buffer_full",
	[STRATA_LOST_NESTED] = "nested_wrap",
	[STRATA_LOST_BIG] = "record_too_large",
};

void strata_loss_add(struct strata_loss *loss, const struct strata_loss *more)
{
	unsigned int i;

	loss->has_kinds &= more->has_kinds;
	for (i = 0; i < STRATA_NR_LOST; i++)
		loss->kinds[i] += more->kinds[i];
	loss->discarded += more->discarded;
	loss->missing_packets += more->missing_packets;
	loss->is_damage |= more->is_damage;
	if (more->bound_ns > loss->bound_ns)
		loss->bound_ns = more->bound_ns;
	if (more->to_ns > loss->to_ns)
		loss->to_ns = more->to_ns;
}

static char *put_number_of(char *out, uint64_t nr, const char *what)
{
	out = strata_put_decimal(out, nr);
	out = strata_put_text(out, what);
	return nr == 1 ? out : strata_put_text(out, "s");
}

/* Numbers stand behind the reasons only if there are several. */
static char *put_kinds(char *out, const struct strata_loss *loss)
{
	const char *before = ": ";
	unsigned int i;

	for (i = 0; i < STRATA_NR_LOST; i++) {
		if (!loss->kinds[i])
			continue;
		out = strata_put_text(out, before);
		out = strata_put_text(out, reason_names[i]);
		if (loss->kinds[i] != loss->discarded)
			out = strata_put_decimal(strata_put_text(out, " "), loss->kinds[i]);
		before = ", ";
	}
	return out;
}

char *strata_loss_text(char *out, const struct strata_loss *loss)
{
	if (loss->discarded) {
		out = put_number_of(out, loss->discarded, " event");
		out = strata_put_text(out, " discarded");
		if (loss->has_kinds)
			out = put_kinds(out, loss);
	}
	if (loss->discarded && loss->missing_packets)
		out = strata_put_text(out, "; ");
	if (loss->missing_packets) {
		out = put_number_of(out, loss->missing_packets, " packet");
		out = strata_put_text(out, " missing");
	}
	return out;
}
