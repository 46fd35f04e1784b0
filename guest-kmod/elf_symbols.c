// SPDX-License-Identifier: GPL-2.0-only
/* elf_symbols.c - see elf_symbols.h. */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "elf_symbols.h"

#define CHUNK 64u /* symbols that are read at a time */

/* A search in one file; too large for the stack. */
struct search {
	struct file *file;
	const char *name;
	u32 name_bytes; /* with its zero byte */
	Elf64_Ehdr head;
	Elf64_Sym symbol[CHUNK];
	char read[STRATA_ELF_NAME_BYTES];
};

/* 0, or -ENOEXEC: the file ends before; or an error. */
static int read_at(struct file *file, void *to, size_t bytes, u64 at)
{
	loff_t position = at;
	ssize_t got;

	if (at > LLONG_MAX - bytes)
		return -ENOEXEC;
	got = kernel_read(file, to, bytes, &position);
	if (got < 0)
		return got;
	return (size_t)got == bytes ? 0 : -ENOEXEC;
}

static int read_head(struct search *search)
{
	const Elf64_Ehdr *head = &search->head;
	int err = read_at(search->file, &search->head, sizeof(*head), 0);

	if (err)
		return err;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_machine != EM_X86_64 ||
	    (head->e_type != ET_EXEC && head->e_type != ET_DYN) ||
	    head->e_phentsize != sizeof(Elf64_Phdr) ||
	    (head->e_shnum && head->e_shentsize != sizeof(Elf64_Shdr)))
		return -ENOEXEC;
	return 0;
}

static int read_section(struct search *search, u32 index, Elf64_Shdr *section)
{
	/* The sum may wrap: then read_at() finds another part of the file, or its end. */
	return read_at(search->file, section, sizeof(*section),
		       search->head.e_shoff + index * sizeof(*section));
}

/* Whether a symbol has the name that is searched. 1, 0 or a negative error. */
static int is_named(struct search *search, const Elf64_Shdr *names, const Elf64_Sym *symbol)
{
	const unsigned char type = ELF64_ST_TYPE(symbol->st_info);
	int err;

	if ((type != STT_FUNC && type != STT_NOTYPE) || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_name >= names->sh_size ||
	    names->sh_size - symbol->st_name < search->name_bytes)
		return 0;
	err = read_at(search->file, search->read, search->name_bytes,
		      names->sh_offset + symbol->st_name);
	return err ?: !memcmp(search->read, search->name, search->name_bytes);
}

/* Searches a symbol table.  1 with its @value, 0: it is not there, or a negative error. */
static int search_table(struct search *search, const Elf64_Shdr *table, u64 *value)
{
	const u64 nr = min_t(u64, table->sh_size / sizeof(Elf64_Sym), STRATA_ELF_SYMBOLS_MAX);
	Elf64_Shdr names;
	u64 first;
	u32 i;
	int err;

	if (table->sh_link >= search->head.e_shnum)
		return -ENOEXEC;
	err = read_section(search, table->sh_link, &names);
	for (first = 0; !err && first < nr; first += CHUNK) {
		const u32 some = min_t(u64, nr - first, CHUNK);

		err = read_at(search->file, search->symbol, some * sizeof(Elf64_Sym),
			      table->sh_offset + first * sizeof(Elf64_Sym));
		for (i = 0; !err && i < some; i++) {
			err = is_named(search, &names, &search->symbol[i]);
			*value = search->symbol[i].st_value;
		}
		cond_resched();
	}
	return err;
}

/* Searches the first table of that type.  As search_table(). */
static int search_tables(struct search *search, u32 type, u64 *value)
{
	Elf64_Shdr section;
	u32 i;
	int err;

	for (i = 0; i < search->head.e_shnum; i++) {
		err = read_section(search, i, &section);
		if (err)
			return err;
		if (section.sh_type == type)
			return search_table(search, &section, value);
	}
	return 0;
}

/* Converts an address to an offset in the file, by the segments that are loaded. */
static int to_offset(struct search *search, u64 address, u64 *offset)
{
	Elf64_Phdr segment;
	u32 i;
	int err;

	for (i = 0; i < search->head.e_phnum; i++) {
		err = read_at(search->file, &segment, sizeof(segment),
			      search->head.e_phoff + i * sizeof(segment));
		if (err)
			return err;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz) {
			*offset = segment.p_offset + (address - segment.p_vaddr);
			return 0;
		}
	}
	return -ENOENT;
}

static int find(struct search *search, u64 *offset)
{
	u64 address;
	int found = read_head(search);

	if (!found)
		found = search_tables(search, SHT_SYMTAB, &address);
	if (!found)
		found = search_tables(search, SHT_DYNSYM, &address);
	if (found < 0)
		return found;
	return found ? to_offset(search, address, offset) : -ENOENT;
}

int strata_elf_symbol(struct file *file, const char *name, u64 *offset)
{
	struct search *search;
	int err;

	if (strlen(name) >= STRATA_ELF_NAME_BYTES)
		return -ENOENT;
	search = kzalloc(sizeof(*search), GFP_KERNEL);
	if (!search)
		return -ENOMEM;
	search->file = file;
	search->name = name;
	search->name_bytes = strlen(name) + 1;
	err = find(search, offset);
	kfree(search);
	return err;
}
