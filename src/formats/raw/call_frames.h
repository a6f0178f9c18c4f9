#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "formats/raw/rank_files.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// Where the calls of one rank come from, and its samples lie: the innermost frame of each call
/// path of each file. Files of samples are numbered after those of calls.
class CallFrames {
 public:
  FrameId of(std::uint32_t file, std::uint32_t path) const {
    if (file >= files_.size() || path >= files_[file].size()) return 0;
    return files_[file][path];
  }
  /// For another process (base/packed.h).
  auto carried() { return std::tie(files_); }

  void set(std::uint32_t file, std::uint32_t path, FrameId frame) {
    if (file >= files_.size()) files_.resize(file + 1);
    if (path >= files_[file].size()) files_[file].resize(path + std::size_t{1});
    files_[file][path] = frame;
  }

 private:
  std::vector<std::vector<FrameId>> files_;
};

/// The records of one of a rank's files that say where its calls come from: all that describe
/// modules and Python, in their order, and the call paths that are wanted.
struct CodeRecords {
  std::uint32_t file = 0;  ///< as CallFrames numbers them
  std::vector<Record> records{};
};
/// Those of all files of a rank.
std::vector<CodeRecords> code_records(const RankFiles& rank);

/// Reads the call paths of all ranks into the trace's call tree: addresses become functions, files
/// and lines of the modules' files, as far as these are there and say so; the rest are Findings.
/// Frames of the MPI library, and those outside of main, are left out.
std::vector<CallFrames> read_call_frames(const std::vector<std::vector<CodeRecords>>& ranks,
                                         TraceBuilder& trace);

/// read_call_frames() of ranks that several processes have read, each those of one block. The first
/// process looks into the modules' files and has the Findings. All get the call tree, and each the
/// frames of its ranks. All processes call it together.
std::vector<CallFrames> share_call_frames(const std::vector<RankFiles>& ranks,
                                          std::span<const RankRange> blocks, TraceBuilder& trace,
                                          ProcessGroup& group);

}  // namespace slackline::raw
