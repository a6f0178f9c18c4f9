#include <algorithm>

#include "formats/native/block.h"
#include "formats/native/block_form.h"
#include "formats/native/frame.h"

namespace slackline::native {
namespace {

struct ShapeHash {
  std::uint64_t operator()(const Shape& s) const {
    const auto low = [](auto v) { return static_cast<std::uint64_t>(v) & 0xffffffffu; };
    std::uint64_t h = mix_bits(low(s.peer) | low(s.tag) << 32);
    h = mix_bits(h ^ s.bytes);
    h = mix_bits(h ^ (low(s.comm) | low(s.arguments) << 32));
    if (s.frame != 0) h = mix_bits(h ^ s.frame);
    return mix_bits(h ^ (low(s.operation) | low(s.flags) << 8 | low(s.thread) << 16 |
                         low(s.has_request) << 32));
  }
};

Shape shape_of(const Call& call) {
  return {.bytes = call.bytes,
          .peer = call.peer,
          .tag = call.tag,
          .comm = call.comm,
          .arguments = static_cast<std::uint32_t>(call.args.size()),
          .frame = call.frame,
          .thread = call.thread,
          .operation = call.operation,
          .flags = call.flags,
          .has_request = call.request != kRequestNone};
}

class Encoder {
 public:
  Encoder(const RankCalls& calls, const BlockRange& range) : calls_(calls), range_(range) {}

  void encode(ByteWriter& out) {
    choose_mode();
    const std::int64_t base = time_before();
    std::int64_t end = base;
    for (std::size_t i = range_.first; i < range_.first + range_.count; ++i) {
      const Call call = calls_[i];
      encode_call(call, end);
      end = call.end_ns;
    }
    encode_regions(base);
    part_[kPartBase].svarint(base);
    part_[kPartBase].varint(mode_);
    part_[kPartBase].varint(shapes_.size());
    encode_shapes();
    // Durations that are all zero (an untimed trace) need no part.
    if (!any_duration_) part_[kPartDurations].clear();
    for (unsigned id = kPartBase; id < kPartEnd; ++id) append_part(out, id, part_[id].bytes());
  }

 private:
  std::int64_t time_before() const {
    return range_.first == 0 ? calls_.start_ns() : calls_.end_ns(range_.first - 1);
  }

  // Gaps are negative only where threads overlap, durations only in nonsense; a sign bit for all
  // would cost the many values that then need a second byte.
  void choose_mode() {
    std::int64_t end = time_before();
    for (std::size_t i = range_.first; i < range_.first + range_.count; ++i) {
      if (calls_.begin_ns(i) < end) mode_ |= kModeSignedGaps;
      if (calls_.end_ns(i) < calls_.begin_ns(i)) mode_ |= kModeSignedDurations;
      any_duration_ |= calls_.end_ns(i) != calls_.begin_ns(i);
      end = calls_.end_ns(i);
    }
  }

  void encode_call(const Call& call, std::int64_t end) {
    const Shape shape = shape_of(call);
    const std::uint32_t id = encode_shape(shape);
    const std::int64_t gap = wrapping_sub(call.begin_ns, end);
    const std::int64_t duration = wrapping_sub(call.end_ns, call.begin_ns);
    part_[kPartGaps].varint((mode_ & kModeSignedGaps) != 0 ? zigzag(gap)
                                                           : static_cast<std::uint64_t>(gap));
    part_[kPartDurations].varint((mode_ & kModeSignedDurations) != 0
                                     ? zigzag(duration)
                                     : static_cast<std::uint64_t>(duration));
    if (shape.has_request) {
      std::uint32_t& counter = requests_.counter(starts_request(call.operation));
      part_[kPartRequests].svarint(static_cast<std::int64_t>(call.request) - counter - 1);
      counter = call.request;
    }
    if (!call.args.empty()) encode_arguments(call, id);
  }

  std::uint32_t encode_shape(const Shape& shape) {
    const std::uint32_t predicted = predictor_.predicted();
    std::uint32_t id = predicted;
    if (predicted >= shapes_.size() || !(shapes_[predicted] == shape)) id = shape_id(shape);
    part_[kPartCodes].varint(id == predicted ? 0 : std::uint64_t{id} + 1);
    predictor_.advance(id);
    return id;
  }

