// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_layout.c - the directory and the metadata of the merged CTF trace; ctf.c
 * calls it before the first event and after the last.
 */
#include "outputs/ctf_layout.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out_file.h"
#include "tsdl.h"

/* By this line an earlier merge's metadata is known. */
#define TRACER "tracer_name = \"strata merge\";"

static int join(char path[4200], const char *dir, const char *name, struct strata_error *error)
{
	if (snprintf(path, 4200, "%s/%s", dir, name) >= 4200)
		return strata_fail(error, "%.100s...: the path is too long", dir);
	return 0;
}

static bool is_earlier_merge(const char *dir)
{
	char path[4200], line[256];
	struct strata_error ignored;
	bool found = false;
	FILE *metadata;

	if (join(path, dir, "metadata", &ignored))
		return false;
	metadata = fopen(path, "r");
	if (!metadata)
		return false;
	while (!found && fgets(line, sizeof(line), metadata))
		found = strstr(line, TRACER) != NULL;
	fclose(metadata);
	return found;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes the files of an earlier merge. */
static int empty(const char *dir, DIR *list, struct strata_error *error)
{
	struct dirent *entry;
	char path[4200];

	while ((entry = readdir(list))) {
		if (is_dot(entry->d_name))
			continue;
		if (join(path, dir, entry->d_name, error))
			return -1;
		if (unlink(path))
			return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	return 0;
}

/* Until the metadata is there, says whose the directory is: the next merge may then replace one
 * that was interrupted. */
static int mark(const char *dir, struct strata_error *error)
{
	char path[4200];
	struct strata_out_file *out;

	if (join(path, dir, "metadata", error))
		return -1;
	out = strata_out_open(path, error);
	if (!out)
		return -1;
	strata_out_print(out,
			 "/* The merge that writes here is not done, or was interrupted.\n" TRACER
			 " */\n");
	return strata_out_close(out, error);
}

int strata_ctf_layout_prepare(const char *dir, struct strata_error *error)
{
	bool earlier = is_earlier_merge(dir);
	struct dirent *entry;
	int status = 0;
	DIR *list;

	if (mkdir(dir, 0755) == 0)
		return mark(dir, error);
	if (errno != EEXIST)
		return strata_fail(error, "%s: %s", dir, strerror(errno));
	list = opendir(dir);
	if (!list)
		return strata_fail(error, "%s: %s", dir, strerror(errno));
	if (earlier) {
		status = empty(dir, list, error);
	} else {
		while ((entry = readdir(list)) && is_dot(entry->d_name))
			;
		if (entry)
			status = strata_fail(
				error, "%s: the directory holds other files; name a new one", dir);
	}
	closedir(list);
	return status ? status : mark(dir, error);
}

static void print_environment(struct strata_out_file *out)
{
	strata_out_print(out, "env {\n"
			      "\t" TRACER "\n"
			      "\ttracer_major = 0;\n"
			      "\ttracer_minor = 1;\n"
			      "};\n\n");
}

/* Every domain that has a name; a record may be of another, which then shows as a number. */
static void print_domains(struct strata_out_file *out, const struct strata_merge *merge)
{
	uint32_t domain;

	strata_out_print(out, "\t\tenum : uint16_t {\n");
	for (domain = 0; domain <= UINT16_MAX; domain++) {
		const char *name = strata_merge_domain_name(merge, (uint16_t)domain);

		if (!name)
			continue;
		strata_out_print(out, "\t\t\t");
		strata_tsdl_string(out, name);
		strata_out_print(out, " = %u,\n", domain);
	}
	strata_out_print(out, "\t\t} _domain;\n");
}

static void print_stream(struct strata_out_file *out, const struct strata_merge *merge,
			 size_t source_index, enum strata_layer layer)
{
	strata_ctf_packets_describe(out, (uint32_t)source_index);
	strata_out_print(out, "\tevent.context := struct {\n");
	print_domains(out, merge);
	strata_out_print(out, "\t\tuint16_t _vcpu;\n"
			      "\t\tinteger { size = 32; align = 32; signed = true; } _pcpu;\n");
	if (layer == STRATA_LAYER_APP)
		strata_out_print(out,
				 "\t\tinteger { size = 32; align = 32; signed = true; } _pid;\n");
	if (layer != STRATA_LAYER_XEN)
		strata_tsdl_fields(out, strata_layer_context(layer));
	strata_out_print(out, "\t} align(32);\n};\n\n");
}

static void print_event(struct strata_out_file *out, size_t source_index,
			const struct strata_event_class *class)
{
	strata_out_print(out,
			 "event {\n"
			 "\tname = \"%s:%s\";\n"
			 "\tid = %u;\n"
			 "\tstream_id = %zu;\n"
			 "\tfields := struct {\n",
			 strata_layer_name(class->layer), class->desc.name, class->number,
			 source_index);
	strata_tsdl_fields(out, &class->desc);
	strata_out_print(out, "\t};\n};\n\n");
}

int strata_ctf_layout_save(const struct strata_merge *merge, const char *dir,
			   const uint8_t uuid[16], struct strata_error *error)
{
	const struct strata_recording *recording = strata_merge_recording(merge);
	const struct strata_tsdl_clock clock = {
		.description = "nanoseconds since 1970, from the host's time stamp counter",
		.uuid = uuid,
		.frequency = 1000000000,
		.precision = strata_merge_result(merge)->bound_ns,
	};
	const struct strata_event_class *class;
	struct strata_out_file *out;
	char path[4200];
	uint32_t number;
	size_t i;

	if (join(path, dir, "metadata", error))
		return -1;
	out = strata_out_open(path, error);
	if (!out)
		return -1;
	strata_tsdl_begin(out, uuid);
	print_environment(out);
	strata_tsdl_clock(out, &clock);
	for (i = 0; i < recording->nr_sources; i++) {
		print_stream(out, merge, i, recording->sources[i].layer);
		for (number = 0; (class = strata_merge_class(merge, i, number)); number++)
			print_event(out, i, class);
	}
	return strata_out_close(out, error);
}
