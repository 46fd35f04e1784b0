// SPDX-License-Identifier: GPL-2.0-only
/* test_elf_symbols_kmod.c - where the module finds a function in a program's file: in this
 * program's own, and in files that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/types.h>

#include <linux/shim.h>

/* What the file needs of a kernel. */
typedef uint32_t u32;
typedef uint64_t u64;
#define GFP_KERNEL            0
#define kzalloc(bytes, flags) calloc(1, bytes)
#define kfree(memory)         free(memory)
#define cond_resched()        ((void)(cond_rescheds++))

static unsigned long cond_rescheds, reads;

/* A file in memory. */
struct file {
	unsigned char *bytes;
	size_t size;
};

static ssize_t kernel_read(struct file *file, void *to, size_t bytes, loff_t *at)
{
	reads++;
	assert_in_range(*at, 0, LLONG_MAX - bytes);
	if ((u64)*at >= file->size)
		return 0;
	if (bytes > file->size - (u64)*at)
		bytes = file->size - (u64)*at;
	memcpy(to, file->bytes + *at, bytes);
	*at += (loff_t)bytes;
	return (ssize_t)bytes;
}

#include "../../guest-kmod/elf_symbols.c"

extern int strata_data;

/* The function that is looked for. */
int strata_looked_for(int number);
__attribute__((noinline)) int strata_looked_for(int number)
{
	__asm__ volatile("" : "+r"(number)::"memory");
	return number * 41 + 17;
}

/* In the file, but no function. */
int strata_data = 5;

static struct file own, file;

static int load_own(void **state)
{
	FILE *from = fopen("/proc/self/exe", "r");

	(void)state;
	if (!from || fseek(from, 0, SEEK_END))
		return -1;
	own.size = (size_t)ftell(from);
	own.bytes = malloc(own.size);
	rewind(from);
	if (fread(own.bytes, 1, own.size, from) != own.size)
		return -1;
	fclose(from);
	return 0;
}

static int forget_own(void **state)
{
	(void)state;
	free(own.bytes);
	return 0;
}

/* A copy that ends where the file does, for sanitizers. */
static void copy_own(void)
{
	free(file.bytes);
	file.size = own.size;
	file.bytes = malloc(own.size);
	memcpy(file.bytes, own.bytes, own.size);
}

static int drop_copy(void **state)
{
	(void)state;
	free(file.bytes);
	file.bytes = NULL;
	return 0;
}

static Elf64_Ehdr *head(void)
{
	return (Elf64_Ehdr *)file.bytes;
}

static Elf64_Shdr *section_of(u32 type)
{
	Elf64_Shdr *section = (Elf64_Shdr *)(file.bytes + head()->e_shoff);

	while (section->sh_type != type)
		section++;
	return section;
}

static Elf64_Shdr *section_at(u32 index)
{
	return (Elf64_Shdr *)(file.bytes + head()->e_shoff) + index;
}

/* Where the name of the function begins in the names of symbols. */
static u64 name_of_function(void)
{
	const Elf64_Shdr *symbols = section_of(SHT_SYMTAB);
	const char *names = (const char *)file.bytes + section_at(symbols->sh_link)->sh_offset;
	const Elf64_Sym *symbol = (const Elf64_Sym *)(file.bytes + symbols->sh_offset);

	while (strcmp(names + symbol->st_name, "strata_looked_for") != 0)
		symbol++;
	return symbol->st_name;
}

static void a_function_is_found_where_it_is(void **state)
{
	unsigned char function[16];
	u64 offset = 0;

	(void)state;
	copy_own();
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), 0);
	memcpy(function, (const void *)(uintptr_t)strata_looked_for, sizeof(function));
	assert_in_range(offset, sizeof(Elf64_Ehdr), file.size - sizeof(function));
	assert_memory_equal(file.bytes + offset, function, sizeof(function));
	/* Not by the beginning or the end of a name. */
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_fo", &offset), -ENOENT);
	assert_int_equal(strata_elf_symbol(&file, "trata_looked_for", &offset), -ENOENT);
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for_", &offset), -ENOENT);
	/* Data is no place for a probe, nor is a function of another file. */
	assert_int_equal(strata_elf_symbol(&file, "strata_data", &offset), -ENOENT);
	assert_int_equal(strata_elf_symbol(&file, "calloc", &offset), -ENOENT);
	assert_true(cond_rescheds > 0);
}

static void a_stripped_file_has_its_dynamic_symbols(void **state)
{
	Elf64_Shdr *symbols;
	u64 offset = 0, found = 0;

	(void)state;
	copy_own();
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), 0);
	symbols = section_of(SHT_SYMTAB);
	section_of(SHT_DYNSYM)->sh_type = SHT_NOTE;
	symbols->sh_type = SHT_DYNSYM;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &found), 0);
	assert_int_equal(found, offset);
	symbols->sh_type = SHT_NOTE;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &found), -ENOENT);
}

