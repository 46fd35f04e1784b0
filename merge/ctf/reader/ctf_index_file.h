/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_index_file.h - the layout of LTTng's index files (TRACE/index/STREAM.idx):
 * the position and the times of each packet in a stream's file. All numbers are big-endian.
 */
#ifndef STRATA_MERGE_CTF_INDEX_FILE_H
#define STRATA_MERGE_CTF_INDEX_FILE_H

#include <stdint.h>

#define STRATA_CTF_INDEX_DIR        "index"
#define STRATA_CTF_INDEX_FILE_MAGIC 0xc1f1dcc1u
#define STRATA_CTF_INDEX_FILE_MAJOR 1u
#define STRATA_CTF_INDEX_FILE_MINOR 1u

struct strata_ctf_index_file_head {
	uint32_t magic;
	uint32_t major;
	uint32_t minor;
	uint32_t entry_bytes;
};

/* Part of every version; sizes in bits, times in the stream's cycles. */
struct strata_ctf_index_file_entry {
	uint64_t offset; /* bytes, in the file */
	uint64_t packet_bits;
	uint64_t content_bits;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded; /* events, of the stream so far */
	uint64_t stream_id;
};

/* From version 1.1 on. */
struct strata_ctf_index_file_entry_1_1 {
	struct strata_ctf_index_file_entry entry;
	uint64_t instance;
	uint64_t sequence;
};

#endif /* STRATA_MERGE_CTF_INDEX_FILE_H */
