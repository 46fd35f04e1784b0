/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_packets.h - the files of a CTF 1.8 trace that is written event by event: how
 * packets and the headers of events are laid out, as bytes and as metadata, and how
 * losses stand between packets.
 *
 * Who writes a trace has one `strata_ctf_files` for it and a `strata_ctf_packets` for each
 * stream file.  Times of a file never decrease and its packets do not overlap;
 * babeltrace2 gives up otherwise.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_PACKETS_H
#define STRATA_MERGE_OUTPUTS_CTF_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "files/out_file.h"
#include "files/safe_dir.h"

/* trace.packet.header and stream.packet.context */
struct strata_ctf_packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
} __attribute__((packed, aligned(4)));

/* event.header */
struct strata_ctf_event_header {
	uint32_t id;
	uint64_t ns;
} __attribute__((packed, aligned(4)));

/* What the files of a trace have in common. */
struct strata_ctf_files {
	uint8_t uuid[16];
	uint64_t first_ns;      /* of the timeline; from before the first event of any file */
	int error;              /* errno of the first write that failed */
	const char *error_path; /* of that file */
};

struct strata_ctf_packets {
	struct strata_ctf_files *files;
	char *path;
	int fd;
	uint8_t *packet;
	uint32_t used; /* of packet, header included; 0: no packet is open */
	struct strata_ctf_packet_header header;
};

/* Makes an empty file in @dir.  0, or -1: nothing is left to be closed. */
int strata_ctf_packets_open(struct strata_ctf_packets *packets, struct strata_ctf_files *files,
			    const struct strata_dir *dir, const char *name, uint32_t stream_id,
			    uint32_t cpu, struct strata_error *error);

/*
 * Where an event goes, in a packet that has room for it.
 * @bytes: of it, header included; fewer than a packet's by the header
 * @ns:    its time; not before any other of the file
 * @lost:  so many events of the file were lost before it; never falls
 * Aligned to 4; valid until the next call.
 */
uint8_t *strata_ctf_packets_room(struct strata_ctf_packets *packets, uint32_t bytes, uint64_t ns,
				 uint64_t lost);

/*
 * Writes what is left.
 * @last_ns: the end of the timeline
 * @lost:    in all; what was lost after the last event ends with the timeline
 */
void strata_ctf_packets_finish(struct strata_ctf_packets *packets, uint64_t last_ns, uint64_t lost);

/* Frees what the file has, also one that was never finished. */
void strata_ctf_packets_close(struct strata_ctf_packets *packets);

/* 0, or -1 with the first thing that went wrong with any file of the trace. */
int strata_ctf_files_result(const struct strata_ctf_files *files, struct strata_error *error);

/* Metadata: opens a stream's block, up to its event.header; what follows is event.context, if there
 * is one, and "};". */
void strata_ctf_packets_describe(struct strata_out_file *out, uint32_t stream_id);

#endif /* STRATA_MERGE_OUTPUTS_CTF_PACKETS_H */