static void what_is_no_program_is_refused(void **state)
{
	const size_t at[] = { 0,
			      EI_CLASS,
			      EI_DATA,
			      offsetof(Elf64_Ehdr, e_type),
			      offsetof(Elf64_Ehdr, e_machine),
			      offsetof(Elf64_Ehdr, e_shentsize),
			      offsetof(Elf64_Ehdr, e_phentsize) };
	char name[STRATA_ELF_NAME_BYTES + 1];
	u64 offset;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		copy_own();
		file.bytes[at[i]] ^= 0x41;
		assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	}
	copy_own();
	for (file.size = 0; file.size < sizeof(Elf64_Ehdr); file.size++)
		assert_int_equal(strata_elf_symbol(&file, "main", &offset), -ENOEXEC);
	/* Without sections. */
	copy_own();
	head()->e_shnum = 0;
	assert_int_equal(strata_elf_symbol(&file, "main", &offset), -ENOENT);
	copy_own();
	memset(name, 'x', STRATA_ELF_NAME_BYTES);
	name[STRATA_ELF_NAME_BYTES] = '\0';
	reads = 0;
	assert_int_equal(strata_elf_symbol(&file, name, &offset), -ENOENT);
	assert_int_equal(reads, 0);
}

static void lies_of_tables_are_refused(void **state)
{
	Elf64_Phdr *segment;
	u64 offset;
	u32 i;

	(void)state;
	copy_own();
	section_of(SHT_SYMTAB)->sh_link = head()->e_shnum;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	copy_own();
	section_of(SHT_SYMTAB)->sh_offset = file.size - 1;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	copy_own();
	section_of(SHT_SYMTAB)->sh_offset = UINT64_MAX - 7;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	copy_own();
	head()->e_shoff = UINT64_MAX - 100;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	/* The names are elsewhere, or fewer. */
	copy_own();
	section_at(section_of(SHT_SYMTAB)->sh_link)->sh_size = 1;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOENT);
	section_at(section_of(SHT_SYMTAB)->sh_link)->sh_size =
		name_of_function() + strlen("strata_looked_for");
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOENT);
	section_at(section_of(SHT_SYMTAB)->sh_link)->sh_size++;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), 0);
	/* They are in no section that the header counts. */
	copy_own();
	assert_true(section_at(section_of(SHT_SYMTAB)->sh_link) > section_of(SHT_SYMTAB));
	head()->e_shnum = (Elf64_Half)(section_of(SHT_SYMTAB) - section_at(0) + 1);
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOEXEC);
	/* No segment has it. */
	copy_own();
	segment = (Elf64_Phdr *)(file.bytes + head()->e_phoff);
	for (i = 0; i < head()->e_phnum; i++)
		segment[i].p_filesz = 0;
	assert_int_equal(strata_elf_symbol(&file, "strata_looked_for", &offset), -ENOENT);
}

/* A table of any size costs no more than the limit. */
static void the_symbols_of_a_table_are_limited(void **state)
{
	Elf64_Shdr *symbols;
	size_t bytes = (STRATA_ELF_SYMBOLS_MAX + CHUNK) * sizeof(Elf64_Sym);
	u64 offset;

	(void)state;
	copy_own();
	symbols = section_of(SHT_SYMTAB);
	symbols->sh_offset = file.size;
	symbols->sh_size = bytes;
	file.bytes = realloc(file.bytes, file.size + bytes);
	memset(file.bytes + file.size, 0, bytes);
	file.size += bytes;
	section_of(SHT_SYMTAB)->sh_size = UINT64_MAX;
	cond_rescheds = 0;
	assert_int_equal(strata_elf_symbol(&file, "no_such_function", &offset), -ENOENT);
	assert_in_range(cond_rescheds, STRATA_ELF_SYMBOLS_MAX / CHUNK,
			STRATA_ELF_SYMBOLS_MAX / CHUNK + 10000);
}

/* In the header and in the descriptions of sections. */
static void any_damage_is_survived(void **state)
{
	unsigned int seed = 1, round, i;
	u64 offset;

	(void)state;
	for (round = 0; round < 300; round++) {
		u64 sections;

		copy_own();
		sections = head()->e_shoff;
		for (i = 0; i < 4; i++) {
			const u64 from = rand_r(&seed) % 2 ? sections : 0;

			file.bytes[from + (unsigned int)rand_r(&seed) % 64 * (from ? 16 : 1)] ^=
				(unsigned char)(1u << rand_r(&seed) % 8);
		}
		assert_in_range(-strata_elf_symbol(&file, "strata_looked_for", &offset), 0, 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_function_is_found_where_it_is, drop_copy),
		cmocka_unit_test_teardown(a_stripped_file_has_its_dynamic_symbols, drop_copy),
		cmocka_unit_test_teardown(what_is_no_program_is_refused, drop_copy),
		cmocka_unit_test_teardown(lies_of_tables_are_refused, drop_copy),
		cmocka_unit_test_teardown(the_symbols_of_a_table_are_limited, drop_copy),
		cmocka_unit_test_teardown(any_damage_is_survived, drop_copy),
	};

	return cmocka_run_group_tests_name("elf_symbols", tests, load_own, forget_own);
}
