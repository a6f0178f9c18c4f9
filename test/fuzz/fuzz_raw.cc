// The input is a recording: raw files one after another, without what pads their headers.

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "check_trace.h"
#include "formats/raw/reader.h"
#include "fuzz.h"
#include "trace/wire.h"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4;
constexpr std::int32_t kMostRanks = 64;  // more are slow, and no other case

// Removed when the process ends.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("slackline_fuzz_raw_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path / "raw"); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path file(std::size_t number) const {
    return path / "raw" / fs::path("rank-" + std::to_string(number) + ".slkraw");
  }
};

// Takes the first file off the input; it is as long as its header says.
std::string take_file(std::string_view& input) {
  slk_raw_header header{};
  const std::size_t head = std::min(sizeof header, input.size());
  std::memcpy(&header, input.data(), head);
  header.world_size = std::min(header.world_size, kMostRanks);
  std::string file(SLK_RAW_HEADER_BYTES, '\0');
  std::memcpy(file.data(), &header, head);
  input.remove_prefix(head);
  const std::size_t stage = std::min<std::size_t>(header.stage_bytes, input.size());
  const std::size_t body =
      stage + std::min<std::size_t>(header.appended_bytes, input.size() - stage);
  file += input.substr(0, body);
  input.remove_prefix(body);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (std::size_t number = 0; number < kMostFiles; ++number) {
    if (input.empty()) {
      fs::remove(folder.file(number));
    } else {
      slackline::write_file(folder.file(number), take_file(input));
    }
  }
  try {
    slackline::fuzz::check_trace(slackline::read_raw(folder.path));
  } catch (const slackline::Error&) {
  }
  return 0;
}
