// The records of call paths and of the modules that they go through.

#include <unistd.h>

#include <climits>
#include <cstring>

#include "recorder.h"

namespace slackline::record {

namespace {

constexpr std::size_t kWords = (PATH_MAX + 7) / 8;

/// Copies a NUL-terminated text into whole words. Returns how many.
std::size_t put_text(const char* text, std::int64_t* words) {
  std::size_t bytes = std::strlen(text) + 1;
  if (bytes > kWords * 8) bytes = kWords * 8;
  const std::size_t count = (bytes + 7) / 8;
  std::memset(words, 0, count * 8);
  std::memcpy(words, text, bytes - 1);
  return count;
}

}  // namespace

void CallPathRecords::new_module(const LoadedModule& module) {
  std::int64_t args[SLK_MODULE_NAME_AT + kWords] = {
      static_cast<std::int64_t>(module.begin), static_cast<std::int64_t>(module.end),
      static_cast<std::int64_t>(module.bias), static_cast<std::int64_t>(module.build_id_bytes)};
  std::memcpy(args + SLK_MODULE_BUILD_ID_AT, module.build_id, sizeof module.build_id);
  char program[PATH_MAX];
  const char* name = module.name;
  if (*name == '\0') {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    name = program;
  }
  const std::size_t words = put_text(name, args + SLK_MODULE_NAME_AT);
  const std::uint64_t now = now_ns();
  thread_.write(slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_REC_MODULE}, args,
                SLK_MODULE_NAME_AT + words);
}

void CallPathRecords::new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                               bool whole) {
  const std::uint64_t now = now_ns();
  thread_.write(
      slk_record{now, now, whole ? 1u : 0u, SLK_PEER_NONE, 0, 0, id, 0, 0, 0, SLK_REC_CALL_PATH},
      reinterpret_cast<const std::int64_t*>(addresses), depth);
}

}  // namespace slackline::record
