#include "formats/otf2/library.h"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace slackline::otf2 {
namespace {

std::mutex message_mutex;
std::string first_message;

[[gnu::format(printf, 6, 0)]] OTF2_ErrorCode remember(void*, const char*, std::uint64_t,
                                                      const char*, OTF2_ErrorCode code,
                                                      const char* format, va_list arguments) {
  std::array<char, 512> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, arguments);
  const std::scoped_lock lock(message_mutex);
  if (first_message.empty()) {
    first_message = OTF2_Error_GetDescription(code);
    if (text[0] != '\0') first_message += fmt::format(": {}", text.data());
  }
  return code;
}

}  // namespace

QuietLibrary::QuietLibrary() : before_(OTF2_Error_RegisterCallback(remember, nullptr)) {
  take_message();
}

QuietLibrary::~QuietLibrary() {
  OTF2_Error_RegisterCallback(before_, nullptr);
}

std::string QuietLibrary::take_message() {
  const std::scoped_lock lock(message_mutex);
  return std::exchange(first_message, {});
}

Reader open_archive(const std::filesystem::path& anchor) {
  Reader reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS) {
    throw Error(
        fmt::format("cannot read '{}'", anchor.string()), QuietLibrary::take_message(),
        "An OTF2 archive consists of the .otf2 file, the .def file and the folder next to it.");
  }
  return reader;
}

}  // namespace slackline::otf2
