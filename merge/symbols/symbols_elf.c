// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols_elf.c - reads the symbol table and the build id of an ELF file for a little-endian 64-bit
 * machine. */
#include "symbols/symbol_table.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sections of an open file. */
struct file {
	int fd;
	uint64_t bytes;
	Elf64_Shdr *sections;
	size_t nr;
};

static bool is_within(const struct file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->bytes && bytes <= file->bytes - offset;
}

static int read_sections(struct file *file, struct strata_error *error)
{
	Elf64_Ehdr header;

	if (pread(file->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return strata_fail(error, "not an ELF file of a little-endian 64-bit machine");
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
	    !is_within(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
		return strata_fail(error, "its section headers lie outside of it, or it has none");
	file->nr = header.e_shnum;
	file->sections = (Elf64_Shdr *)strata_symbols_read(file->fd, header.e_shoff,
							   file->nr * sizeof(Elf64_Shdr), error);
	return file->sections ? 0 : -1;
}

static char *read_section(const struct file *file, const Elf64_Shdr *section,
			  struct strata_error *error)
{
	if (section->sh_type == SHT_NOBITS ||
	    !is_within(file, section->sh_offset, section->sh_size)) {
		strata_fail(error, "a section lies outside of it");
		return NULL;
	}
	return strata_symbols_read(file->fd, section->sh_offset, section->sh_size, error);
}

/* Whether a symbol is in code.  Symbols without a section are not. */
static bool is_code(const struct file *file, const Elf64_Sym *symbol)
{
	const unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx < file->nr &&
	       (file->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR) &&
	       (type == STT_FUNC || type == STT_NOTYPE);
}

static int add_symbols(struct strata_symbols *symbols, const struct file *file,
		       const Elf64_Shdr *table, struct strata_error *error)
{
	const Elf64_Shdr *strings;
	Elf64_Sym *all;
	size_t i, nr = table->sh_size / sizeof(*all);
	int status = 0;

	if (table->sh_link >= file->nr || table->sh_entsize != sizeof(*all))
		return strata_fail(error, "its symbol table is damaged");
	strings = &file->sections[table->sh_link];
	all = (Elf64_Sym *)read_section(file, table, error);
	if (all)
		symbols->text = read_section(file, strings, error);
	for (i = 0; all && symbols->text && i < nr && !status; i++) {
		const unsigned int type = ELF64_ST_TYPE(all[i].st_info);

		if (all[i].st_shndx == SHN_UNDEF || all[i].st_shndx >= SHN_LORESERVE ||
		    type == STT_SECTION || type == STT_FILE || all[i].st_name >= strings->sh_size)
			continue;
		if (symbols->text[all[i].st_name])
			status = strata_symbols_add(symbols, all[i].st_value, all[i].st_size,
						    all[i].st_name, is_code(file, &all[i]));
	}
	if (status)
		strata_fail(error, "out of memory");
	free(all);
	return all && symbols->text ? status : -1;
}

int strata_symbols_read_elf(struct strata_symbols *symbols, int fd, uint64_t bytes,
			    struct strata_error *error)
{
	struct file file = { .fd = fd, .bytes = bytes };
	const Elf64_Shdr *table = NULL;
	int status = read_sections(&file, error);
	size_t i;

	for (i = 0; !status && i < file.nr; i++) {
		const Elf64_Shdr *section = &file.sections[i];

		if (section->sh_type == SHT_SYMTAB && !table)
			table = section;
	}
	if (!status && !table)
		status = strata_fail(error,
				     "it was stripped of its symbol table; give its System.map");
	if (!status)
		status = add_symbols(symbols, &file, table, error);
	free(file.sections);
	return status;
}