  std::uint32_t shape_id(const Shape& shape) {
    if (const std::uint32_t* known = ids_.find(shape)) return *known;
    const auto id = static_cast<std::uint32_t>(shapes_.size());
    ids_[shape] = id;
    shapes_.push_back(shape);
    last_arguments_.emplace_back();
    predictor_.add_shape();
    return id;
  }

  void encode_arguments(const Call& call, std::uint32_t id) {
    ByteWriter& out = part_[kPartArguments];
    if (lists_requests(call.operation, call.flags)) {
      std::int64_t before = requests_.completed;
      for (const std::int64_t value : call.args) {
        out.svarint(wrapping_sub(value, wrapping_add(before, 1)));
        before = value;
      }
      requests_.completed = static_cast<std::uint32_t>(before);
      return;
    }
    std::span<const std::int64_t>& last = last_arguments_[id];
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      out.svarint(wrapping_sub(call.args[i], last.empty() ? 0 : last[i]));
    }
    last = call.args;
  }

  void encode_shapes() {
    const auto column = [&](BlockPart part, auto is_default, auto put) {
      if (std::ranges::all_of(shapes_, is_default)) return;
      for (const Shape& s : shapes_) put(part_[part], s);
    };
    using S = const Shape&;
    using W = ByteWriter&;
    const auto never = [](S) { return false; };
    column(kPartShapeOperation, never,
           [](W w, S s) { w.u8(static_cast<std::uint8_t>(s.operation)); });
    column(
        kPartShapeFlags, [](S s) { return s.flags == 0; }, [](W w, S s) { w.u8(s.flags); });
    column(
        kPartShapeThread, [](S s) { return s.thread == 0; }, [](W w, S s) { w.varint(s.thread); });
    column(
        kPartShapePeer, [](S s) { return s.peer == kPeerNone; },
        [](W w, S s) { w.svarint(s.peer); });
    column(
        kPartShapeTag, [](S s) { return s.tag == 0; }, [](W w, S s) { w.svarint(s.tag); });
    column(
        kPartShapeBytes, [](S s) { return s.bytes == 0; }, [](W w, S s) { w.varint(s.bytes); });
    column(
        kPartShapeComm, [](S s) { return s.comm == kCommWorld; },
        [](W w, S s) { w.varint(s.comm); });
    column(
        kPartShapeArguments, [](S s) { return s.arguments == 0; },
        [](W w, S s) { w.varint(s.arguments); });
    column(
        kPartShapeFrame, [](S s) { return s.frame == 0; }, [](W w, S s) { w.varint(s.frame); });
    column(
        kPartShapeRequest, [](S s) { return !s.has_request; },
        [](W w, S s) { w.u8(s.has_request ? 1 : 0); });
  }

  void encode_regions(std::int64_t base) {
    std::size_t before = 0;
    for (const RegionEvent& e :
         calls_.regions().subspan(range_.first_region, range_.region_count)) {
      const std::size_t offset = e.before_call - range_.first;
      const std::int64_t since = offset == 0 ? base : calls_.end_ns(e.before_call - 1);
      part_[kPartRegionCalls].varint(offset - before);
      part_[kPartRegionNames].varint(std::uint64_t{e.region} << 1 | (e.enter ? 1u : 0u));
      part_[kPartRegionTimes].svarint(wrapping_sub(e.time_ns, since));
      before = offset;
    }
  }

  const RankCalls& calls_;
  const BlockRange range_;
  ByteWriter part_[kPartEnd];
  std::vector<Shape> shapes_;
  FlatMap<Shape, std::uint32_t, ShapeHash> ids_;
  std::vector<std::span<const std::int64_t>> last_arguments_;  // by shape
  ShapePredictor predictor_;
  RequestPredictor requests_;
  std::uint64_t mode_ = 0;
  bool any_duration_ = false;
};

}  // namespace

BlockRange next_block(const RankCalls& calls, std::size_t first, std::size_t first_region,
                      std::size_t most_calls) {
  std::size_t end = first;
  std::size_t arguments = 0;
  while (end < calls.size() && end - first < most_calls && arguments < kBlockArguments) {
    arguments += calls.args(end++).size();
  }
  const auto events = calls.regions();
  std::size_t region = first_region;
  while (region < events.size() && (end == calls.size() || events[region].before_call < end)) {
    ++region;
  }
  return {first, end - first, first_region, region - first_region};
}

void encode_block(const RankCalls& calls, const BlockRange& range, ByteWriter& out) {
  Encoder(calls, range).encode(out);
}

}  // namespace slackline::native
