#include "formats/native/writer.h"

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "formats/native/description.h"

namespace slackline {

using native::ByteWriter;
using native::FrameKind;

NativeWriter::NativeWriter(const Trace& job, std::vector<std::uint64_t> calls,
                           const Samples& samples,
                           std::function<void(std::span<const std::byte>)> sink)
    : job_(job),
      calls_(std::move(calls)),
      samples_(samples),
      frames_(job.ranks(), std::move(sink)) {
  expects(calls_.size() == static_cast<std::size_t>(job.ranks()),
          "a number of calls for each rank");
  ByteWriter head;
  native::append_file_header(head);
  frames_.put(head);
  // At the front so that a truncated file has it, at the end so that a damaged one has it.
  write_description();
}

void NativeWriter::write(std::span<const RankCallsPart> parts) {
  frames_.put_calls(parts);
}

void NativeWriter::finish() {
  for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
    expects(frames_.calls_written(rank) == calls_[rank],
            "as many calls of each rank as were announced");
  }
  for (std::int32_t rank = 0; rank < job_.ranks(); ++rank) {
    frames_.put_details(job_, samples_, rank);
  }
  write_description();
  ByteWriter tail;
  native::append_index(frames_.entries(), frames_.written(), tail);
  frames_.put(tail);
}

void NativeWriter::write_description() {
  std::vector<native::RankContents> contents;
  for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
    contents.push_back(
        native::contents_of_rank(job_, samples_, static_cast<std::int32_t>(rank), calls_[rank]));
  }
  ByteWriter payload;
  native::encode_description(job_, contents, samples_.interval_ns, payload);
  frames_.put_frame(native::header_of(FrameKind::description), payload);
}

void write_native(const Trace& trace, const std::function<void(std::span<const std::byte>)>& sink,
                  const Samples& samples) {
  std::vector<std::uint64_t> calls;
  std::vector<RankCallsPart> parts;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    calls.push_back(trace.calls(rank).size());
    parts.push_back({rank, trace.calls(rank)});
  }
  NativeWriter writer(trace, std::move(calls), samples, sink);
  writer.write(parts);
  writer.finish();
}

void write_native(const Trace& trace, const std::filesystem::path& path, const Samples& samples) {
  OutputFile file(path, FileAccess::owner_only);
  write_native(
      trace, [&](std::span<const std::byte> bytes) { file.write(bytes); }, samples);
  file.commit();
}

}  // namespace slackline
