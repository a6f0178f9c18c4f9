/* The library that is preloaded into everything the launcher starts. It only holds entry points
 * for all MPI calls (generated: jumps through slots) and binds each at its first use, because
 * - which MPI library the program has is not known before, and it may be opened later (mpi4py);
 * - programs that are not MPI programs (shells, compilers) must not notice anything.
 * Everything that goes wrong here ends in the program's own MPI library being called directly. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interposed.h"
#include "stubs.inc"

extern void* slk_slots[];

/* First use of a symbol: keeps all argument registers, asks slk_bind for the target, jumps. */
__asm__(
    ".text\n.type slk_bind_entry,@function\nslk_bind_entry:\n"
    "  pushq %rbp\n  movq %rsp, %rbp\n  andq $-16, %rsp\n"
    "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n"
    "  pushq %rax\n  pushq %r10\n"
    "  movl %r11d, %edi\n  call slk_bind\n  movq %rax, %r11\n"
    "  popq %r10\n  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n"
    "  popq %rdi\n  movq %rbp, %rsp\n  popq %rbp\n  jmp *%r11\n.size "
    "slk_bind_entry,.-slk_bind_entry\n");

static const Interposed* table;

static void complain(const char* what, const char* why) {
  static int said;
  if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0) {
    fprintf(stderr, "slackline: not recorded: %s (%s); the program goes on\n", what, why);
  }
}

/* Opens the recorder `name` that lies beside this library. */
static void load_recorder(const char* name) {
  Dl_info self;
  char path[PATH_MAX];
  if (dladdr((void*)(uintptr_t)&load_recorder, &self) == 0 || self.dli_fname == NULL) return;
  const char* slash = strrchr(self.dli_fname, '/');
  const int length = slash == NULL ? 0 : (int)(slash - self.dli_fname) + 1;
  snprintf(path, sizeof path, "%.*s%s", length, self.dli_fname, name);
  void* recorder = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (recorder == NULL) {
    complain("cannot load the recorder", dlerror());
    return;
  }
  const Interposed* (*ask)(unsigned long) =
      (const Interposed* (*)(unsigned long))(uintptr_t)dlsym(recorder, "slk_recorder_table");
  table = ask == NULL ? NULL : ask(SLK_TABLE_SIGNATURE);
  if (table == NULL) complain("recorder and preloaded library are of different builds", path);
}

static int is_loaded(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL) dlclose(library);
  return library != NULL;
}

static void find_recorder(void) {
  const char* where = getenv("SLACKLINE_DIR");
  if (where == NULL || *where == '\0') return;
  if (is_loaded("libmpi.so.40")) {
    load_recorder("libslackline_record_openmpi.so");
  } else if (is_loaded("libmpich.so.12")) {
    load_recorder("libslackline_record_mpich.so");
  } else {
    complain("the program's MPI library is not known", "neither libmpi.so.40 nor libmpich.so.12");
  }
}

struct search {
  const char* symbol;
  void* found;
};

static int search_object(struct dl_phdr_info* info, size_t size, void* data) {
  struct search* search = data;
  (void)size;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "mpi") == NULL) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 0;
  search->found = dlsym(library, search->symbol);
  dlclose(library);
  return search->found != NULL;
}

/* The symbol behind this library: in the usual order, or in a library opened privately. */
static void* next_symbol(const char* name) {
  struct search search = {name, dlsym(RTLD_NEXT, name)};
  if (search.found == NULL) dl_iterate_phdr(search_object, &search);
  return search.found;
}

static void* resolve(unsigned symbol) {
  const char* name = slk_symbol_names[symbol];
  const Interposed* entry = table == NULL ? NULL : &table[symbol];
  if (entry != NULL && entry->wrapper != NULL) {
    if (entry->name == NULL) return entry->wrapper;
    *entry->next = next_symbol(entry->name);
    if (*entry->next != NULL) return entry->wrapper;
  }
  void* plain = next_symbol(name);
  if (plain == NULL) {
    /* Without this library the program would have ended here, too. */
    fprintf(stderr, "slackline: the program's MPI library has no %s\n", name);
    abort();
  }
  return plain;
}

__attribute__((used, visibility("hidden"))) void* slk_bind(unsigned symbol) {
  static int state; /* 0: the recorder was not looked for; 1: someone is at it; 2: done */
  int expected = 0;
  if (__atomic_compare_exchange_n(&state, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    find_recorder();
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1) continue;
  void* target = resolve(symbol);
  __atomic_store_n(&slk_slots[symbol], target, __ATOMIC_RELEASE);
  return target;
}
