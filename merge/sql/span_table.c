// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * span_table.c - the virtual tables of the state of hosts: each row is a span (state/span.h).
 *
 * A scan is a pass that the state observes from the beginning, for each state follows from all
 * that was before; it ends early where the query bounds the end of spans.  Spans come when they
 * end, and are held until the query takes them: memory for vCPUs and tasks, not for events.
 */
#include <stdlib.h>
#include <string.h>

#include "sql/plan.h"
#include "sql/scan.h"
#include "sql/span_rows.h"
#include "sql/value.h"
#include "sql/virtual.h"

#define SPAN_BYTES 64.0 /* of a trace, about: how many rows there are */

enum span_column {
	SPAN_TIME,
	SPAN_END,
	SPAN_NS,
	SPAN_BOUND,
	SPAN_HOST,
	SPAN_SOURCE,
	SPAN_DOMAIN,
	SPAN_DOMAIN_NAME,
	SPAN_VCPU,
	SPAN_PCPU,
	SPAN_CPU,
	SPAN_TID,
	SPAN_TASK,
	SPAN_KIND,
	SPAN_STATE,
	SPAN_NUMBER,
	SPAN_NAME,
	SPAN_OTHER_DOMAIN,
	SPAN_OTHER_DOMAIN_NAME,
	SPAN_OTHER_VCPU,
	SPAN_PARTS,
	NR_SPAN_COLUMNS = SPAN_PARTS + STRATA_NR_PARTS,
};

