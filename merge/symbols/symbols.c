// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - see symbols.h. */
#include "base/array.h"
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

int strata_symbols_add(struct strata_symbols *symbols, uint64_t address, uint64_t bytes,
		       const char *name, bool is_code)
{
	if (!STRATA_GROW(symbols->symbols, symbols->nr, symbols->room))
		return -1;
	symbols->symbols[symbols->nr++] =
		(struct strata_symbol){ .address = address,
					.bytes = bytes,
					.name = name,
					.is_code = is_code && !is_end(name) };
	return 0;
}

/* By address; of several at one address code comes last, and so is found. */
static int compare(const void *a, const void *b)
{
	const struct strata_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->is_code != y->is_code)
		return x->is_code ? 1 : -1;
	/* The same in whatever order the file has them; the first by name is found. */
	return strcmp(y->name, x->name);
}

static int read_file(struct strata_symbols *symbols, int fd, struct strata_error *error)
{
	char magic[SELFMAG] = { 0 };
	struct stat status;

	if (fstat(fd, &status))
		return strata_fail(error, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return strata_fail(error, "not a regular file");
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG))
		return strata_symbols_read_elf(symbols, fd, (uint64_t)status.st_size, error);
	return strata_symbols_read_text(symbols, fd, (uint64_t)status.st_size, error);
}

static struct strata_symbols *load(const char *path, int flags, struct strata_error *error)
{
	struct strata_symbols *symbols = calloc(1, sizeof(*symbols));
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	int status = -1;

	if (!symbols)
		strata_fail(error, "out of memory");
	else if (fd < 0)
		strata_fail(error, "%s",
			    errno == ELOOP ? "symbolic links are not followed" : strerror(errno));
	else
		status = read_file(symbols, fd, error);
	if (fd >= 0)
		close(fd);
	if (status) {
		strata_symbols_free(symbols);
		strata_fail_in(error, "%s", path);
		return NULL;
	}
	qsort(symbols->symbols, symbols->nr, sizeof(*symbols->symbols), compare);
	return symbols;
}

struct strata_symbols *strata_symbols_load(const char *path, struct strata_error *error)
{
	return load(path, 0, error);
}

struct strata_symbols *strata_symbols_load_recorded(const char *path, struct strata_error *error)
{
	struct stat status;

	error->text[0] = '\0';
	return lstat(path, &status) && errno == ENOENT ? NULL : load(path, O_NOFOLLOW, error);
}

void strata_symbols_free(struct strata_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbols);
	free(symbols->text);
	free(symbols);
}

bool strata_symbols_find(const struct strata_symbols *symbols, const char *name, uint64_t *address)
{
	bool found = false;
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		if (strcmp(symbols->symbols[i].name, name) != 0)
			continue;
		if (found && symbols->symbols[i].address != *address)
			return false;
		*address = symbols->symbols[i].address;
		found = true;
	}
	return found;
}

/* The last symbol that is not behind the address; NULL: all are. */
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
	const struct strata_symbol *symbol = last_before(symbols, address);
	uint64_t offset, bytes;

	if (!symbol || !symbol->is_code)
		return false;
	offset = address - symbol->address;
	bytes = symbol->bytes ? symbol->bytes : FUNCTION_BYTES_MAX;
	if (offset >= bytes)
		return false;
	if (offset)
		snprintf(text, STRATA_SYMBOL_BYTES, "%.*s+0x%" PRIx64, (int)STRATA_SYMBOL_NAME_MAX,
			 symbol->name, offset);
	else
		snprintf(text, STRATA_SYMBOL_BYTES, "%.*s", (int)STRATA_SYMBOL_NAME_MAX,
			 symbol->name);
	return true;
}
