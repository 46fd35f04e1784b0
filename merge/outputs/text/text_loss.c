// SPDX-License-Identifier: GPL-2.0-or-later
/* text_loss.c - a loss as a line of text: see text_lines.h. */
#include "base/escape.h"
#include "outputs/text/text_lines.h"

static char *put_time(char *out, const struct strata_text_options *options,
		      struct strata_put_clock *clock, uint64_t ns)
{
	const uint64_t second = ns / 1000000000u;
	const size_t skip = options->date ? 0 : STRATA_PUT_DATE_BYTES;

	if (options->seconds || !strata_put_clock_set(clock, second, options->gmt))
		return strata_put_seconds(out, ns);
	out = strata_put_bytes(out, clock->text + skip,
			       STRATA_PUT_DATE_BYTES + STRATA_PUT_TIME_BYTES - skip);
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(ns - second * 1000000000u));
}

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
		out = put_time(out, options, &buffer->clock, lost->loss->from_ns);
		out = strata_put_text(out, " - ");
		out = put_time(out, options, &buffer->clock, lost->loss->to_ns);
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
