// SPDX-License-Identifier: GPL-2.0-or-later
/* text_loss.c - prints a loss as a line of text: see text_lines.h. */
#include "base/escape.h"
#include "outputs/text/text_lines.h"

void strata_text_put_loss(const struct strata_text_options *options, struct strata_buffer *buffer,
			  const struct strata_shown_loss *lost)
{
	const size_t source_bytes = strlen(lost->source), stream_bytes = strlen(lost->stream);
	char *out = strata_buffer_room(buffer, 8 * STRATA_PUT_BYTES + STRATA_LOSS_TEXT_BYTES +
						       source_bytes +
						       STRATA_ESCAPED_BYTES(stream_bytes));

	if (!out)
		return;
	if (lost->has_time) {
		*out++ = '[';
		out = strata_text_put_time(out, options, &buffer->clock, lost->loss->from_ns);
		out = strata_put_text(out, " - ");
		out = strata_text_put_time(out, options, &buffer->clock, lost->loss->to_ns);
		out = strata_put_text(out, "] ");
	}
	out = strata_loss_text(out, lost->loss);
	out = strata_put_text(out, "; ");
	out = strata_put_bytes(out, lost->source, source_bytes);
	out = strata_put_text(out, ", stream ");
	out = strata_escape(out, lost->stream, stream_bytes);
	if (lost->cpu != STRATA_SHOWN_UNKNOWN)
		out = strata_put_decimal(strata_put_text(out, ", CPU "), lost->cpu);
	*out++ = '\n';
	strata_buffer_advance(buffer, out);
}
