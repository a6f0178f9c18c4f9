#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "formats/native/block.h"
#include "formats/native/frame_stream.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Writes `trace` in the native format (doc/formats/native.md); read_native() of it gives the same
/// trace, facts and findings included. Blocks are compressed in parallel. Throws Error when the
/// file cannot be written; nothing half-written stays behind. A new file is for its owner only: it
/// holds names of hosts and the program's arguments.
void write_native(const Trace& trace, const std::filesystem::path& path,
                  const Samples& samples = {});

/// The same, handing successive pieces of the file to `sink`.
void write_native(const Trace& trace, const std::function<void(std::span<const std::byte>)>& sink,
                  const Samples& samples = {});

/// A part's calls start (RankCalls::start_ns()) when the rank's calls before them end.
using RankCallsPart = native::CallsPart;

/// Writes a trace in the native format part by part, so that its calls need not all be in memory.
class NativeWriter {
 public:
  /// Where all parts of a rank but the last have a multiple of that many calls, its blocks are
  /// those of one part (unless calls have very long lists of arguments).
  static constexpr std::size_t kBlockCalls = native::kBlockCalls;

  /// Begins the file. `job`: all but the calls; what is between calls (pauses, counters, samples,
  /// when ranks stop) can only be told where it has the calls too. `calls`: how many of each rank
  /// will be written. Keeps the references to `job` and `samples`.
  NativeWriter(const Trace& job, std::vector<std::uint64_t> calls, const Samples& samples,
               std::function<void(std::span<const std::byte>)> sink);

  /// The next calls of these ranks. Blocks are compressed in parallel, up to 32 in memory at once.
  void write(std::span<const RankCallsPart> parts);

  /// The end of the file. Throws std::logic_error if fewer calls were written than announced.
  void finish();

 private:
  void write_description();

  const Trace& job_;
  const std::vector<std::uint64_t> calls_;
  const Samples& samples_;
  native::FrameStream frames_;
};

/// As write_native(), by several processes, each of which has the calls and samples of the ranks
/// `own` of the trace only, and compresses these. Every rank is one process's, and the lowest ranks
/// the first one's, which says all else of the trace. All processes call it together; they write
/// into one file, which must be theirs under one name. Memory of what a process has compressed.
/// Throws Error where one of them cannot write it; then nothing half-written stays. A block has
/// `block_calls` calls at most: who reads a part of a rank's calls decompresses whole blocks.
void write_native_together(const Trace& trace, const Samples& samples, RankRange own,
                           const std::filesystem::path& path, ProcessGroup& group,
                           std::size_t block_calls = native::kBlockCalls);

}  // namespace slackline
