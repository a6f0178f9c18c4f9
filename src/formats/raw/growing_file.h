#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "formats/raw/raw_file.h"

namespace slackline::raw {

/// A record with arguments of its own.
struct KeptRecord {
  slk_record head{};
  std::vector<std::int64_t> args{};
};

/// A raw file into which the recorder may be writing, read piece by piece as it grows.
///
/// The problem: records stand in the stage first, where they change until their call has returned,
/// and the recorder moves them at any moment, without knowing of readers. The idea: all records of
/// a file are one sequence, the appended ones and then those of the stage, in which a record never
/// changes its place; so one number says up to where the file was read, and it stays right when the
/// stage is emptied. The stage is copied twice: what both copies have alike was not being written,
/// and if the header counts the same appended bytes before and after, the stage was not emptied
/// meanwhile. Nothing is locked, mapped or kept open: the recorder does not notice.
///
/// Cost: what is new, and some six system calls where there is nothing. Memory: one piece of the
/// file.
class GrowingFile {
 public:
  /// Where a record begins: bytes of records before it.
  using Position = std::uint64_t;
  using Visit = std::function<void(const Record&, Position)>;

  enum class State : std::uint8_t {
    empty,     ///< the recorder has made it and not yet written its header
    readable,  ///< records may have come
    damaged,   ///< its header or the next record makes no sense; what came before stays read
    gone       ///< it was removed, or replaced by that of another process
  };

  explicit GrowingFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// Calls `visit` for each record that has come since the last time and will not change any more,
  /// in order. Throws Error if the file may not be read.
  State read(const Visit& visit);

  /// As it was when the last record was read; all zero before the first read().
  const slk_raw_header& header() const { return header_; }
  /// Calls that have begun and may still change: a poll that has found nothing so far, with which
  /// the next one may be joined, and then a call that has not returned (`end_ns` 0).
  std::span<const slk_record> unsettled() const { return unsettled_; }
  /// Damaged records.
  const Findings& findings() const { return findings_; }
  const std::filesystem::path& path() const { return path_; }

  /// Records that read() has visited, again; those that are not there any more are left out.
  std::vector<KeptRecord> records_at(std::span<const Position> positions) const;

 private:
  State read_header(int fd);
  void read_appended(int fd, std::uint64_t appended, const Visit& visit);
  bool read_stage(int fd, std::uint64_t appended, const Visit& visit);
  bool repeats_appended(int fd, std::span<const slk_record> stage, std::uint64_t appended) const;
  std::size_t visit_records(std::span<const slk_record> slots, const Visit& visit);
  void visit_record(std::span<const slk_record> slots, const Visit& visit);
  std::uint64_t body() const { return SLK_RAW_HEADER_BYTES + header_.stage_bytes; }

  std::filesystem::path path_;
  slk_raw_header header_{};
  Position position_ = 0;
  std::vector<slk_record> unsettled_;
  Findings findings_;
  State state_ = State::empty;
};

}  // namespace slackline::raw
