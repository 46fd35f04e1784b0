// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - see symbols.h. */
#include "base/partition.h"
#include "symbols/symbol_table.h"
#include "files/read_at.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A function without a size ends here at the latest. */
#define FUNCTION_BYTES_MAX (1u << 20)

char *strata_symbols_read(int fd, uint64_t offset, uint64_t bytes, struct strata_error *error)
{
	char *memory;

	if (bytes > STRATA_SYMBOLS_BYTES || offset > INT64_MAX) {
		strata_fail(error, "it has more than %u MiB of symbols",
			    STRATA_SYMBOLS_BYTES >> 20);
		return NULL;
	}
	memory = malloc(bytes + 1);
	if (!memory) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	if (strata_read_at(fd, memory, bytes, offset) != bytes) {
		strata_fail(error, "%s", errno ? strerror(errno) : "it is truncated");
		free(memory);
		return NULL;
	}
	memory[bytes] = '\0';
	return memory;
}

/* Linkers mark ends of code like functions. */
static bool is_end(const char *name)
{
	return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0 ||
	       strcmp(name, "_end") == 0;
}

/*
 * Enlarges an array of @capacity elements so that it has @nr. It grows by an eighth, because what
 * it does not use counts against the room of recordings, too.
 */
static void *grow(struct strata_symbols *symbols, void *array, size_t nr, size_t *capacity,
		  size_t element)
{
	size_t more = *capacity + *capacity / 8 + 256;
	void *grown;

	if (more < nr)
		more = nr;
	if (symbols->is_bounded &&
	    !strata_symbols_room_take(&symbols->room, (more - *capacity) * element))
		return NULL;
	/* What was taken is given back with the symbols, which are of no use without this one. */
	grown = reallocarray(array, more, element);
	if (grown)
		*capacity = more;
	return grown;
}

int strata_symbols_add(struct strata_symbols *symbols, uint64_t address, uint64_t bytes,
		       uint32_t name, bool is_code)
{
	if (symbols->nr == symbols->capacity) {
		struct strata_symbol *more = grow(symbols, symbols->symbols, symbols->nr + 1,
						  &symbols->capacity, sizeof(*more));

		if (!more)
			return -1;
		symbols->symbols = more;
	}
	symbols->symbols[symbols->nr++] =
		(struct strata_symbol){ .address = address,
					.bytes = bytes,
					.name = name,
					.is_code = is_code && !is_end(symbols->text + name) };
	return 0;
}

int strata_symbols_add_name(struct strata_symbols *symbols, const char *text, size_t bytes,
			    uint32_t *name)
{
	const size_t end = symbols->text_bytes + bytes + 1;

	if (end > symbols->text_capacity) {
		char *more = grow(symbols, symbols->text, end, &symbols->text_capacity, 1);

		if (!more)
			return -1;
		symbols->text = more;
	}
	*name = (uint32_t)symbols->text_bytes;
	memcpy(symbols->text + *name, text, bytes);
	symbols->text[*name + bytes] = '\0';
	symbols->text_bytes = end;
	return 0;
}

/* Gives back memory that loading did not use. */
static void shrink(struct strata_symbols *symbols)
{
	const size_t bytes = symbols->nr * sizeof(*symbols->symbols);
	struct strata_symbol *less = realloc(symbols->symbols, bytes);
	char *text = realloc(symbols->text, symbols->text_bytes);

	if (less)
		symbols->symbols = less;
	if (text)
		symbols->text = text;
	if (less && text)
		strata_symbols_room_keep(&symbols->room, bytes + symbols->text_bytes);
}

/* By address; of several at one address code comes last, and so is found. */
static int compare(const void *a, const void *b, void *text)
{
	const struct strata_symbol *x = a, *y = b;
	const char *names = text;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->is_code != y->is_code)
		return x->is_code ? 1 : -1;
	/* The same in whatever order the file has them; the first by name is found. */
	return strcmp(names + y->name, names + x->name);
}

static int read_file(struct strata_symbols *symbols, int fd, bool *has_room,
		     struct strata_error *error)
{
	char magic[SELFMAG] = { 0 };
	struct stat status;

