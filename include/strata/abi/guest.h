/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the contract between strata.ko in a guest, or in dom0's own kernel, and
 * the recorder in dom0.
 *
 * The guest grants its pages to domain 0 and publishes them under its own
 * `data/strata` in xenstore.  The recorder writes one node, `ctl`; the guest writes
 * all others.  Each side treats the other's memory and nodes as hostile.
 *
 *   data/strata/version        STRATA_GUEST_ABI_VERSION, decimal
 *   data/strata/root-ref       grant reference of the root page, decimal
 *   data/strata/event-channel  unbound port for domain 0, decimal: "a sub-buffer became ready"
 *   data/strata/nonce          16 hexadecimal digits, new at each load and each restore; also in
 *                              the root page
 *   data/strata/state          result of the last command; "idle" before the first
 *   data/strata/reason         why the last refused command was refused, a line of text, or empty;
 *                              absent before the first
 *   data/strata/ctl            by domain 0: a command
 *
 * A command is a line of words, separated by single spaces:
 *
 *   start SEQ MODE PERIOD MASK [contexts=SET] [FILTER]...  record; answer "started SEQ": every
 *                              probe records
 *   flush SEQ                  "flushed SEQ": each CPU has handed over the sub-buffer that
 *                              it was writing; recording continues
 *   stop SEQ                   "stopped SEQ": no probe writes, and all CPUs have flushed
 *   kprobe SEQ NAME SYMBOL [ARG]...  "probed SEQ": the event table has an event NAME of group
 *   kprobe SEQ NAME SYMBOL+OFFSET [ARG]...  `kprobe`: the kernel reaches that place
 *   kretprobe SEQ NAME SYMBOL [ARG]...  "probed SEQ": an event of group `kretprobe`: that function
 *                              returns
 *   tracepoint SEQ NAME TRACEPOINT [ARG]...  "probed SEQ": an event of group `tracepoint`: that
 *                              trace point of the kernel, or of a loaded module, is reached
 *   uprobe SEQ NAME PATH:PLACE [ARG]...  "probed SEQ": an event of group `uprobe`: a process
 *                              reaches that place of a file
 *   uretprobe SEQ NAME PATH:PLACE [ARG]...  "probed SEQ": an event of group `uretprobe`: a function
 *                              that begins there returns
 *   counter SEQ TYPE CONFIG    "prepared SEQ": the channel counts that on each CPU
 *   function SEQ NAME PATTERN [ARG]...  "probed SEQ": events NAME_entry and NAME_exit of group
 *                              `function`: a function of the kernel or of its modules whose name
 *                              matches is called, returns
 *
 * SEQ is a decimal number that the recorder chooses and the guest returns.  It
 * begins at 1.  Any command may be answered "refused SEQ": then nothing has changed,
 * except that a start whose probes cannot all be attached leaves the recording
 * stopped.  "refused 0" answers a command whose SEQ cannot be read.
 *
 * MODE is `discard` or `overwrite`, followed by `+compact` or `+large` for records
 * with such headers (packet.h); the root page lists the forms that the guest can
 * write.  A recording with another form is stopped and flushed first.
 * PERIOD is a decimal number of milliseconds in the limits of strata/switch_period.h,
 * or 0: in mode `discard`, each CPU that is awake hands over its records once in that
 * period, if its reader has nothing else to read.  MASK is hexadecimal, of any length:
 * bit n enables entry n of the event table; a bit beyond the table is refused.  A start
 * while started replaces period, mask and filters.
 *
 * SET is hexadecimal, STRATA_CONTEXT_BIT()s of abi/guest_context.h: each record contains these
 * contexts.  A recording with other contexts is stopped and flushed first.  Each ring's writer area
 * says which contexts the records have that are written now (ring_layout.h), and each packet's
 * header which its own records have (packet.h).  A channel that counts events refuses the word.
 *
 * TYPE and CONFIG are hexadecimal: a struct strata_guest_counter.  The guest enters it in the table
 * of the channel's root page, unless the table has an equal entry, and begins to count.  A bit of
 * SET for an entry that is free is refused.  Counters end at a stop, and at a start whose SET does
 * not have them; their entries stay, and the next start with them counts from 0.  If the table is
 * full, the entry that was asked for longest ago and does not count now is replaced.
 *
 * One FILTER at most is `tid=` or `pid=` and up to STRATA_GUEST_FILTER_MAX decimal numbers,
 * separated by commas: only events of a CPU that runs one of these threads, or processes, are
 * recorded.  Any other is `where=ENTRIES:PROGRAM`: of these entries of the event table, decimal
 * numbers separated by commas, only events that pass the program are recorded, or counted.
 * PROGRAM has two hexadecimal digits for each byte of a field filter (abi/field_filter.h).  An
 * entry has one such filter at most.  A program that the guest cannot verify is refused.
 *
 * An added entry stays until the module is unloaded, and an equal command finds it
 * again.  OFFSET is hexadecimal with 0x, or decimal.  PATH is absolute, as the guest's first
 * process sees it, and has no spaces.  PLACE is SYMBOL, a function of that ELF file, SYMBOL+OFFSET
 * (in a uprobe), or OFFSET, that of the instruction in the file.  NAME is a C identifier that no
 * other entry of its group has.  An entry has up to 8 arguments ARG, in the notation of the
 * kernel's own kprobe events: [FIELD=]FETCH[:TYPE].  FETCH is `$arg1` to `$arg6` of the call, a
 * register (`%di`), where a function returns `$retval`, or what lies in memory at an offset from
 * another FETCH: `+8(FETCH)`, in the task's own memory `+u8(FETCH)`, up to four deep; for uprobes
 * both are the task's.  TYPE is u, s or x
 * with 8, 16, 32 or 64 bits, or `string` or `string[N]` for text of up to N - 1 bytes in memory
 * (N at most 255; 64), `ustring` for such text in the task's memory; x64 if it is missing.  Memory
 * that cannot be read yields 0 or "(fault)".
 *
 * Where a function of the kernel or of a module begins, and if these have BTF, FETCH may be an
 * expression of C that begins with a parameter: `file->f_inode->i_ino`, `$arg1->f_pos`; in a
 * kretprobe with `$retval->`.  Members are joined by -> or a point.  TYPE, if it is missing, is
 * then the parameter's or the member's own; text is a `string` that is an array of char or a
 * pointer to it.  FIELD, if it is missing, is the expression with _ for what joins it.  `$arg*`
 * means all parameters.  A trace point has no registers, but parameters `$arg1` to `$arg12`, also
 * by name; its module stays loaded.
 *
 * PATTERN has `*`, `?` and `[...]` as wildcards, and is refused if it matches no function that the
 * kernel's function tracer can hook, or more than STRATA_GUEST_FUNCTIONS_MAX.  A start looks again
 * which functions there are.  The events have fields `ip` (of the function), `parent_ip` (where it
 * returns to), NAME_entry the arguments ARG, NAME_exit `ret`, and `name`.
 *
 * A guest has up to STRATA_GUEST_CHANNELS_MAX channels, each with rings, mode, selection
 * and filter of its own; none disturbs another.  The above are the nodes of channel 0,
 * which exists while the module is loaded.  Channel N, from 1 on, has the same nodes,
 * except for `version`, in data/strata/N, and the same commands.  It begins when domain 0
 * writes the first of two more commands to data/strata/N/ctl:
 *
 *   create SEQ                 "created SEQ": its rings are empty and of the geometry of
 *                              channel 0, or have fewer sub-buffers; the nodes that lead to
 *                              them are there
 *   create SEQ SUBBUF_BITS NR_SUBBUFS_BITS
 *                              the same, of that geometry (ring_layout.h)
 *   destroy SEQ                "destroyed SEQ": it has no rings any more, nor those nodes
 *
 * A channel may count events instead of recording them; it begins with another command:
 *
 *   aggregate SEQ count ROW_BITS           "aggregated SEQ": its tables are empty, and have rows
 *   aggregate SEQ time ROW_BITS BEGIN END  for 1 << ROW_BITS events, or one histogram of the time
 *                                          from event BEGIN to event END of a thread
 *
 * BEGIN and END are entries of the event table, in decimal.  The tables are those of
 * abi/aggregate.h, of one owner.  Start, stop and destroy are as for rings; MODE and PERIOD mean
 * nothing then, and there is nothing to flush.
 *
 * The same command again changes nothing, and gets the same answer; another create replaces
 * the rings by new ones.  Channel 0 refuses both, and a channel without rings all other
 * commands.  All channels together take no more than STRATA_GUEST_REFS_MAX references.  A
 * restore ends all channels but 0, and removes their nodes.  Each channel's root page lists
 * the one event table, with references of the same pages.
 */
