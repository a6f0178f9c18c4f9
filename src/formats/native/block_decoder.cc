#include <algorithm>
#include <limits>

#include "formats/native/block.h"
#include "formats/native/block_form.h"
#include "formats/native/frame.h"

namespace slackline::native {
namespace {

// Bytes that a call needs at least: its code and its gap. A header that promises more calls than
// that is lying, and nothing is reserved for it.
constexpr std::size_t kLeastCallBytes = 2;

class Decoder {
 public:
  Decoder(std::size_t count, const NameCounts& names, RankCallsBuilder& calls)
      : count_(count), names_(names), calls_(calls), first_(calls.size()) {}

  DecodedBlock decode(std::span<const std::byte> payload) {
    if (!split_parts(payload, part_) || payload.size() / kLeastCallBytes < count_) return result_;
    base_ = part_[kPartBase].svarint();
    mode_ = part_[kPartBase].varint();
    const std::uint64_t shapes = part_[kPartBase].varint();
    if (part_[kPartBase].failed() || !is_time(base_) || !decode_shapes(shapes)) return result_;
    any_duration_ = !part_[kPartDurations].at_end();
    std::int64_t end = base_;
    while (result_.calls < count_) {
      if (!decode_call(end)) return result_;
      ++result_.calls;
    }
    result_.complete = decode_regions();
    return result_;
  }

 private:
  // One column of the shape table; a missing one leaves the defaults.
  template <class T, class Get>
  bool shape_column(BlockPart part, T Shape::*field, Get get) {
    ByteReader& in = part_[part];
    if (in.at_end()) return true;
    for (Shape& shape : shapes_) shape.*field = static_cast<T>(get(in));
    return !in.failed() && in.at_end();
  }

  bool decode_shapes(std::uint64_t count) {
    ByteReader& operations = part_[kPartShapeOperation];
    if (operations.left() != count || count > std::numeric_limits<std::uint32_t>::max() - 2) {
      return false;
    }
    shapes_.resize(static_cast<std::size_t>(count));
    for (Shape& shape : shapes_) {
      const std::uint8_t operation = operations.u8();
      // Numbers are only ever added; a newer writer may know more.
      if (operation < kOperationCount) shape.operation = static_cast<Operation>(operation);
      known_.push_back(operation < kOperationCount);
      predictor_.add_shape();
    }
    last_arguments_.assign(shapes_.size(), kNever);
    const auto u8 = [](ByteReader& in) { return in.u8(); };
    const auto varint = [](ByteReader& in) { return in.varint(); };
    const auto svarint = [](ByteReader& in) { return in.svarint(); };
    return shape_column(kPartShapeFlags, &Shape::flags, u8) &&
           shape_column(kPartShapeThread, &Shape::thread, varint) &&
           shape_column(kPartShapePeer, &Shape::peer, svarint) &&
           shape_column(kPartShapeTag, &Shape::tag, svarint) &&
           shape_column(kPartShapeBytes, &Shape::bytes, varint) &&
           shape_column(kPartShapeComm, &Shape::comm, varint) &&
           shape_column(kPartShapeArguments, &Shape::arguments, varint) &&
           shape_column(kPartShapeFrame, &Shape::frame, varint) &&
           shape_column(kPartShapeRequest, &Shape::has_request, u8) && frames_exist();
  }

  bool frames_exist() const {
    return std::ranges::all_of(shapes_, [&](const Shape& s) { return s.frame <= names_.frames; });
  }

