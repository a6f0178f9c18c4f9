#include "loaded_modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace slackline::record {

namespace {

#if defined(__aarch64__)
constexpr std::uint64_t kOfData = R_AARCH64_GLOB_DAT;
constexpr std::uint64_t kOfCalls = R_AARCH64_JUMP_SLOT;
#else
constexpr std::uint64_t kOfData = R_X86_64_GLOB_DAT;
constexpr std::uint64_t kOfCalls = R_X86_64_JUMP_SLOT;
#endif

const void* object_of(const void* address) {
  Dl_info info;
  return address == nullptr || dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

bool is_of_mpi(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "MPIX_", 5) == 0 ||
         std::strncmp(name, "mpi_", 4) == 0;
}

/// Whether a function of MPI that has no entry point here is local: it neither communicates nor
/// waits. By parts of names, as versions of MPI add to these families.
bool is_local(const char* name) {
  constexpr const char* kParts[] = {
      "_type_",      "_op_",      "_t_",       "group",   "info",         "attr",    "keyval",
      "errhandler",  "error",     "status_",   "_get_",   "_name",        "_c2f",    "_f2c",
      "_f08",        "_fromint",  "_toint",    "_rank",   "_size",        "compare", "test_inter",
      "cart",        "graph",     "topo_",     "dims_",   "aint_",        "address", "_mem",
      "initialized", "finalized", "wti",       "query",   "_thread_main", "pset",    "null",
      "dup_fn",      "pack_",     "local",     "datarep", "seek",         "attach",  "win_detach",
      "complete",    "class",     "cancelled", "failure", "revoke"};
  for (const char* part : kParts) {
    if (strcasestr(name, part) != nullptr) return true;
  }
  return false;
}

/// Relocations of one table of a loaded object.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t count = 0;
};

/// What a loaded object says of its references to others.
struct References {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  Relocations of_data;
  Relocations of_calls;
  bool binds_at_once = false;  // so that its slots do not say what it has called
};

References references_of(const ElfW(Dyn) * dynamic, std::uint64_t bias) {
  References refs;
  std::size_t relative = 0;
  // The loader has put addresses there, but for objects whose section is read-only.
  const auto address = [bias](std::uint64_t value) { return value < bias ? value + bias : value; };
  const auto relocations = [&](std::uint64_t value) {
    return reinterpret_cast<const ElfW(Rela)*>(address(value));
  };
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const std::uint64_t value = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_SYMTAB) {
      refs.symbols = reinterpret_cast<const ElfW(Sym)*>(address(value));
    } else if (dynamic->d_tag == DT_STRTAB) {
      refs.names = reinterpret_cast<const char*>(address(value));
    } else if (dynamic->d_tag == DT_RELA) {
      refs.of_data.first = relocations(value);
    } else if (dynamic->d_tag == DT_RELASZ) {
      refs.of_data.count = value / sizeof(ElfW(Rela));
    } else if (dynamic->d_tag == DT_RELACOUNT) {
      relative = value;
    } else if (dynamic->d_tag == DT_JMPREL) {
      refs.of_calls.first = relocations(value);
    } else if (dynamic->d_tag == DT_PLTRELSZ) {
      refs.of_calls.count = value / sizeof(ElfW(Rela));
    } else if (dynamic->d_tag == DT_BIND_NOW) {
      refs.binds_at_once = true;
    } else if (dynamic->d_tag == DT_FLAGS) {
      refs.binds_at_once |= (value & DF_BIND_NOW) != 0;
    } else if (dynamic->d_tag == DT_FLAGS_1) {
      refs.binds_at_once |= (value & DF_1_NOW) != 0;
    }
  }
  // Those without a symbol come first, and are most.
  if (relative <= refs.of_data.count) {
    refs.of_data.first += relative;
    refs.of_data.count -= relative;
  }
  return refs;
}

struct Search {
  const void* only;         // dynamic section; null: all
  const void* mpi_library;  // where it is loaded
  const void* preloaded;    // the library that has the entry points
  UnseenCalls found;
};

/// Whether calls by that table go past the entry points. Functions that have none are reported if
/// they are `used`.
bool goes_past(const References& refs, const Relocations& table, std::uint64_t bias, bool used,
               const Search& search) {
  bool past = false;
  for (std::size_t i = 0; i < table.count; ++i) {
    const ElfW(Rela)& r = table.first[i];
    const std::uint64_t type = ELF64_R_TYPE(r.r_info);
    if (type != kOfData && type != kOfCalls) continue;
    const char* const name = refs.names + refs.symbols[ELF64_R_SYM(r.r_info)].st_name;
    if (!is_of_mpi(name)) continue;
    const void* target = nullptr;
    std::memcpy(&target, reinterpret_cast<const void*>(bias + r.r_offset), sizeof target);
    if (object_of(target) != search.mpi_library) continue;
    if (object_of(dlsym(RTLD_DEFAULT, name)) == search.preloaded) {
      past = true;
    } else if (used && !is_local(name)) {
      search.found.function(name);
    }
  }
  return past;
}

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  const Search& search = *static_cast<const Search*>(data);
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  }
  if (dynamic == nullptr || (search.only != nullptr && search.only != dynamic)) return 0;
  const References refs = references_of(dynamic, info->dlpi_addr);
  if (refs.symbols == nullptr || refs.names == nullptr) return 0;
  // MPI's own library speaks of itself, and what was wrapped goes on to it from this library.
  const void* const object = object_of(dynamic);
  if (object == search.mpi_library || object == object_of(&kOfCalls)) return 0;
  // A program refers to what it calls; libraries such as mpi4py's refer to all that there is.
  const bool is_program = *info->dlpi_name == '\0';
  const bool by_calls =
      goes_past(refs, refs.of_calls, info->dlpi_addr, is_program || !refs.binds_at_once, search);
  if (goes_past(refs, refs.of_data, info->dlpi_addr, is_program, search) || by_calls) {
    const char* const slash = std::strrchr(info->dlpi_name, '/');
    const char* const name = slash == nullptr ? info->dlpi_name : slash + 1;
    search.found.library(is_program ? "the program" : name);
  }
  return 0;
}

}  // namespace

void add_name(const char* name, char* names, std::size_t room) {
  const std::size_t used = std::strlen(names);
  const std::size_t length = std::strlen(name);
  for (const char* at = std::strstr(names, name); at != nullptr; at = std::strstr(at + 1, name)) {
    const bool begins = at == names || at[-1] == ' ';
    if (begins && (at[length] == '\0' || at[length] == ',')) return;
  }
  if (used + length + 3 > room) return;
  std::snprintf(names + used, room - used, "%s%s", used == 0 ? "" : ", ", name);
}

void find_unseen_calls(const void* preloaded, const void* dynamic, const UnseenCalls& found) {
  Search search{dynamic, object_of(dlsym(RTLD_DEFAULT, "PMPI_Init")), object_of(preloaded), found};
  if (search.mpi_library == nullptr || search.preloaded == nullptr) return;
  dl_iterate_phdr(look_at, &search);
}

}  // namespace slackline::record
