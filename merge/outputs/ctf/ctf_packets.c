// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_packets.c - see ctf_packets.h; ctf.c and compass_trace.c write their traces with it. */
#include "outputs/ctf/ctf_packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/packet.h>

#define PACKET_BYTES 65536u

static void note_error(struct strata_ctf_packets *packets, int error)
{
	if (!error || packets->files->error)
		return;
	packets->files->error = error;
	packets->files->error_path = packets->path;
}

static void open_packet(struct strata_ctf_packets *packets, uint64_t ns)
{
	struct strata_ctf_packet_header *header = &packets->header;

	header->magic = STRATA_CTF_MAGIC;
	memcpy(header->uuid, packets->files->uuid, sizeof(header->uuid));
	header->timestamp_begin = ns;
	header->timestamp_end = ns;
	packets->used = sizeof(*header);
}

/* Writes the open packet.  @discarded: the file's losses up to its end */
static void close_packet(struct strata_ctf_packets *packets, uint64_t discarded)
{
	struct strata_ctf_packet_header *header = &packets->header;

	header->content_size = (uint64_t)packets->used * 8;
	header->packet_size = header->content_size;
	header->events_discarded = discarded;
	memcpy(packets->packet, header, sizeof(*header));
	if (!packets->files->error)
		note_error(packets, strata_write_all(packets->fd, packets->packet, packets->used));
	header->packet_seq_num++;
	packets->used = 0;
}

/* A reader counts losses from the first packet on: it gets one from before them. */
static void precede_loss(struct strata_ctf_packets *packets)
{
	if (packets->header.packet_seq_num)
		return;
	open_packet(packets, packets->files->first_ns);
	close_packet(packets, 0);
}

uint8_t *strata_ctf_packets_room(struct strata_ctf_packets *packets, uint32_t bytes, uint64_t ns,
				 uint64_t lost)
{
	uint32_t at = (packets->used + 3u) & ~3u;

	/* A loss belongs between two packets: so the one before it ends here. */
	if (packets->used &&
	    (at + bytes > PACKET_BYTES || lost != packets->header.events_discarded))
		close_packet(packets, packets->header.events_discarded);
	if (!packets->used) {
		if (lost > 0)
			precede_loss(packets);
		open_packet(packets, ns);
		at = (packets->used + 3u) & ~3u;
	}
	packets->header.events_discarded = lost;
	packets->header.timestamp_end = ns;
	memset(packets->packet + packets->used, 0, at - packets->used);
	packets->used = at + bytes;
	return packets->packet + at;
}

void strata_ctf_packets_finish(struct strata_ctf_packets *packets, uint64_t last_ns, uint64_t lost)
{
	if (packets->used)
		close_packet(packets, packets->header.events_discarded);
	if (lost > packets->header.events_discarded) {
		precede_loss(packets);
		open_packet(packets, last_ns);
		close_packet(packets, lost);
	}
	if (close(packets->fd))
		note_error(packets, errno);
	packets->fd = -1;
}

int strata_ctf_packets_open(struct strata_ctf_packets *packets, struct strata_ctf_files *files,
			    const struct strata_dir *dir, const char *name, uint32_t stream_id,
			    uint32_t cpu, struct strata_error *error)
{
	char path[4200];

	memset(packets, 0, sizeof(*packets));
	if (snprintf(path, sizeof(path), "%s/%s", dir->path, name) >= (int)sizeof(path))
		return strata_fail(error, "%.100s...: the path is too long", dir->path);
	packets->files = files;
	packets->header.stream_id = stream_id;
	packets->header.cpu_id = cpu;
	packets->fd = -1;
	packets->path = strdup(path);
	packets->packet = malloc(PACKET_BYTES);
	if (!packets->path || !packets->packet)
		strata_fail(error, "%s: out of memory", path);
	else if ((packets->fd = strata_dir_create(dir, name, 0644, error)) >= 0)
		return 0;
	strata_ctf_packets_close(packets);
	return -1;
}

void strata_ctf_packets_close(struct strata_ctf_packets *packets)
{
	if (packets->fd >= 0)
		close(packets->fd);
	free(packets->packet);
	free(packets->path);
	memset(packets, 0, sizeof(*packets));
	packets->fd = -1;
}

int strata_ctf_files_result(const struct strata_ctf_files *files, struct strata_error *error)
{
	return files->error ? strata_fail_write(files->error_path, files->error, error) : 0;
}

void strata_ctf_packets_describe(struct strata_out_file *out, uint32_t stream_id)
{
	strata_out_print(out,
			 "stream {\n"
			 "\tid = %u;\n"
			 "\tpacket.context := struct {\n"
			 "\t\tticks_t timestamp_begin;\n"
			 "\t\tticks_t timestamp_end;\n"
			 "\t\tuint64_t content_size;\n"
			 "\t\tuint64_t packet_size;\n"
			 "\t\tuint64_t packet_seq_num;\n"
			 "\t\tuint64_t events_discarded;\n"
			 "\t\tuint32_t cpu_id;\n"
			 "\t};\n"
			 "\tevent.header := struct {\n"
			 "\t\tuint32_t id;\n"
			 "\t\tticks_t timestamp;\n"
			 "\t};\n",
			 stream_id);
}
