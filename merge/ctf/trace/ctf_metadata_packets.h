/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_metadata_packets.h - metadata in packets, as LTTng writes it: each has a header of 37 bytes,
 * a part of the text, and padding.
 */
#ifndef STRATA_MERGE_CTF_METADATA_PACKETS_H
#define STRATA_MERGE_CTF_METADATA_PACKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether these bytes begin with the magic number of a metadata packet. */
bool strata_ctf_is_packetised(const unsigned char *bytes, size_t size);

/*
 * Joins the text. A truncated last packet gives its existing text.
 * @name:   of the file, for errors
 * @text:   OUT, to be freed; @size bytes, without a zero byte at the end
 * @cut_at: OUT, the first missing byte of the file; 0: none
 * Returns 0, or -1 with an error that names the byte.
 */
int strata_ctf_unpack_metadata(const char *name, const unsigned char *bytes, size_t bytes_size,
			       char **text, size_t *size, size_t *cut_at,
			       struct strata_error *error);

#endif /* STRATA_MERGE_CTF_METADATA_PACKETS_H */
