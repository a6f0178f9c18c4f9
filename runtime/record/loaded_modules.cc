#include "loaded_modules.h"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "trace/wire.h"

namespace slackline::record {

namespace {

void note_build_id(const char* notes, std::size_t size, LoadedModule& module) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name = (std::size_t{head.n_namesz} + 3) & ~std::size_t{3};
    const std::size_t content = (std::size_t{head.n_descsz} + 3) & ~std::size_t{3};
    if (name + content > size - sizeof head) return;
    const char* at = notes + sizeof head;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0) {
      module.build_id_bytes = head.n_descsz <= LoadedModule::kBuildIdBytes
                                  ? head.n_descsz
                                  : LoadedModule::kBuildIdBytes;
      std::memcpy(module.build_id, at + name, module.build_id_bytes);
      return;
    }
    notes += sizeof head + name + content;
    size -= sizeof head + name + content;
  }
}

LoadedModule describe(const dl_phdr_info& info) {
  LoadedModule module{};
  module.bias = info.dlpi_addr;
  module.begin = UINT64_MAX;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    const std::uint64_t end = begin + header.p_memsz;
    if (header.p_type == PT_LOAD) {
      if (begin < module.begin) module.begin = begin;
      if (end > module.end) module.end = end;
      if ((header.p_flags & PF_R) != 0 && module.segments < LoadedModule::kSegments) {
        module.readable[module.segments++] = {begin, end};
      }
    } else if (header.p_type == PT_GNU_EH_FRAME) {
      module.eh_header = begin;
    }
  }
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_NOTE && module.build_id_bytes == 0 &&
        module.may_read(begin, header.p_memsz)) {
      note_build_id(reinterpret_cast<const char*>(begin), header.p_memsz, module);
    }
  }
  return module;
}

struct Listing {
  LoadedModules* modules;
  bool first = true;
  bool complete = true;
};

int list_module(dl_phdr_info* info, std::size_t size, void* data) {
  auto* listing = static_cast<Listing*>(data);
  if (listing->first) {
    listing->first = false;
    const bool counted = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
    if (!counted || !listing->modules->changed(info->dlpi_adds, info->dlpi_subs)) return 1;
  }
  listing->complete = listing->modules->add(describe(*info), info->dlpi_name);
  return listing->complete ? 0 : 1;
}

}  // namespace

std::size_t module_arguments(const LoadedModule& module, std::int64_t* args) {
  static_assert(kModuleArguments == SLK_MODULE_NAME_AT + PATH_MAX / sizeof *args);
  args[0] = static_cast<std::int64_t>(module.begin);
  args[1] = static_cast<std::int64_t>(module.end);
  args[2] = static_cast<std::int64_t>(module.bias);
  args[3] = static_cast<std::int64_t>(module.build_id_bytes);
  std::memcpy(args + SLK_MODULE_BUILD_ID_AT, module.build_id, sizeof module.build_id);
  auto* const name = reinterpret_cast<char*>(args + SLK_MODULE_NAME_AT);
  std::memset(name, 0, PATH_MAX);
  std::size_t length = strnlen(module.name, PATH_MAX - 1);
  if (length > 0) {
    std::memcpy(name, module.name, length);
  } else {
    const ssize_t n = readlink("/proc/self/exe", name, PATH_MAX - 1);
    length = n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  return SLK_MODULE_NAME_AT + length / sizeof *args + 1;
}

bool LoadedModules::changed(unsigned long long adds, unsigned long long removals) {
  if (list_.count > 0 && adds == adds_ && removals == removals_) return false;
  adds_ = adds;
  removals_ = removals;
  const List before = before_;
  before_ = list_;
  list_ = before;
  clear(list_);
  last_ = 0;
  ++generation_;
  return true;
}

void LoadedModules::clear(List& list) {
  for (std::size_t i = 0; i < list.count; ++i) std::free(list.modules[i].name);
  list.count = 0;
}

/// Whether the raw file has the module from before the last change; then it is not told again.
bool LoadedModules::had(const LoadedModule& module) {
  for (std::size_t i = 0; i < before_.count; ++i) {
    LoadedModule& known = before_.modules[i];
    const bool same = known.begin == module.begin && known.end == module.end &&
                      known.bias == module.bias && known.build_id_bytes == module.build_id_bytes &&
                      std::memcmp(known.build_id, module.build_id, module.build_id_bytes) == 0 &&
                      std::strcmp(known.name, module.name) == 0;
    if (!same) continue;
    const bool recorded = known.recorded;
    known.recorded = false;  // what is left is gone
    return recorded;
  }
  return false;
}

void LoadedModules::note_removed() {
  for (std::size_t i = 0; i < before_.count; ++i) {
    if (before_.modules[i].recorded) ++removed_;
  }
  clear(before_);
}

bool LoadedModules::add(const LoadedModule& module, const char* name) {
  if (module.begin >= module.end) return true;
  if (list_.count == list_.room) {
    const std::size_t larger = list_.room == 0 ? 64 : 2 * list_.room;
    auto* moved =
        static_cast<LoadedModule*>(std::realloc(list_.modules, larger * sizeof(LoadedModule)));
    if (moved == nullptr) return false;
    list_.modules = moved;
    list_.room = larger;
  }
  LoadedModule& added = list_.modules[list_.count];
  added = module;
  added.name = strdup(name == nullptr ? "" : name);
  if (added.name == nullptr) return false;
  added.recorded = had(added);
  ++list_.count;
  return true;
}

bool LoadedModules::refresh() {
  Listing listing{this};
  dl_iterate_phdr(list_module, &listing);
  note_removed();
  return listing.complete;
}

LoadedModule* LoadedModules::find(std::uint64_t address) {
  const auto holds = [&](std::size_t i) {
    return address >= list_.modules[i].begin && address < list_.modules[i].end;
  };
  if (last_ < list_.count && holds(last_)) return &list_.modules[last_];
  for (std::size_t i = 0; i < list_.count; ++i) {
    if (!holds(i)) continue;
    last_ = i;
    return &list_.modules[i];
  }
  return nullptr;
}

}  // namespace slackline::record