static const struct {
	const char *name, *type, *what;
} columns[NR_SPAN_COLUMNS] = {
	[SPAN_TIME] = { "time_ns", "INTEGER", "when it began, ns since 1970" },
	[SPAN_END] = { "end_ns", "INTEGER", "when it ended" },
	[SPAN_NS] = { "ns", "INTEGER", "how long it took: end_ns - time_ns" },
	[SPAN_BOUND] = { "bound_ns", "INTEGER", "ns is off by no more; NULL: not known" },
	[SPAN_HOST] = { "host", "TEXT", "the machine" },
	[SPAN_SOURCE] = { "source", "TEXT", "whose events tell of it" },
	[SPAN_DOMAIN] = { "domain", "INTEGER", "" },
	[SPAN_DOMAIN_NAME] = { "domain_name", "TEXT", "" },
	[SPAN_VCPU] = { "vcpu", "INTEGER", "" },
	[SPAN_PCPU] = { "pcpu", "INTEGER", "" },
	[SPAN_CPU] = { "cpu", "INTEGER", "the kernel's number of its CPU" },
	[SPAN_TID] = { "tid", "INTEGER", "the task's number in its kernel" },
	[SPAN_TASK] = { "task", "TEXT", "the task's name" },
	[SPAN_KIND] = { "kind", "TEXT", "which of the other tables has it" },
	[SPAN_STATE] = { "state", "TEXT", "" },
	[SPAN_NUMBER] = { "number", "", "" },
	[SPAN_NAME] = { "name", "TEXT", "the name of the number, or its digits" },
	[SPAN_OTHER_DOMAIN] = { "behind_domain", "INTEGER", "the domain that has the pCPU" },
	[SPAN_OTHER_DOMAIN_NAME] = { "behind_domain_name", "TEXT", "" },
	[SPAN_OTHER_VCPU] = { "behind_vcpu", "INTEGER", "its vCPU" },
	[SPAN_PARTS + STRATA_PART_RUNS] = { "runs_ns", "INTEGER", "parts that sum to ns" },
	[SPAN_PARTS + STRATA_PART_QUEUED] = { "queued_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_XEN] = { "in_xen_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_STOLEN] = { "stolen_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_ASLEEP] = { "vcpu_asleep_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_PAUSED] = { "vcpu_paused_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_BLOCKED] = { "blocked_ns", "INTEGER", "" },
	[SPAN_PARTS + STRATA_PART_UNKNOWN] = { "unknown_ns", "INTEGER", "" },
};

#define OF(kind)    (1u << STRATA_SPAN_##kind)
#define HAS(column) (1ull << SPAN_##column)
#define HAS_ALL     ((1ull << NR_SPAN_COLUMNS) - 1)
#define HAS_TIMES   (HAS(TIME) | HAS(END) | HAS(NS) | HAS(BOUND) | HAS(HOST) | HAS(SOURCE))
#define HAS_DOMAIN  (HAS(DOMAIN) | HAS(DOMAIN_NAME))
#define HAS_VCPU    (HAS_DOMAIN | HAS(VCPU))
#define HAS_TASK    (HAS_DOMAIN | HAS(CPU) | HAS(TID) | HAS(TASK))
#define HAS_WORK    (HAS(NUMBER) | HAS(NAME))
#define HAS_PARTS   (((1ull << STRATA_NR_PARTS) - 1) << SPAN_PARTS)
#define HAS_OTHER   (HAS(OTHER_DOMAIN) | HAS(OTHER_DOMAIN_NAME) | HAS(OTHER_VCPU))

static const struct span_table_kind {
	const char *name, *what;
	unsigned int kinds;
	uint64_t columns;
	const char *layer; /* only its events tell; NULL: those of all layers do */
} tables[] = {
	{ "slices", "all of the state: every row of the tables below", ~0u, HAS_ALL, NULL },
	{ "spans", "the same as slices", ~0u, HAS_ALL, NULL },
	{ "pcpus", "which vCPU each physical CPU ran", OF(PCPU), HAS_TIMES | HAS_VCPU | HAS(PCPU),
	  "xen" },
	{ "runstates", "states of vCPUs: running, runnable, blocked, offline, unknown", OF(VCPU),
	  HAS_TIMES | HAS_VCPU | HAS(STATE), "xen" },
	{ "steal", "a vCPU waited for a physical CPU that another one had", OF(BEHIND),
	  HAS_TIMES | HAS_VCPU | HAS(PCPU) | HAS_OTHER, "xen" },
	{ "exits", "VM exits until the entry; number is the reason", OF(EXIT),
	  HAS_TIMES | HAS_VCPU | HAS_WORK, "xen" },
	{ "hypercalls", "hypercalls until their return", OF(HYPERCALL),
	  HAS_TIMES | HAS_VCPU | HAS_WORK, "xen" },
	{ "tasks", "states of tasks: running, runnable, blocked, unknown", OF(TASK),
	  HAS_TIMES | HAS_TASK | HAS(STATE) | HAS_PARTS, NULL },
	{ "wakeups", "from a wake-up, or from being preempted, until the task ran",
	  OF(WAKEUP) | OF(PREEMPTED), HAS_TIMES | HAS_TASK | HAS(KIND) | HAS_PARTS, NULL },
	{ "syscalls", "system calls", OF(SYSCALL), HAS_TIMES | HAS_TASK | HAS_WORK | HAS_PARTS,
	  NULL },
	{ "irqs", "handlers of interrupts, and softirqs", OF(IRQ) | OF(SOFTIRQ),
	  HAS_TIMES | HAS_DOMAIN | HAS(CPU) | HAS(KIND) | HAS_WORK | HAS_PARTS, NULL },
	{ "requests", "requests of applications; number is the key", OF(REQUEST),
	  HAS_TIMES | HAS_TASK | HAS_WORK | HAS_PARTS, NULL },
};

#define NR_TABLES (sizeof(tables) / sizeof(tables[0]))

const char *const sql_table_names[] = {
	"events",   "slices",     "spans",  "pcpus",   "runstates",    "steal",
	"exits",    "hypercalls", "tasks",  "wakeups", "syscalls",     "irqs",
	"requests", "losses",     "clocks", "sources", "event_tables", NULL,
};

static const char *const kind_names[STRATA_NR_SPANS] = {
	[STRATA_SPAN_PCPU] = "pcpu",           [STRATA_SPAN_VCPU] = "runstate",
	[STRATA_SPAN_BEHIND] = "steal",        [STRATA_SPAN_EXIT] = "exit",
	[STRATA_SPAN_HYPERCALL] = "hypercall", [STRATA_SPAN_TASK] = "task",
	[STRATA_SPAN_WAKEUP] = "wakeup",       [STRATA_SPAN_PREEMPTED] = "preempted",
	[STRATA_SPAN_SYSCALL] = "syscall",     [STRATA_SPAN_IRQ] = "irq",
	[STRATA_SPAN_SOFTIRQ] = "softirq",     [STRATA_SPAN_REQUEST] = "request",
	[STRATA_SPAN_EVTCHN] = "evtchn",       [STRATA_SPAN_IN_XEN] = "in_xen",
};

static const char *const vcpu_states[STRATA_NR_VCPU_STATES] = {
	[STRATA_VCPU_GUEST] = "running",     [STRATA_VCPU_XEN] = "running",
	[STRATA_VCPU_RUNNABLE] = "runnable", [STRATA_VCPU_BLOCKED] = "blocked",
	[STRATA_VCPU_OFFLINE] = "offline",   [STRATA_VCPU_UNKNOWN] = "unknown",
};

static const char *const task_states[STRATA_NR_TASK_STATES] = {
	[STRATA_TASK_RUNNING] = "running",
	[STRATA_TASK_RUNNABLE] = "runnable",
	[STRATA_TASK_BLOCKED] = "blocked",
	[STRATA_TASK_UNKNOWN] = "unknown",
};

/* What is registered with SQLite. */
struct span_table_aux {
	struct strata_sql *sql;
	const struct span_table_kind *kind;
};

struct span_table {
	sqlite3_vtab base;
	struct span_table_aux aux;
	unsigned int of[NR_SPAN_COLUMNS]; /* the table's columns, of all */
	struct sql_condition_column conditions[NR_SPAN_COLUMNS];
	size_t nr;
};

struct span_cursor {
	sqlite3_vtab_cursor base;
	const struct span_table *table;
	struct sql_scan scan;
	struct strata_slice_sink sink; /* hands runs to the state */
	struct strata_host_state *state;
	struct sql_span_rows rows;
	struct strata_span_listener *listener; /* that; the state keeps a pointer to it */
	const struct sql_span_row *now;        /* NULL: at the end */
	bool is_finished;                      /* no more spans will come */
	bool is_cut; /* later events are not wanted: what goes on is not told */
	sqlite3_int64 row;
};

static int connect_table(sqlite3 *db, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **error)
{
	const struct span_table_aux *aux = data;
	struct span_table *made = sqlite3_malloc(sizeof(*made));
	sqlite3_str *text = sqlite3_str_new(db);
	int status = SQLITE_NOMEM;
	char *declared;
	unsigned int i;

	(void)argc;
	(void)argv;
	(void)error;
	if (made)
		memset(made, 0, sizeof(*made));
	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (i = 0; made && i < NR_SPAN_COLUMNS; i++) {
		if (!(aux->kind->columns & 1ull << i))
			continue;
		sqlite3_str_appendf(text, "%s%s %s%s", made->nr ? ", " : "", columns[i].name,
				    columns[i].type, i == SPAN_NUMBER ? " COLLATE u64" : "");
		/* Only the end of spans lets a scan end earlier. */
		made->conditions[made->nr].name = columns[i].name;
		if (i == SPAN_END)
			made->conditions[made->nr].condition = SQL_ON_TIME;
		made->of[made->nr++] = i;
	}
	sqlite3_str_appendall(text, ")");
	declared = sqlite3_str_finish(text);
	if (made && declared)
		status = sql_virtual_declare(db, declared);
	sqlite3_free(declared);
	if (status != SQLITE_OK) {
		sqlite3_free(made);
		return status;
	}
	made->aux = *aux;
	*out = &made->base;
	return SQLITE_OK;
}

static int choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct span_table *table = (struct span_table *)base;
	const int status = sql_plan_choose(info, table->conditions, table->nr,
					   (double)table->aux.sql->options.set->bytes / SPAN_BYTES);

	/* Each scan is a pass over everything: better one of these outside, and events inside. */
	info->estimatedCost *= 100;
	return status;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct span_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->table = (struct span_table *)base;
	*out = &cursor->base;
	return SQLITE_OK;
}