#ifndef STRATA_ABI_GUEST_H
#define STRATA_ABI_GUEST_H

#include <strata/abi/aggregate.h>
#include <strata/abi/field_filter.h>
#include <strata/abi/guest_context.h>
#include <strata/event.h>
#include <strata/packet.h>
#include <strata/ring_layout.h>
#include <strata/switch_period.h>

#define STRATA_GUEST_ABI_VERSION 10u
#define STRATA_GUEST_MAGIC       0x54525453u /* "STRT" */

#define STRATA_GUEST_XENSTORE_DIR "data/strata"

#define STRATA_GUEST_CHANNELS_MAX        8u
#define STRATA_GUEST_EVENTS_MAX          1024u  /* one bit of MASK each */
#define STRATA_GUEST_PROBES_MAX          64u    /* of them by domain 0's choice */
#define STRATA_GUEST_FUNCTIONS_MAX       16384u /* of one pattern, which has two of the probes */
#define STRATA_GUEST_FILTER_MAX          64u
#define STRATA_GUEST_TABLE_BYTES_MAX     (1u << 20)
#define STRATA_GUEST_RINGS_MAX           256u
#define STRATA_GUEST_REFS_MAX            131072u /* 512 MiB a guest */
#define STRATA_GUEST_REFS_PER_PAGE       (STRATA_PAGE_BYTES / 4u)
#define STRATA_GUEST_DIRECTORY_PAGES_MAX (STRATA_GUEST_REFS_MAX / STRATA_GUEST_REFS_PER_PAGE)