	if (fstat(fd, &status))
		return strata_fail(error, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return strata_fail(error, "not a regular file");
	/* Recordings have text alone. */
	if (!symbols->is_bounded && pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    !memcmp(magic, ELFMAG, SELFMAG))
		return strata_symbols_read_elf(symbols, fd, (uint64_t)status.st_size, error);
	return strata_symbols_read_text(symbols, fd, (uint64_t)status.st_size, has_room, error);
}

/* Loads a file into @symbols, which this frees if that fails; NULL: out of memory. */
static struct strata_symbols *load(struct strata_symbols *symbols, const char *path, int flags,
				   bool *has_room, struct strata_error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	int status = -1;

	if (!symbols)
		strata_fail(error, "out of memory");
	else if (fd < 0)
		strata_fail(error, "%s",
			    errno == ELOOP ? "symbolic links are not followed" : strerror(errno));
	else
		status = read_file(symbols, fd, has_room, error);
	if (fd >= 0)
		close(fd);
	if (status) {
		strata_symbols_free(symbols);
		strata_fail_in(error, "%s", path);
		return NULL;
	}
	if (symbols->is_bounded)
		shrink(symbols);
	qsort_r(symbols->symbols, symbols->nr, sizeof(*symbols->symbols), compare, symbols->text);
	return symbols;
}

struct strata_symbols *strata_symbols_load(const char *path, struct strata_error *error)
{
	bool has_room;

	return load(calloc(1, sizeof(struct strata_symbols)), path, 0, &has_room, error);
}

struct strata_symbols *strata_symbols_load_recorded(const char *path, uint64_t owner,
						    bool *has_room, struct strata_error *error)
{
	struct strata_symbols *symbols;
	struct stat status;

	error->text[0] = '\0';
	*has_room = true;
	if (lstat(path, &status) && errno == ENOENT)
		return NULL;
	symbols = calloc(1, sizeof(*symbols));
	if (symbols) {
		symbols->is_bounded = true;
		symbols->room.owner = owner;
	}
	return load(symbols, path, O_NOFOLLOW, has_room, error);
}

void strata_symbols_free(struct strata_symbols *symbols)
{
	if (!symbols)
		return;
	strata_symbols_deferred_free(symbols->deferred);
	strata_symbols_room_keep(&symbols->room, 0);
	free(symbols->symbols);
	free(symbols->text);
	free(symbols);
}

/* The table, if it is loaded or can be. */
static const struct strata_symbols *table_of(const struct strata_symbols *symbols)
{
	return symbols->deferred ? strata_symbols_deferred_get(symbols->deferred) : symbols;
}

bool strata_symbols_find(const struct strata_symbols *symbols, const char *name, uint64_t *address)
{
	bool found = false;
	size_t i;

	symbols = table_of(symbols);
	for (i = 0; symbols && i < symbols->nr; i++) {
		if (strcmp(symbols->text + symbols->symbols[i].name, name) != 0)
			continue;
		if (found && symbols->symbols[i].address != *address)
			return false;
		*address = symbols->symbols[i].address;
		found = true;
	}
	return found;
}

/* The last symbol at or below the address; NULL: none. */
static const struct strata_symbol *last_before(const struct strata_symbols *symbols,
					       uint64_t address)
{
	const size_t low =
		STRATA_PARTITION(i, 0, symbols->nr, symbols->symbols[i].address <= address);

	return low ? &symbols->symbols[low - 1] : NULL;
}

bool strata_symbols_name(const struct strata_symbols *symbols, uint64_t address,
			 char text[STRATA_SYMBOL_BYTES])
{
	const struct strata_symbols *table = table_of(symbols);
	const struct strata_symbol *symbol = table ? last_before(table, address) : NULL;
	const char *name;
	uint64_t offset, bytes;

	if (!symbol || !symbol->is_code)
		return false;
	offset = address - symbol->address;
	bytes = symbol->bytes ? symbol->bytes : FUNCTION_BYTES_MAX;
	if (offset >= bytes)
		return false;
	name = table->text + symbol->name;
	if (offset)
		snprintf(text, STRATA_SYMBOL_BYTES, "%.*s+0x%" PRIx64, (int)STRATA_SYMBOL_NAME_MAX,
			 name, offset);
	else
		snprintf(text, STRATA_SYMBOL_BYTES, "%.*s", (int)STRATA_SYMBOL_NAME_MAX, name);
	return true;
}