static void end_scan(struct span_cursor *cursor)
{
	sql_scan_close(&cursor->scan);
	strata_host_state_free(cursor->state);
	sql_span_rows_clear(&cursor->rows);
	cursor->state = NULL;
	cursor->now = NULL;
	cursor->is_finished = false;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	end_scan((struct span_cursor *)base);
	free(base);
	return SQLITE_OK;
}

static struct span_cursor *cursor_of(struct strata_slice_sink *sink)
{
	return (struct span_cursor *)((char *)sink - offsetof(struct span_cursor, sink));
}

/* Hands a run to the state; the scan pauses when spans came of it. */
static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct span_cursor *cursor = cursor_of(sink);
	struct strata_slice_sink *state = strata_host_state_observer(cursor->state);
	const int status = state->take(state, stream, reader, events, nr, error);

	return status ? status : cursor->rows.nr > 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct span_cursor *cursor = cursor_of(sink);
	struct strata_slice_sink *state = strata_host_state_observer(cursor->state);
	const int status = state->lose(state, stream, reader, loss, error);

	return status ? status : cursor->rows.nr > 0;
}

static int find_row(struct span_cursor *cursor)
{
	while (!(cursor->now = sql_span_rows_take(&cursor->rows))) {
		if (cursor->is_finished)
			return SQLITE_OK;
		switch (sql_scan_next(&cursor->scan)) {
		case 0:
			cursor->is_finished = true;
			/* What goes on where the scan was cut ends later, and is not asked for. */
			if (!cursor->is_cut &&
			    strata_host_state_finish(cursor->state, &cursor->scan.error))
				return SQLITE_NOMEM;
			break;
		case -1:
			return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
		default:
			break;
		}
		if (cursor->rows.no_memory)
			return SQLITE_NOMEM;
	}
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct span_cursor *cursor = (struct span_cursor *)base;

	cursor->row++;
	return find_row(cursor);
}

