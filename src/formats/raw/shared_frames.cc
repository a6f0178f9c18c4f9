#include "formats/raw/call_frames.h"

#include <utility>

#include "base/packed.h"
#include "formats/native/description.h"
#include "formats/raw/rank_files.h"

namespace slackline::raw {
namespace {

void append_code(const std::vector<CodeRecords>& files, std::vector<std::int64_t>& words) {
  words.push_back(static_cast<std::int64_t>(files.size()));
  for (const CodeRecords& of : files) {
    words.push_back(of.file);
    append_records(of.records, words);
  }
}

std::vector<CodeRecords> take_code(std::span<const std::int64_t>& words) {
  std::vector<CodeRecords> files(static_cast<std::size_t>(words.front()));
  words = words.subspan(1);
  for (CodeRecords& of : files) {
    of.file = static_cast<std::uint32_t>(words.front());
    words = words.subspan(1);
    of.records = take_records(words);
  }
  return files;
}

std::size_t index(std::int32_t rank) {
  return static_cast<std::size_t>(rank);
}

/// What the first process tells another one.
Bytes frames_for(RankRange block, const CallTree& tree, std::vector<CallFrames>& frames) {
  native::ByteWriter encoded;
  native::encode_call_tree(tree, encoded);
  Bytes message;
  std::vector<std::byte> tree_bytes = encoded.copy();
  pack(message, tree_bytes);
  for (std::int32_t r = block.first; r < block.end; ++r) pack(message, frames[index(r)]);
  return message;
}

void take_frames(const Bytes& message, RankRange own, TraceBuilder& trace,
                 std::vector<CallFrames>& frames) {
  std::span<const std::byte> rest(message);
  std::vector<std::byte> tree_bytes;
  unpack(rest, tree_bytes);
  native::ByteReader tree(tree_bytes);
  expects(native::decode_call_tree(tree, trace.call_tree()), "the call tree of the first process");
  for (std::int32_t r = own.first; r < own.end; ++r) unpack(rest, frames[index(r)]);
}

}  // namespace

std::vector<CallFrames> share_call_frames(const std::vector<RankFiles>& ranks,
                                          std::span<const RankRange> blocks, TraceBuilder& trace,
                                          ProcessGroup& group) {
  const RankRange own = blocks[static_cast<std::size_t>(group.rank())];
  std::vector<std::vector<CodeRecords>> code(ranks.size());
  for (std::int32_t r = own.first; r < own.end; ++r) code[index(r)] = code_records(ranks[index(r)]);
  std::vector<Bytes> messages(blocks.size());
  if (!group.is_first()) {
    std::vector<std::int64_t> words;
    for (std::int32_t r = own.first; r < own.end; ++r) append_code(code[index(r)], words);
    messages.front() = bytes_of(words);
  }
  const std::vector<Bytes> received = group.exchange(std::move(messages));
  std::vector<CallFrames> frames(ranks.size());
  messages.assign(blocks.size(), {});
  if (group.is_first()) {
    for (std::size_t p = 1; p < blocks.size(); ++p) {
      std::span<const std::int64_t> words = words_of(received[p]);
      for (std::int32_t r = blocks[p].first; r < blocks[p].end; ++r)
        code[index(r)] = take_code(words);
    }
    frames = read_call_frames(code, trace);
    for (std::size_t p = 1; p < blocks.size(); ++p) {
      messages[p] = frames_for(blocks[p], trace.call_tree(), frames);
    }
  }
  const std::vector<Bytes> told = group.exchange(std::move(messages));
  if (!group.is_first()) take_frames(told.front(), own, trace, frames);
  return frames;
}

}  // namespace slackline::raw
