/* The library that is preloaded into everything the launcher starts. It only holds entry points
 * for all MPI calls (generated: jumps through slots) and binds each at its first use, because
 * - which MPI library the program has is not known before, and it may be opened later (mpi4py);
 * - programs that are not MPI programs (shells, compilers) must not notice anything.
 * Everything that goes wrong here ends in the program's own MPI library being called directly. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "blocking.h"
#include "entry_points.h"
#include "interposed.h"
#include "openmp_entry.h"
#include "stubs.inc"

extern void* slk_slots[];

__asm__(SLK_BIND_ENTRY);

static const Interposed* table;

const slk_openmp_hooks* slk_openmp;

/* The recorder's, told of each signal for which the program sets a handler, of functions that the
 * program calls and that are not recorded, and of libraries before and after dlclose(). */
static void (*tell_signal)(int);
static void (*tell_unrecorded)(const char*);
static void (*tell_closing)(const void*);
static void (*tell_closed)(void);

static void complain(const char* what, const char* why) {
  static int said;
  if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0) {
    fprintf(stderr, "slackline: not recorded: %s (%s); the program goes on\n", what, why);
  }
}

static uint64_t cpu_time_ns(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static uint64_t cpu_before; /* when this library began to look for the recorder */

/* Names of MPI's functions whose calls go to the program itself, which the loader asks first. */
static char hidden[256];

/* This library's entry point of that name; null if it has none. */
static void* own_entry_point(const char* name) {
  static void* self;
  if (self == NULL) {
    Dl_info info;
    if (dladdr((void*)(uintptr_t)&own_entry_point, &info) == 0) return NULL;
    self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
  void* found = self == NULL ? NULL : slk_find_in(self, name);
  return slk_object_of(found) == slk_object_of((void*)(uintptr_t)&own_entry_point) ? found : NULL;
}

/* Whether calls of `name` go elsewhere than here. A program that takes the function's address may
 * have a symbol without a definition for it. */
static int is_hidden(const char* name) {
  const void* address = slk_find_in(RTLD_DEFAULT, name);
  if (address == own_entry_point(name)) return 0;
  Dl_info info;
  void* entry = NULL;
  if (address == NULL || dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0) return 0;
  const ElfW(Sym)* symbol = entry;
  if (symbol != NULL && symbol->st_shndx == SHN_UNDEF) return 0;
  return info.dli_fbase != slk_object_of((void*)(uintptr_t)&is_hidden);
}

static void find_hidden(void) {
  size_t length = 0;
  for (unsigned i = 0; i < slk_symbol_count; ++i) {
    const char* name = slk_symbol_names[i];
    if (strncmp(name, "MPI_", 4) != 0) continue;
    if (!is_hidden(name)) continue;
    if (length + strlen(name) + 3 > sizeof hidden) return;
    length += (size_t)sprintf(hidden + length, "%s%s", length == 0 ? "" : ", ", name);
  }
}

/* A program whose own MPI_Init calls PMPI_Init is not recorded at all: leaves a note of that. */
static void note_hidden_init(const char* directory) {
  char path[PATH_MAX];
  if (strstr(hidden, "MPI_Init") == NULL) return;
  mkdir(directory, 0755);
  snprintf(path, sizeof path, "%s/raw", directory);
  mkdir(path, 0755);
  snprintf(path, sizeof path, "%s/raw/process-%d.hidden-init", directory, (int)getpid());
  const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

/* Opens the recorder `name` that lies beside this library. Functions that an older MPI lacks must
 * not be bound at once. */
static void load_recorder(const char* name, int binding) {
  Dl_info self;
  char path[PATH_MAX];
  if (dladdr((void*)(uintptr_t)&load_recorder, &self) == 0 || self.dli_fname == NULL) return;
  const char* slash = strrchr(self.dli_fname, '/');
  const int length = slash == NULL ? 0 : (int)(slash - self.dli_fname) + 1;
  snprintf(path, sizeof path, "%.*s%s", length, self.dli_fname, name);
  if (access(path, R_OK) != 0) {
    complain("this Slackline was built without the program's MPI library", path);
    return;
  }
  void* recorder = dlopen(path, binding | RTLD_LOCAL);
  if (recorder == NULL) {
    complain("cannot load the recorder", dlerror());
    return;
  }
  const Interposed* (*ask)(unsigned long) =
      (const Interposed* (*)(unsigned long))(uintptr_t)slk_find_in(recorder, "slk_recorder_table");
  table = ask == NULL ? NULL : ask(SLK_TABLE_SIGNATURE);
  if (table == NULL) complain("recorder and preloaded library are of different builds", path);
  const slk_blocking_hooks blocking = {
      (slk_blocking_token(*)(unsigned))(uintptr_t)slk_find_in(recorder, "slk_blocking_begin"),
      (void (*)(const slk_blocking_call*))(uintptr_t)slk_find_in(recorder, "slk_blocking_end"),
      (int (*)(void))(uintptr_t)slk_find_in(recorder, "slk_blocking_interrupted")};
  slk_use_blocking(&blocking);
  slk_use_exec((void (*)(void))(uintptr_t)slk_find_in(recorder, "slk_before_exec"),
               (void (*)(void))(uintptr_t)slk_find_in(recorder, "slk_after_exec"));
  const slk_openmp_hooks* (*openmp)(const slk_openmp_state*) =
      (const slk_openmp_hooks* (*)(const slk_openmp_state*))(uintptr_t)slk_find_in(
          recorder, "slk_openmp_table");
  if (openmp != NULL) __atomic_store_n(&slk_openmp, openmp(&slk_openmp_seen), __ATOMIC_RELEASE);
  tell_signal = (void (*)(int))(uintptr_t)slk_find_in(recorder, "slk_note_signal");
  tell_unrecorded = (void (*)(const char*))(uintptr_t)slk_find_in(recorder, "slk_note_unrecorded");
  tell_closing = (void (*)(const void*))(uintptr_t)slk_find_in(recorder, "slk_note_closing");
  tell_closed = (void (*)(void))(uintptr_t)slk_find_in(recorder, "slk_note_closed");
  void (*note)(const char*, uint64_t) =
      (void (*)(const char*, uint64_t))(uintptr_t)slk_find_in(recorder, "slk_note_start");
  if (note != NULL) note(hidden, cpu_time_ns() - cpu_before);
}

/* Programs that set handlers of their own keep every signal to themselves: the recorder stops using
 * one that it uses for sampling. */
static int (*real_sigaction)(int, const struct sigaction*, struct sigaction*);
static sighandler_t (*real_signal)(int, sighandler_t);

__attribute__((constructor)) static void find_signal_functions(void) {
  real_sigaction = (int (*)(int, const struct sigaction*, struct sigaction*))(
      uintptr_t)slk_find_next("sigaction");
  real_signal = (sighandler_t(*)(int, sighandler_t))(uintptr_t)slk_find_next("signal");
}

int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  if (real_sigaction == NULL) find_signal_functions();
  if (action != NULL && tell_signal != NULL) tell_signal(number);
  return real_sigaction(number, action, old);
}

sighandler_t signal(int number, sighandler_t handler) {
  if (real_signal == NULL) find_signal_functions();
  if (tell_signal != NULL) tell_signal(number);
  return real_signal(number, handler);
}

/* Another library may be loaded to the same addresses afterwards. */
int dlclose(void* library) {
  struct link_map* map = NULL;
  const int told = tell_closed != NULL && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
  if (told) tell_closing(map->l_ld);
  const int failed = slk_close_library(library);
  if (told) tell_closed();
  return failed;
}

static int is_loaded(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL) slk_close_library(library);
  return library != NULL;
}

struct abi_search {
  char path[PATH_MAX]; /* of the library; empty: there is none */
  const char* start;   /* of its name */
  const char* end;     /* of its name, perhaps followed by further numbers */
};

/* Whether an object is MPI's own library by its name, and not one of its Fortran or C++ parts. */
static int match_library(struct dl_phdr_info* info, size_t size, void* data) {
  struct abi_search* search = data;
  (void)size;
  if (info->dlpi_name == NULL || strlen(info->dlpi_name) >= sizeof search->path) return 0;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* name = slash == NULL ? info->dlpi_name : slash + 1;
  const size_t start = strlen(search->start), end = strlen(search->end);
  if (strncmp(name, search->start, start) != 0) return 0;
  const char* number = strstr(name, search->end);
  if (number == NULL || (number[end] != '\0' && number[end] != '.')) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 0;
  const void* init = slk_object_of(slk_find_in(library, "PMPI_Init"));
  slk_close_library(library);
  if (init == NULL || init != (const void*)(uintptr_t)info->dlpi_addr) return 0;
  strcpy(search->path, info->dlpi_name);
  return 1;
}

/* Whether a library of such a name is loaded. Recorders that are linked with none find their
 * functions in the global scope, where it is put. */
static int has_library(const char* start, const char* end) {
  struct abi_search search = {"", start, end};
  if (dl_iterate_phdr(match_library, &search) == 0) return 0;
  return dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) != NULL;
}

