#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/file.h"
#include "base/findings.h"
#include "trace/sample_wire.h"
#include "trace/wire.h"

namespace slackline::raw {

/// The size of a record without its arguments, and of a part of these.
inline constexpr std::size_t kSlotBytes = sizeof(slk_record);

/// One record inside a mapped file. Nothing in it is checked but that it lies inside the file.
struct Record {
  slk_record head;
  std::span<const std::int64_t> args;
  std::uint16_t thread = 0;
};

/// One mapped raw file and where its records begin.
class File {
 public:
  /// Maps it and reads its header. Findings: a damaged header; then `valid()` is false.
  explicit File(const std::filesystem::path& path);
  /// Finds the records of a valid file; before that it has none. Findings: truncated tail, records
  /// of unknown kind.
  void index();

  bool valid() const { return valid_; }
  const slk_raw_header& header() const { return header_; }
  const Findings& findings() const { return findings_; }
  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return mapped_.bytes().size(); }

  /// What a file of samples says beside its header.
  slk_sampling_header sampling() const;

  std::size_t size() const { return at_.size(); }
  Record operator[](std::size_t i) const;

 private:
  void read_header();
  std::size_t index_part(std::size_t from, std::size_t bytes, bool is_stage);
  void drop_repeated_stage(std::size_t first_of_stage, std::size_t stage_end);
  slk_record slot(std::size_t at) const;

  MappedFile mapped_;
  std::string name_;
  slk_raw_header header_{};
  std::vector<std::uint32_t> at_;  // of each record, in units of 8 bytes
  Findings findings_;
  bool valid_ = false;
};

/// Whether `header` is that of a raw file of a version that can be read. Ends its texts, which may
/// lack their end after damage.
bool check_header(slk_raw_header& header);

/// Whether `op` is of a record that this version knows.
bool known_kind(std::uint8_t op);

/// How many slots a record has with its arguments.
inline std::size_t slots_of(const slk_record& head) {
  return 1 + (std::size_t{head.n_args} + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
}

/// From one reading of a rank's clock to another. A clock may show any time, also one before its
/// zero, where readings are modulo 2^64.
inline std::int64_t elapsed_ns(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

/// Time of the clock sane relative to the header's: a flipped bit must not stretch a run to
/// centuries.
bool plausible_time(const slk_raw_header& header, std::uint64_t ns);

}  // namespace slackline::raw