/* Each payload begins with the context, which the event table's fields omit: the task that ran on
 * the CPU (for an interrupt, the interrupted one).  The chosen contexts follow
 * (abi/guest_context.h). */
struct strata_guest_context {
	int32_t tid;
};

/*
 * The root page lists directory pages, each an array of 1,024 grant
 * references, 32 bits each.  Together they list, in this order: the pages of
 * the event table; then for each ring its writer area, its reader area and its
 * data.  Only the reader areas are granted writable.
 *
 * The event table is `nr_events` entries without gaps, each the beginning of a struct
 * strata_event_desc, strata_event_desc_bytes(nr_fields) of it; an entry's id is its
 * index, from 0.  `table_bytes` is the size of the table, with room for later entries;
 * the guest raises nr_events when an entry is complete.
 */
/*
 * Of a channel that counts, the directory lists after the event table: the pages of the keys; then
 * for each of `nr_rings` CPUs the pages of its table; none writable.  The sizes of sub-buffers,
 * and header_forms are zero: who sent the command knows the sizes of the tables.
 *
 * An unknown header form is refused.
 */
struct strata_guest_root {
	uint32_t magic;
	uint16_t version;
	uint16_t header_forms; /* STRATA_HEADER_FORM_BIT()s */
	uint64_t nonce;
	uint32_t nr_events;
	uint32_t nr_rings;
	uint8_t subbuf_bits;
	uint8_t nr_subbufs_bits;
	uint16_t reserved; /* zero */
	uint32_t nr_refs;
	uint32_t table_bytes;
	uint32_t tsc_khz; /* of a channel that counts: what this kernel's TSC is; else 0 */
	/* The guest changes them while the channel exists. */
	struct strata_guest_counter counters[STRATA_COUNTERS_MAX];
	uint32_t directory_ref[STRATA_GUEST_DIRECTORY_PAGES_MAX];
};

/* Pages that hold @bytes, which is far below 2^32 in every use. */
static inline uint32_t strata_guest_pages(uint32_t bytes)
{
	return (bytes + STRATA_PAGE_BYTES - 1u) / STRATA_PAGE_BYTES;
}

static inline uint32_t strata_guest_table_pages(uint32_t table_bytes)
{
	return strata_guest_pages(table_bytes);
}

static inline uint32_t strata_guest_ring_pages(struct strata_ring_geometry geo)
{
	return STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES + strata_data_pages(geo);
}

/* References that the directory must list.  64 bits: hostile numbers cannot overflow it. */
static inline uint64_t strata_guest_refs(uint32_t table_bytes, uint32_t nr_rings,
					 struct strata_ring_geometry geo)
{
	return (uint64_t)strata_guest_table_pages(table_bytes) +
	       (uint64_t)nr_rings * strata_guest_ring_pages(geo);
}

/* The same, of a channel that counts. */
static inline uint32_t strata_guest_key_pages(const struct strata_aggregate_spec *spec)
{
	return strata_guest_pages(strata_aggregate_rows(spec) * 8u);
}

static inline uint32_t strata_guest_count_pages(const struct strata_aggregate_spec *spec)
{
	return strata_guest_pages(strata_aggregate_table_words(spec) * 8u);
}

static inline uint64_t strata_guest_aggregate_refs(uint32_t table_bytes, uint32_t nr_rings,
						   const struct strata_aggregate_spec *spec)
{
	return (uint64_t)strata_guest_table_pages(table_bytes) + strata_guest_key_pages(spec) +
	       (uint64_t)nr_rings * strata_guest_count_pages(spec);
}

#endif /* STRATA_ABI_GUEST_H */