static int begin_scan(struct span_cursor *cursor, const struct sql_plan *plan)
{
	struct strata_sql *sql = cursor->table->aux.sql;
	const struct span_table_kind *kind = cursor->table->aux.kind;
	/* A wait for a pCPU is told when it is over, with all that it was behind until then. */
	const bool may_cut = !(kind->kinds & OF(BEHIND));
	const struct sql_scan_options options = { .to_ns = may_cut ? plan->to_ns : UINT64_MAX,
						  .layer = kind->layer,
						  .with_losses = true };

	cursor->is_cut = options.to_ns != UINT64_MAX;
	sql_span_rows_init(&cursor->rows, sql->options.shown, kind->kinds);
	cursor->listener = &cursor->rows.listener;
	if (sql_scan_open(&cursor->scan, sql, &options))
		return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
	cursor->state = strata_host_state_new(&cursor->scan.set, sql->options.requests,
					      &cursor->listener, 1, &cursor->scan.error);
	if (!cursor->state)
		return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
	cursor->sink = (struct strata_slice_sink){ .take = take, .lose = lose };
	cursor->scan.observer = &cursor->sink;
	if (sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
	return find_row(cursor);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int nr,
		  sqlite3_value **values)
{
	struct span_cursor *cursor = (struct span_cursor *)base;
	const struct span_table *table = cursor->table;
	struct sql_plan plan;
	int status;

	(void)number;
	end_scan(cursor);
	cursor->row = 0;
	status = sql_plan_read(&plan, table->aux.sql->catalog.events, text, nr, values,
			       table->conditions, table->nr);
	if (status == SQLITE_OK && !plan.is_empty)
		status = begin_scan(cursor, &plan);
	sqlite3_free(plan.expression);
	return status;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return !((struct span_cursor *)base)->now;
}

static int row_of(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((struct span_cursor *)base)->row;
	return SQLITE_OK;
}

static void put_text(sqlite3_context *context, const char *text)
{
	if (text && *text)
		sql_result_text(context, text, strlen(text));
}

static void put_domain_name(sqlite3_context *context, const struct strata_sql *sql,
			    const struct sql_span_row *row, uint32_t domain)
{
	char text[STRATA_REPORT_NAME];

	if (domain != STRATA_SHOWN_UNKNOWN)
		put_text(context,
			 strata_report_domain_name(text, sql->options.shown, row->trace, domain));
}

static void put_state(sqlite3_context *context, const struct sql_span_row *row)
{
	if (row->kind == STRATA_SPAN_VCPU && row->number < STRATA_NR_VCPU_STATES)
		put_text(context, vcpu_states[row->number]);
	else if (row->kind == STRATA_SPAN_TASK && row->number < STRATA_NR_TASK_STATES)
		put_text(context, task_states[row->number]);
}

/* Whether the number of a span is what it is of. */
static bool has_number(const struct sql_span_row *row)
{
	return (1u << row->kind) &
	       (OF(EXIT) | OF(HYPERCALL) | OF(SYSCALL) | OF(IRQ) | OF(SOFTIRQ) | OF(REQUEST));
}

static void put_part(sqlite3_context *context, const struct sql_span_row *row, unsigned int column)
{
	if (row->has_parts)
		sql_result_u64(context, row->parts[column - SPAN_PARTS]);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	const struct span_cursor *cursor = (struct span_cursor *)base;
	const struct strata_sql *sql = cursor->table->aux.sql;
	const struct sql_span_row *row = cursor->now;
	const unsigned int asked = cursor->table->of[at];

	switch (asked) {
	case SPAN_TIME:
		sql_result_u64(context, row->from_ns);
		break;
	case SPAN_END:
		sql_result_u64(context, row->to_ns);
		break;
	case SPAN_NS:
		sql_result_u64(context, row->to_ns > row->from_ns ? row->to_ns - row->from_ns : 0);
		break;
	case SPAN_BOUND:
		sql_result_bound(context, row->bound_ns);
		break;
	case SPAN_HOST:
		put_text(context, sql->hosts[row->trace]);
		break;
	case SPAN_SOURCE:
		put_text(context, sql->sources[row->trace]);
		break;
	case SPAN_DOMAIN:
		sql_result_u32(context, row->domain);
		break;
	case SPAN_DOMAIN_NAME:
		put_domain_name(context, sql, row, row->domain);
		break;
	case SPAN_VCPU:
		sql_result_u32(context, row->vcpu);
		break;
	case SPAN_PCPU:
		sql_result_u32(context, row->pcpu);
		break;
	case SPAN_CPU:
		sql_result_u32(context, row->cpu);
		break;
	case SPAN_TID:
		sql_result_u32(context, row->tid);
		break;
	case SPAN_TASK:
		if (row->comm[0])
			sql_result_text(context, row->comm, strnlen(row->comm, sizeof(row->comm)));
		break;
	case SPAN_KIND:
		put_text(context, kind_names[row->kind]);
		break;
	case SPAN_STATE:
		put_state(context, row);
		break;
	case SPAN_NUMBER:
		if (has_number(row))
			sql_result_u64(context, row->number);
		break;
	case SPAN_NAME:
		put_text(context, row->name);
		break;
	case SPAN_OTHER_DOMAIN:
		sql_result_u32(context, row->other_domain);
		break;
	case SPAN_OTHER_DOMAIN_NAME:
		put_domain_name(context, sql, row, row->other_domain);
		break;
	case SPAN_OTHER_VCPU:
		sql_result_u32(context, row->other_vcpu);
		break;
	default:
		put_part(context, row, asked);
	}
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 0,
	.xConnect = connect_table,
	.xBestIndex = choose,
	.xDisconnect = sql_virtual_disconnect,
	.xDestroy = sql_virtual_disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = row_of,
};

int sql_add_span_tables(struct strata_sql *sql)
{
	int status = SQLITE_OK;
	size_t i;

	for (i = 0; status == SQLITE_OK && i < NR_TABLES; i++) {
		struct span_table_aux *aux = malloc(sizeof(*aux));

		if (!aux)
			return SQLITE_NOMEM;
		*aux = (struct span_table_aux){ sql, &tables[i] };
		status = sqlite3_create_module_v2(sql->db, tables[i].name, &module, aux, free);
	}
	return status;
}

bool sql_describe_span_table(const char *name, FILE *out)
{
	size_t i, j;

	for (i = 0; i < NR_TABLES; i++) {
		if (sqlite3_stricmp(name, tables[i].name) != 0)
			continue;
		fprintf(out, "%s  -- %s\n", tables[i].name, tables[i].what);
		for (j = 0; j < NR_SPAN_COLUMNS; j++) {
			if (!(tables[i].columns & 1ull << j))
				continue;
			fprintf(out, "  %s %s", columns[j].name,
				*columns[j].type ? columns[j].type : "UNSIGNED");
			fprintf(out, *columns[j].what ? "  -- %s\n" : "%s\n", columns[j].what);
		}
		return true;
	}
	return false;
}
