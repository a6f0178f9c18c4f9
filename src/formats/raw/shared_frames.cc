#include "formats/raw/shared_frames.h"

#include <cstring>
#include <utility>

#include "formats/native/description.h"
#include "formats/raw/record_words.h"

namespace slackline::raw {
namespace {

Bytes bytes_of(const std::vector<std::int64_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::span<const std::int64_t> words_of(const Bytes& bytes) {
  return {reinterpret_cast<const std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)};
}

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
Bytes frames_for(RankRange block, const CallTree& tree, const std::vector<CallFrames>& frames) {
  native::ByteWriter tree_bytes, out;
  native::encode_call_tree(tree, tree_bytes);
  out.varint(tree_bytes.size());
  out.raw(tree_bytes.bytes());
  for (std::int32_t r = block.first; r < block.end; ++r) frames[index(r)].encode(out);
  return out.copy();
}

void take_frames(const Bytes& from, RankRange own, TraceBuilder& trace,
                 std::vector<CallFrames>& frames) {
  native::ByteReader in(from);
  native::ByteReader tree(in.raw(in.varint()));
  const bool right = native::decode_call_tree(tree, trace.call_tree());
  for (std::int32_t r = own.first; r < own.end; ++r) frames[index(r)] = CallFrames::decode(in);
  expects(right && !in.failed(), "the call tree of the first process");
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
