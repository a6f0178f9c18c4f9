#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "training/training_run.h"

namespace slackline {

/// One element of traceEvents, as far as it is used. Texts are valid until the next event is
/// decoded.
struct KinetoEvent {
  std::string_view phase{};     ///< "X": begin and duration
  std::string_view category{};  ///< "kernel"
  std::string_view name{};
  TimeSpan time{};          ///< from `ts` and `dur`, exactly to the nanosecond; no base added
  std::int64_t thread = 0;  ///< 0 where it is not a number
  std::optional<std::int64_t> stream{};
  std::int64_t device = 0;                       ///< of what ran on a stream
  std::int64_t correlation = 0;                  ///< 0: none
  std::int64_t external = 0;                     ///< of an operator and its kernels; 0: none
  std::optional<CollectiveDetail> collective{};  ///< of an NCCL kernel or operator with metadata
};

/// What a profile says of itself outside of traceEvents.
struct KinetoHeader {
  std::optional<std::int32_t> rank{};
  std::int32_t world_size = 0;    ///< 0: not said
  std::int64_t base_time_ns = 0;  ///< what times are relative to
};

/// Decodes single values of a profile by simdjson. `text` must have JsonValues::kPadding readable
/// bytes after it.
class KinetoDecoder {
 public:
  KinetoDecoder();
  KinetoDecoder(const KinetoDecoder&) = delete;
  KinetoDecoder& operator=(const KinetoDecoder&) = delete;
  ~KinetoDecoder();

  /// False if it is malformed, or a complete event without times.
  bool decode_event(std::string_view text, KinetoEvent& event);
  /// False if it is malformed. Keys that nobody needs are true.
  bool decode_header(std::string_view key, std::string_view text, KinetoHeader& header);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// "1706850122846038.25", microseconds, as nanoseconds, digits after the third decimal dropped.
/// Nothing if it is no decimal number or too large.
std::optional<std::int64_t> nanoseconds_of_microseconds(std::string_view text);

}  // namespace slackline
