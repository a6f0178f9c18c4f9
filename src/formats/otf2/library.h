#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <memory>
#include <string>

namespace slackline::otf2 {

struct ReaderClose {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Reader = std::unique_ptr<OTF2_Reader, ReaderClose>;

/// Keeps the library from printing while the object lives, and remembers what it would have said.
/// One at a time; messages of all threads go to it.
class QuietLibrary {
 public:
  QuietLibrary();
  ~QuietLibrary();
  QuietLibrary(const QuietLibrary&) = delete;
  QuietLibrary& operator=(const QuietLibrary&) = delete;

  /// The first problem since the last call, in the library's words; empty if there was none.
  static std::string take_message();

 private:
  OTF2_ErrorCallback before_;
};

/// Throws Error "cannot read 'anchor' (...)" when the library cannot open it.
Reader open_archive(const std::filesystem::path& anchor);

/// OTF2_SUCCESS of a callback, spelt shortly.
inline constexpr OTF2_CallbackCode kGoOn = OTF2_CALLBACK_SUCCESS;

}  // namespace slackline::otf2
