#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/raw/rank_files.h"
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
  void set(std::uint32_t file, std::uint32_t path, FrameId frame) {
    if (file >= files_.size()) files_.resize(file + 1);
    if (path >= files_[file].size()) files_[file].resize(path + std::size_t{1});
    files_[file][path] = frame;
  }

 private:
  std::vector<std::vector<FrameId>> files_;
};

/// Reads the call paths of all ranks into the trace's call tree: addresses become functions, files
/// and lines of the modules' files, as far as these are there and say so; the rest are Findings.
/// Frames of the MPI library, and those outside of main, are left out.
std::vector<CallFrames> read_call_frames(const std::vector<RankFiles>& ranks, TraceBuilder& trace);
/// The same for some paths of some files. Of each, `files` has the call paths that are wanted and,
/// in their order in the file, all records that describe modules and Python. The result has the
/// paths of each as those of file 0.
std::vector<CallFrames> read_call_frames(std::span<const std::vector<Record>> files,
                                         TraceBuilder& trace);

}  // namespace slackline::raw