  // `end`: of the call before; then of this one.
  bool decode_call(std::int64_t& end) {
    const std::uint64_t code = part_[kPartCodes].varint();
    const std::uint64_t id = code == 0 ? predictor_.predicted() : code - 1;
    if (id >= shapes_.size()) return false;
    predictor_.advance(static_cast<std::uint32_t>(id));
    const Shape& shape = shapes_[static_cast<std::size_t>(id)];

    Call call{.operation = shape.operation,
              .flags = shape.flags,
              .thread = shape.thread,
              .frame = shape.frame,
              .bytes = shape.bytes,
              .peer = shape.peer,
              .tag = shape.tag,
              .comm = shape.comm};
    call.begin_ns = wrapping_add(end, time(part_[kPartGaps], kModeSignedGaps));
    call.end_ns = call.begin_ns;
    if (any_duration_) {
      call.end_ns = wrapping_add(call.begin_ns, time(part_[kPartDurations], kModeSignedDurations));
    }
    if (!is_time(call.begin_ns) || !is_time(call.end_ns)) return false;
    if (shape.has_request) {
      std::uint32_t& counter = requests_.counter(starts_request(shape.operation));
      counter = static_cast<std::uint32_t>(
          wrapping_add(std::int64_t{counter} + 1, part_[kPartRequests].svarint()));
      call.request = counter;
    }
    if (shape.arguments > 0) {
      if (!decode_arguments(shape, static_cast<std::size_t>(id))) return false;
      call.args = std::span(arguments_).last(shape.arguments);
    }
    if (part_[kPartCodes].failed() || part_[kPartGaps].failed() || part_[kPartDurations].failed() ||
        part_[kPartRequests].failed()) {
      return false;
    }
    if (!known_[static_cast<std::size_t>(id)]) ++result_.unknown_operations;
    calls_.append(call);
    end = call.end_ns;
    return true;
  }

  std::int64_t time(ByteReader& in, std::uint64_t signed_bit) const {
    const std::uint64_t value = in.varint();
    return (mode_ & signed_bit) != 0 ? unzigzag(value) : static_cast<std::int64_t>(value);
  }

  bool decode_arguments(const Shape& shape, std::size_t id) {
    ByteReader& in = part_[kPartArguments];
    if (shape.arguments > in.left()) return false;  // each takes a byte at least
    const std::size_t at = arguments_.size();
    if (lists_requests(shape.operation, shape.flags)) {
      std::int64_t before = requests_.completed;
      for (std::uint32_t i = 0; i < shape.arguments; ++i) {
        before = wrapping_add(wrapping_add(before, 1), in.svarint());
        arguments_.push_back(before);
      }
      requests_.completed = static_cast<std::uint32_t>(before);
    } else {
      const std::size_t last = last_arguments_[id];
      for (std::uint32_t i = 0; i < shape.arguments; ++i) {
        const std::int64_t predicted = last == kNever ? 0 : arguments_[last + i];
        arguments_.push_back(wrapping_add(predicted, in.svarint()));
      }
      last_arguments_[id] = at;
    }
    return !in.failed();
  }

  bool decode_regions() {
    std::size_t offset = 0;
    while (!part_[kPartRegionCalls].at_end()) {
      const std::uint64_t step = part_[kPartRegionCalls].varint();
      const std::uint64_t name = part_[kPartRegionNames].varint();
      const std::int64_t since_call = part_[kPartRegionTimes].svarint();
      if (step > count_ - offset || (name >> 1) >= names_.regions ||
          part_[kPartRegionNames].failed() || part_[kPartRegionTimes].failed() ||
          part_[kPartRegionCalls].failed()) {
        return false;
      }
      offset += static_cast<std::size_t>(step);
      const std::size_t call = first_ + offset;
      const std::int64_t time =
          wrapping_add(offset == 0 ? base_ : calls_.end_ns(call - 1), since_call);
      if (!is_time(time)) return false;
      calls_.append_region({.time_ns = time,
                            .region = static_cast<std::uint32_t>(name >> 1),
                            .before_call = static_cast<std::uint32_t>(call),
                            .enter = (name & 1) != 0});
    }
    return true;
  }

  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  std::size_t count_;
  NameCounts names_;
  RankCallsBuilder& calls_;
  std::size_t first_;
  DecodedBlock result_;
  ByteReader part_[kPartEnd];
  std::int64_t base_ = 0;
  std::uint64_t mode_ = 0;
  bool any_duration_ = false;
  std::vector<Shape> shapes_;
  std::vector<bool> known_;
  std::vector<std::size_t> last_arguments_;  // by shape: where they stand in arguments_
  std::vector<std::int64_t> arguments_;
  ShapePredictor predictor_;
  RequestPredictor requests_;
};

}  // namespace

DecodedBlock decode_block(std::span<const std::byte> payload, std::size_t count,
                          const NameCounts& names, RankCallsBuilder& calls) {
  return Decoder(count, names, calls).decode(payload);
}

}  // namespace slackline::native
