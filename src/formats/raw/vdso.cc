#include "formats/raw/module_symbols.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

namespace slackline::raw {
namespace {

/// The size of the whole image: its segments, and behind them the section headers.
std::size_t image_bytes(const char* image) {
  ElfW(Ehdr) header;
  std::memcpy(&header, image, sizeof header);
  std::size_t bytes = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD) bytes = std::max<std::size_t>(bytes, segment.p_filesz);
  }
  return bytes;
}

}  // namespace

bool is_vdso(const std::filesystem::path& module) {
  const std::string name = module.string();
  return name.starts_with("linux-vdso") || name.starts_with("linux-gate");
}

int open_vdso() {
  const auto* const image = std::bit_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (image == nullptr) return -1;
  const int fd = memfd_create("vdso", MFD_CLOEXEC);
  const std::size_t bytes = image_bytes(image);
  if (fd < 0 || write(fd, image, bytes) == static_cast<ssize_t>(bytes)) return fd;
  close(fd);
  return -1;
}

}  // namespace slackline::raw