/* The standard ABI of MPI 5; MPICH may have its profiling functions in a library of their own. */
static int has_standard_abi(void) {
  return has_library("libmpi_abi", ".so") || has_library("libpmpi_abi", ".so");
}

/* Its major version; 0 of libraries from before the standard, whose constants are other ones. */
static int abi_version(void) {
  int (*ask)(int*, int*) =
      (int (*)(int*, int*))(uintptr_t)slk_find_in(RTLD_DEFAULT, "PMPI_Abi_get_version");
  int major = 0, minor = 0;
  return ask == NULL || ask(&major, &minor) != 0 ? 0 : major;
}

/* Null: nothing is to be recorded. */
static const char* folder_of_job(void) {
  const char* where = getenv("SLACKLINE_DIR");
  return where == NULL || *where == '\0' ? NULL : where;
}

int slk_follows_openmp(void) {
  return folder_of_job() != NULL;
}

static void find_recorder(void) {
  cpu_before = cpu_time_ns();
  const char* where = folder_of_job();
  if (where == NULL) return;
  find_hidden();
  note_hidden_init(where);
  /* The standard ABI first: another MPI library may do the work behind it. */
  if (has_standard_abi()) {
    if (abi_version() == 1) {
      load_recorder("libslackline_record_abi.so", RTLD_LAZY);
    } else {
      complain("its libmpi_abi is not of version 1 of MPI's standard ABI",
               "use an MPI library of MPI 5, or the MPI library's own mpicc");
    }
  } else if (is_loaded("libmpi.so.40")) {
    load_recorder("libslackline_record_openmpi.so", RTLD_NOW);
  } else if (is_loaded("libmpich.so.12")) {
    load_recorder("libslackline_record_mpich.so", RTLD_NOW);
  } else if (has_library("libmpi", ".so.12")) {
    /* Intel MPI and MVAPICH (libmpi.so.12), Cray MPICH (libmpi_gnu_123.so.12 and the like), and
     * others with MPICH's ABI under another name. */
    load_recorder("libslackline_record_mpich_abi.so", RTLD_LAZY);
  } else {
    complain("the program's MPI library is not known",
             "neither libmpi.so.40, libmpich.so.12, libmpi_abi.so nor one with MPICH's ABI");
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
  search->found = slk_find_in(library, search->symbol);
  slk_close_library(library);
  return search->found != NULL;
}

/* The symbol behind this library: in the usual order, or in a library opened privately. */
static void* next_symbol(const char* name) {
  struct search search = {name, slk_find_next(name)};
  if (search.found == NULL) dl_iterate_phdr(search_object, &search);
  return search.found;
}

/* What a wrapper of `name` is to call: another tool's wrapper, if there is one between this library
 * and MPI's own, which holds `own`. */
static void* behind_wrapper(const char* name, void* own) {
  void* next = slk_find_next(name);
  if (next == NULL || own == NULL || slk_object_of(next) == slk_object_of(own)) return own;
  return next;
}

static void* resolve(unsigned symbol) {
  const char* name = slk_symbol_names[symbol];
  const Interposed* entry = table == NULL ? NULL : &table[symbol];
  if (entry != NULL && entry->wrapper != NULL) {
    void* next = behind_wrapper(name, next_symbol(entry->name));
    if (next != NULL) *entry->next = next;
    if (*entry->next != NULL) return entry->wrapper;
  }
  void* plain = next_symbol(name);
  if (plain == NULL) {
    /* Without this library the program would have ended here, too. */
    fprintf(stderr, "slackline: the program's MPI library has no %s\n", name);
    abort();
  }
  const int unrecorded = entry != NULL && entry->wrapper == NULL && entry->name != NULL;
  if (unrecorded && tell_unrecorded != NULL) tell_unrecorded(entry->name);
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

/* Programs that open MPI with dlopen and look its functions up with dlsym get the entry points of
 * this library, too. All other look-ups go to the C library with the caller's return address, by
 * which it tells RTLD_NEXT and namespaces. */
__asm__(SLK_DLSYM);

/* MPI's own library: the one that has the profiling name beside the plain one. */
static int is_of_mpi(void* handle, const char* name, const void* found) {
  char profiling[128];
  if (strlen(name) + 2 > sizeof profiling) return 0;
  snprintf(profiling, sizeof profiling, "%c%s", name[0] == 'm' ? 'p' : 'P', name);
  void* other = slk_find_in(handle, profiling);
  return other != NULL && slk_object_of(other) == slk_object_of(found);
}

/* What dlsym(handle, name), called at `caller`, is to give instead; null: what it finds. A tool
 * that defines the function itself asks for the one behind it. */
__attribute__((used, visibility("hidden"))) void* slk_substitute(void* handle, const char* name,
                                                                 const void* caller) {
  if (slk_real_dlsym == NULL) slk_find_in(RTLD_DEFAULT, "dlsym");
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || name == NULL) return NULL;
  if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "mpi_", 4) != 0) return NULL;
  const char* where = getenv("SLACKLINE_DIR");
  if (where == NULL || *where == '\0') return NULL;
  const void* found = slk_find_in(handle, name);
  if (found == NULL || !is_of_mpi(handle, name, found)) return NULL;
  Dl_info calling;
  if (dladdr(caller, &calling) == 0) return NULL;
  void* library = dlopen(calling.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  const int defines =
      library != NULL && slk_object_of(slk_find_in(library, name)) == calling.dli_fbase;
  if (library != NULL) slk_close_library(library);
  return defines ? NULL : own_entry_point(name);
}
