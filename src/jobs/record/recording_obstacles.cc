#include "jobs/record/recording_obstacles.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "jobs/record/launcher.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kContainers{"apptainer",  "singularity", "podman",
                                                      "podman-hpc", "docker",      "ch-run",
                                                      "enroot",     "shifter",     "sarus"};

bool is_privileged(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
         (geteuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0);
}

/// The first bytes of an ELF file, up to its program headers and the loader's name.
class ElfBegin {
 public:
  explicit ElfBegin(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    in.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    size_ = static_cast<std::size_t>(in.gcount());
  }
  bool is_elf() const {
    return size_ > EI_CLASS && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0;
  }
  bool is_64_bit() const { return bytes_[EI_CLASS] == ELFCLASS64; }

  /// The loader of a 64-bit program: empty if it is linked statically; nothing if the file is too
  /// short, or no program at a fixed address, as libraries have no loader either.
  std::optional<std::string> loader() const {
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || header->e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
    for (std::size_t i = 0; i < header->e_phnum; ++i) {
      const auto part = at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
      if (!part) return std::nullopt;
      if (part->p_type != PT_INTERP) continue;
      if (part->p_offset >= size_ || part->p_filesz > size_ - part->p_offset) return std::nullopt;
      return std::string(bytes_.data() + part->p_offset, part->p_filesz);
    }
    return header->e_type == ET_EXEC ? std::optional<std::string>("") : std::nullopt;
  }

 private:
  template <class T>
  std::optional<T> at(std::size_t offset) const {
    if (offset > size_ || size_ - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::array<char, 8192> bytes_{};
  std::size_t size_ = 0;
};

std::string obstacle_of(const std::string& word) {
  const fs::path file = find_program(word);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  const ElfBegin begin(file);
  if (!begin.is_elf()) return {};
  if (is_privileged(file)) {
    return fmt::format(
        "'{}' runs with more privileges than its user, for which the system ignores LD_PRELOAD",
        word);
  }
  if (!begin.is_64_bit()) return fmt::format("'{}' is a 32-bit program", word);
  const std::optional<std::string> loader = begin.loader();
  if (!loader) return {};
  if (loader->empty()) {
    return fmt::format("'{}' is linked statically, so that no recorder can be preloaded", word);
  }
  if (loader->find("ld-musl") != std::string::npos) {
    return fmt::format("'{}' uses the C library musl, and the recorder that of GNU", word);
  }
  return {};
}

bool clears_environment(std::span<const std::string> rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& option = rest[i];
    if (option == "-i" || option == "-" || option == "--ignore-environment") return true;
    if (option == "-uLD_PRELOAD" || option == "--unset=LD_PRELOAD") return true;
    if (option == "-u" && i + 1 < rest.size()) {
      if (rest[++i] == "LD_PRELOAD") return true;
    } else if (!option.starts_with('-') && option.find('=') == std::string::npos) {
      return false;
    }
  }
  return false;
}

}  // namespace

std::string recording_obstacle(std::span<const std::string> command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string name = fs::path(command[i]).filename().string();
    if (std::ranges::find(kContainers, name) != kContainers.end()) {
      return fmt::format(
          "'{}' starts a container, in which the recorder has to be made visible "
          "(doc/batch-systems.md)",
          name);
    }
    if (name == "env" && clears_environment(command.subspan(i + 1))) {
      return "'env' removes LD_PRELOAD from the environment";
    }
    if (std::string obstacle = obstacle_of(command[i]); !obstacle.empty()) return obstacle;
  }
  return {};
}

}  // namespace slackline
