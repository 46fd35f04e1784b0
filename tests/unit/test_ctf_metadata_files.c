// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ctf_metadata_files.c - CTF 1.8 metadata in packets and in files, whole and damaged. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/ctf_metadata.h"
#include "recording/recording.h"

#include "ctf_metadata_given.h"
#include "synthetic.h"
#include "saved.h"

/* Packets ------------------------------------------------------------------------------------ */

struct packets {
	uint8_t bytes[4096];
	size_t size;
	bool big_endian;
};

static void put_word(const struct packets *packets, uint8_t *at, uint32_t word)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		at[packets->big_endian ? 3 - i : i] = (uint8_t)(word >> i * 8);
}

static void add_packet(struct packets *packets, const char *text, size_t length, size_t padding)
{
	uint8_t *packet = packets->bytes + packets->size;

	assert_true(packets->size + 37 + length + padding <= sizeof(packets->bytes));
	memset(packet, 0, 37 + length + padding);
	put_word(packets, packet, 0x75d11d57);
	memset(packet + 4, 0x5a, 16);
	put_word(packets, packet + 24, (uint32_t)(37 + length) * 8);
	put_word(packets, packet + 28, (uint32_t)(37 + length + padding) * 8);
	packet[35] = 1;
	packet[36] = 8;
	memcpy(packet + 37, text, length);
	packets->size += 37 + length + padding;
}

#define IN_PACKETS LE "event { name = \"first\"; id = 1; };\nevent { name = \"last\"; id = 2; };\n"

/* In three packets, which end amid words. */
static void make_packets(struct packets *packets, bool big_endian)
{
	packets->size = 0;
	packets->big_endian = big_endian;
	add_packet(packets, IN_PACKETS, 10, 3);
	add_packet(packets, IN_PACKETS + 10, 60, 0);
	add_packet(packets, IN_PACKETS + 70, strlen(IN_PACKETS) - 70, 100);
}

static void packets_of_either_byte_order_are_put_together(void **state)
{
	struct packets packets;
	struct given given;
	int big_endian;

	(void)state;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		make_packets(&packets, big_endian);
		assert_int_equal(parse_bytes(&given, packets.bytes, packets.size), 0);
		assert_string_equal(given.complaints, "");
		assert_int_equal(given.metadata.nr_events, 2);
		clear(&given);
	}
}

static void of_packets_that_are_cut_off_what_is_whole_is_kept(void **state)
{
	struct packets packets;
	struct given given;

	(void)state;
	make_packets(&packets, false);
	/* The padding is missing: nothing that matters. */
	assert_int_equal(parse_bytes(&given, packets.bytes, packets.size - 50), 0);
	assert_int_equal(given.metadata.nr_events, 2);
	clear(&given);
	/* The last event is not whole. */
	assert_int_equal(parse_bytes(&given, packets.bytes, packets.size - 110), 0);
	assert_int_equal(given.metadata.nr_events, 1);
	assert_string_equal(given.metadata.streams[0].events[0].name, "first");
	assert_string_equal(given.complaints, "metadata:3:1: the metadata is truncated: the block "
					      "that begins here is left out\n");
	clear(&given);
}

static void damaged_packets_are_refused_with_their_byte(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *error;
	} damages[] = {
		{ 32, 1, "metadata: byte 32: this packet is compressed (scheme 1)" },
		{ 33, 2, "metadata: byte 33: this packet is encrypted (scheme 2)" },
		{ 34, 1, "metadata: byte 34: this packet is protected by a checksum" },
		{ 36, 9, "metadata: byte 35: a packet of CTF 1.9" },
		{ 35, 2, "metadata: byte 35: a packet of CTF 2.8" },
		{ 35, 't', "metadata: byte 35: these are not the 37 bytes" },
		{ 24, 1, "metadata: byte 24: a packet of 400 bits with a content of 257 bits" },
		{ 24, 0, "with a content of 256 bits: the file is damaged" },
		{ 27, 1, "metadata: byte 24: a packet of 400 bits" },
		{ 28, 0, "a packet of 256 bits with a content of 376 bits" },
		{ 50, 0, "metadata: byte 50: no packet begins here" },
		{ 54, 0, "metadata: byte 54: this packet is of another trace" },
	};
	struct packets packets;
	struct given given;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		make_packets(&packets, false);
		packets.bytes[damages[i].at] = damages[i].byte;
		assert_int_equal(parse_bytes(&given, packets.bytes, packets.size), -1);
		if (!strstr(given.error.text, damages[i].error))
			fail_msg("%s: expected %s", given.error.text, damages[i].error);
	}
}

/* Files -------------------------------------------------------------------------------------- */

static void what_strata_writes_is_read(void **state)
{
	struct strata_recording recording;
	struct synthetic rec;
	struct given given = { .complaints = "" };
	char dir[4096 + 100];
	size_t i;

	(void)state;
	synthetic_init(&rec);
	synthetic_build_host(&rec, &(struct synthetic_host){ 0 });
	synthetic_write(&rec);
	assert_int_equal(loaded_recording(&recording, rec.dir, &given.error), 0);
	for (i = 0; i < recording.nr_sources; i++) {
		const struct strata_source *source = &recording.sources[i];

		assert_int_equal(saved_metadata(&recording, source, rec.dir, &given.error), 0);
		snprintf(dir, sizeof(dir), "%s/%s", rec.dir, source->name);
		assert_int_equal(
			strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			0);
		assert_string_equal(given.complaints, "");
		assert_int_equal(given.metadata.nr_streams, 1);
		assert_int_equal(given.metadata.nr_events, source->nr_events);
		assert_int_equal(given.metadata.nr_clocks, 1);
		assert_true(given.metadata.clocks[0].absolute);
		assert_memory_equal(given.metadata.uuid, source->uuid, 16);
		clear(&given);
	}
	assert_true(i > 1);
	strata_recording_clear(&recording);
	synthetic_free(&rec);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct given given = { .complaints = "" };
	char dir[] = "/tmp/strata-metadata-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, dir));
	assert_non_null(strstr(given.error.text, "/metadata: cannot be opened: No such file"));

	/* This pipe has no writer, and the reader does not wait for one. */
	snprintf(path, sizeof(path), "%s/metadata", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, "not a regular file"));

	/* A file that claims a gigabyte has none of it read. */
	unlink(path);
	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(truncate(path, 1l << 30), 0);
	assert_int_equal(strata_ctf_metadata_load(&given.metadata, dir, hear, &given, &given.error),
			 -1);
	assert_non_null(strstr(given.error.text, "1073741824 bytes, but no more than"));
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_of_either_byte_order_are_put_together),
		cmocka_unit_test(of_packets_that_are_cut_off_what_is_whole_is_kept),
		cmocka_unit_test(damaged_packets_are_refused_with_their_byte),
		cmocka_unit_test(what_strata_writes_is_read),
		cmocka_unit_test(a_file_that_cannot_be_read_is_named),
	};

	return cmocka_run_group_tests_name("ctf_metadata_files", tests, NULL, NULL);
}
