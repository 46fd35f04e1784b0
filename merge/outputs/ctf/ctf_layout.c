// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_layout.c - the metadata of the merged CTF trace; ctf.c calls it after the last
 * event.
 */
#include "outputs/ctf/ctf_layout.h"

#include "files/out_file.h"
#include "outputs/output_directory.h"
#include "ctf/write/tsdl.h"

#define TRACER "tracer_name = \"strata merge\";"

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

int strata_ctf_layout_save(const struct strata_merge *merge, const struct strata_dir *dir,
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
	uint32_t number;
	size_t i;

	out = strata_out_create(dir, "metadata", error);
	if (!out)
		return -1;
	strata_tsdl_begin(out, uuid);
	strata_out_print(out, "/* " STRATA_OUTPUT_MARK " */\n\n");
	print_environment(out);
	strata_tsdl_clock(out, &clock);
	for (i = 0; i < recording->nr_sources; i++) {
		print_stream(out, merge, i, recording->sources[i].layer);
		for (number = 0; (class = strata_merge_class(merge, i, number)); number++)
			print_event(out, i, class);
	}
	return strata_out_close(out, error);
}
