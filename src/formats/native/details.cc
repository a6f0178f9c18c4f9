#include "formats/native/description.h"

#include <limits>
#include <utility>
#include <vector>

#include "formats/native/frame.h"

namespace slackline::native {
namespace {

enum DetailsPart : unsigned {
  kDetailsStop = 1,
  kDetailsPauseCalls = 2,
  kDetailsPauseBegins = 3,
  kDetailsPauseLengths = 4,
  kDetailsPauseInMpi = 5,
  kDetailsCounters = 6,
  kDetailsSampleCalls = 7,
  kDetailsSampleTimes = 8,
  kDetailsSampleCpu = 9,
  kDetailsSampleFrames = 10,
  kDetailsSampleThreads = 11,
  kDetailsRecordingCosts = 12,
  kDetailsSampleBlocked = 13,
  kDetailsParallelRegions = 14,
  kDetailsParallelTimes = 15,
  kDetailsBlockingCalls = 16,
  kDetailsEnd = 17
};

/// Gaps up to the last one in which the counter gained anything.
std::size_t counted_gaps(const RankCalls& calls, std::size_t which) {
  std::size_t count = calls.size() + 1;
  while (count > 0 && calls.counter(which, count - 1) == 0) --count;
  return count;
}

void encode_pauses(const RankCalls& calls, ByteWriter (&part)[kDetailsEnd]) {
  std::int64_t before = calls.start_ns();
  std::int64_t call = 0;
  bool any_kind = false;
  for (const Pause& pause : calls.pauses()) {
    part[kDetailsPauseCalls].svarint(std::int64_t{pause.before_call} - call);
    part[kDetailsPauseBegins].svarint(wrapping_sub(pause.begin_ns, before));
    part[kDetailsPauseLengths].svarint(wrapping_sub(pause.end_ns, pause.begin_ns));
    part[kDetailsPauseInMpi].u8(static_cast<std::uint8_t>(pause.kind));
    any_kind |= pause.kind != PauseKind::other;
    before = pause.end_ns;
    call = pause.before_call;
  }
  if (!any_kind) part[kDetailsPauseInMpi].clear();
}

bool decode_pauses(ByteReader (&part)[kDetailsEnd], std::size_t count, RankCallsBuilder& calls) {
  std::int64_t before = calls.start_ns();
  std::int64_t call = 0;
  const bool any_kind = !part[kDetailsPauseInMpi].at_end();
  while (!part[kDetailsPauseCalls].at_end()) {
    call = wrapping_add(call, part[kDetailsPauseCalls].svarint());
    Pause pause{};
    pause.begin_ns = wrapping_add(before, part[kDetailsPauseBegins].svarint());
    pause.end_ns = wrapping_add(pause.begin_ns, part[kDetailsPauseLengths].svarint());
    if (any_kind) pause.kind = pause_kind(part[kDetailsPauseInMpi].u8());
    if (part[kDetailsPauseCalls].failed() || part[kDetailsPauseBegins].failed() ||
        part[kDetailsPauseLengths].failed() || part[kDetailsPauseInMpi].failed() || call < 0 ||
        static_cast<std::uint64_t>(call) > count || !is_time(pause.begin_ns) ||
        !is_time(pause.end_ns)) {
      return false;
    }
    pause.before_call = static_cast<std::uint32_t>(call);
    calls.append_pause(pause);
    before = pause.end_ns;
  }
  return true;
}

void encode_samples(const RankCalls& calls, std::span<const Sample> samples,
                    ByteWriter (&part)[kDetailsEnd]) {
  Sample before{calls.start_ns(), 0, 0, 0, 0};
  bool any_thread = false;
  bool any_blocked = false;
  for (const Sample& s : samples) {
    part[kDetailsSampleCalls].varint(s.before_call - before.before_call);
    part[kDetailsSampleTimes].svarint(wrapping_sub(s.time_ns, before.time_ns));
    part[kDetailsSampleCpu].svarint(wrapping_sub(s.cpu_ns, before.cpu_ns));
    part[kDetailsSampleFrames].varint(s.frame);
    part[kDetailsSampleThreads].varint(s.thread);
    part[kDetailsSampleBlocked].u8(s.blocked ? 1 : 0);
    any_thread |= s.thread != 0;
    any_blocked |= s.blocked;
    before = s;
  }
  if (!any_thread) part[kDetailsSampleThreads].clear();
  if (!any_blocked) part[kDetailsSampleBlocked].clear();
}

bool decode_samples(ByteReader (&part)[kDetailsEnd], const DetailBounds& bounds,
                    std::int64_t start_ns, std::vector<Sample>& samples) {
  std::uint64_t call = 0;
  Sample s{start_ns, 0, 0, 0, 0};
  const bool any_thread = !part[kDetailsSampleThreads].at_end();
  const bool any_blocked = !part[kDetailsSampleBlocked].at_end();
  while (!part[kDetailsSampleCalls].at_end()) {
    const std::uint64_t step = part[kDetailsSampleCalls].varint();
    s.time_ns = wrapping_add(s.time_ns, part[kDetailsSampleTimes].svarint());
    s.cpu_ns = wrapping_add(s.cpu_ns, part[kDetailsSampleCpu].svarint());
    const std::uint64_t frame = part[kDetailsSampleFrames].varint();
    if (any_thread) s.thread = static_cast<std::uint16_t>(part[kDetailsSampleThreads].varint());
    if (any_blocked) s.blocked = part[kDetailsSampleBlocked].u8() != 0;
    for (unsigned id = kDetailsSampleCalls; id <= kDetailsSampleThreads; ++id) {
      if (part[id].failed()) return false;
    }
    if (part[kDetailsSampleBlocked].failed()) return false;
    if (step > bounds.calls - call || frame > bounds.frames || !is_time(s.time_ns) ||
        s.cpu_ns < 0 || !is_time(s.cpu_ns)) {
      return false;
    }
    call += step;
    s.before_call = static_cast<std::uint32_t>(call);
    s.frame = static_cast<FrameId>(frame);
    samples.push_back(s);
  }
  return true;
}

void encode_parallel_regions(const ParallelRegions& regions, std::int64_t start_ns,
                             ByteWriter (&part)[kDetailsEnd]) {
  ByteWriter& out = part[kDetailsParallelRegions];
  std::int64_t before = start_ns;
  std::int64_t call = 0;
  for (const ParallelRegion& region : regions.all()) {
    out.svarint(wrapping_sub(region.end_ns, before));
    out.svarint(wrapping_sub(region.end_ns, region.begin_ns));
    out.svarint(region.length_ns);
    out.varint(region.instances);
    out.varint(region.frame);
    out.svarint(std::int64_t{region.before_call} - call);
    out.varint(region.threads);
    for (const LocationTime& time : regions.times(region)) {
      part[kDetailsParallelTimes].svarint(time.busy_ns);
      part[kDetailsParallelTimes].svarint(time.waiting_ns);
    }
    before = region.end_ns;
    call = region.before_call;
  }
}

/// Whether it can be one: every part of it within its bounds.
bool is_possible(const ParallelRegion& region, std::int64_t call, std::size_t calls) {
  return is_time(region.begin_ns) && is_time(region.end_ns) && region.begin_ns <= region.end_ns &&
         region.length_ns >= 0 && is_time(region.length_ns) && call >= 0 &&
         static_cast<std::uint64_t>(call) <= calls;
}

bool decode_parallel_regions(ByteReader (&part)[kDetailsEnd], const DetailBounds& bounds,
                             RankCallsBuilder& calls) {
  ByteReader& in = part[kDetailsParallelRegions];
  ByteReader& in_times = part[kDetailsParallelTimes];
  ParallelRegions regions;
  std::vector<LocationTime> times;
  std::int64_t before = calls.start_ns();
  std::int64_t call = 0;
  while (!in.at_end()) {
    ParallelRegion region;
    region.end_ns = wrapping_add(before, in.svarint());
    region.begin_ns = wrapping_sub(region.end_ns, in.svarint());
    region.length_ns = in.svarint();
    region.instances = static_cast<std::uint32_t>(in.varint());
    const std::uint64_t frame = in.varint();
    call = wrapping_add(call, in.svarint());
    const std::uint64_t threads = in.varint();
    // Each thread takes two bytes at least.
    if (in.failed() || frame > bounds.frames || threads == 0 || threads > in_times.left() ||
        !is_possible(region, call, bounds.calls)) {
      return false;
    }
    region.frame = static_cast<FrameId>(frame);
    region.before_call = static_cast<std::uint32_t>(call);
    times.assign(static_cast<std::size_t>(threads), {});
    for (LocationTime& time : times) {
      time.busy_ns = in_times.svarint();
      time.waiting_ns = in_times.svarint();
      if (time.busy_ns < 0 || time.busy_ns > region.length_ns || time.waiting_ns < 0 ||
          time.waiting_ns > region.length_ns - time.busy_ns) {
        return false;
      }
    }
    if (in_times.failed()) return false;
    regions.append(region, times);
    before = region.end_ns;
  }
  if (!regions.empty()) calls.set_parallel_regions(std::move(regions));
  return true;
}

void encode_blocking_calls(const RankCalls& calls, ByteWriter& out) {
  for (const BlockingCalls& of : calls.blocking_calls()) {
    out.u8(static_cast<std::uint8_t>(of.kind));
    out.text(of.function);
    out.text(of.file);
    out.varint(of.frame);
    out.varint(of.calls);
    out.varint(of.bytes);
    out.svarint(of.time_ns);
    out.svarint(of.blocked_ns);
  }
}

bool decode_blocking_calls(ByteReader& in, const DetailBounds& bounds, RankCallsBuilder& calls) {
  std::vector<BlockingCalls> all;
  while (!in.at_end()) {
    const std::uint8_t kind = in.u8();
    if (!is_blocking_kind(kind)) return false;
    BlockingCalls of{static_cast<BlockingKind>(kind), std::string(in.text()),
                     std::string(in.text())};
    const std::uint64_t frame = in.varint();
    of.calls = in.varint();
    of.bytes = in.varint();
    of.time_ns = in.svarint();
    of.blocked_ns = in.svarint();
    if (in.failed() || frame > bounds.frames || of.blocked_ns < 0 || of.blocked_ns > of.time_ns ||
        !is_time(of.time_ns)) {
      return false;
    }
    of.frame = static_cast<FrameId>(frame);
    all.push_back(std::move(of));
  }
  calls.set_blocking_calls(std::move(all));
  return true;
}

void encode_recording_costs(const RankCalls& calls, ByteWriter& out) {
  for (const RecordingCost& cost : calls.recording_costs()) {
    out.varint(cost.before_ns);
    out.varint(cost.after_ns);
  }
}

bool decode_recording_costs(ByteReader& in, RankCallsBuilder& calls) {
  std::vector<RecordingCost> costs;
  while (!in.at_end()) {
    const std::uint64_t before = in.varint();
    const std::uint64_t after = in.varint();
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (in.failed() || before > kMost || after > kMost) return false;
    costs.push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after)});
  }
  calls.set_recording_costs(std::move(costs));
  return true;
}

bool decode_counters(ByteReader& in, const DetailBounds& bounds, RankCallsBuilder& calls) {
  for (std::size_t which = 0; which < bounds.counters && !in.at_end(); ++which) {
    const std::uint64_t count = in.varint();
    if (count > bounds.calls + 1 || count > in.left()) return false;  // each takes a byte at least
    std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
    for (std::uint64_t& value : values) value = in.varint();
    if (!values.empty()) calls.set_counter(which, std::move(values));
  }
  return !in.failed();
}

}  // namespace

bool has_details(const Trace& trace, const Samples& samples, std::int32_t rank) {
  const RankCalls& calls = trace.calls(rank);
  bool counted = false;
  for (std::size_t which = 0; which < trace.counters().size(); ++which) {
    counted = counted || counted_gaps(calls, which) > 0;
  }
  return counted || !calls.blocking_calls().empty() || !calls.pauses().empty() ||
         !calls.recording_costs().empty() || !samples.of(rank).empty() ||
         !calls.parallel_regions().empty() || calls.stop_ns() != last_end_ns(calls);
}

void encode_details(const Trace& trace, const Samples& samples, std::int32_t rank,
                    ByteWriter& out) {
  const RankCalls& calls = trace.calls(rank);
  ByteWriter part[kDetailsEnd];
  const std::int64_t after = calls.stop_ns() - last_end_ns(calls);
  if (after != 0) part[kDetailsStop].svarint(after);
  encode_pauses(calls, part);
  encode_samples(calls, samples.of(rank), part);
  encode_parallel_regions(calls.parallel_regions(), calls.start_ns(), part);
  encode_blocking_calls(calls, part[kDetailsBlockingCalls]);
  encode_recording_costs(calls, part[kDetailsRecordingCosts]);
  for (std::size_t which = 0; which < trace.counters().size(); ++which) {
    const std::size_t count = counted_gaps(calls, which);
    part[kDetailsCounters].varint(count);
    for (std::size_t i = 0; i < count; ++i) part[kDetailsCounters].varint(calls.counter(which, i));
  }
  for (unsigned id = kDetailsStop; id < kDetailsEnd; ++id) append_part(out, id, part[id].bytes());
}

std::int64_t last_end_ns(const RankCalls& calls) {
  return calls.empty() ? calls.start_ns() : calls.end_ns(calls.size() - 1);
}

bool decode_details(std::span<const std::byte> payload, const DetailBounds& bounds,
                    RankCallsBuilder& rank, std::vector<Sample>& samples) {
  ByteReader part[kDetailsEnd];
  if (!split_parts(payload, part)) return false;
  if (!part[kDetailsStop].at_end()) {
    const std::int64_t stop = wrapping_add(bounds.last_end_ns, part[kDetailsStop].svarint());
    if (part[kDetailsStop].failed() || !is_time(stop)) return false;
    rank.set_stop_ns(stop);
  }
  return decode_pauses(part, bounds.calls, rank) && decode_parallel_regions(part, bounds, rank) &&
         decode_blocking_calls(part[kDetailsBlockingCalls], bounds, rank) &&
         decode_recording_costs(part[kDetailsRecordingCosts], rank) &&
         decode_counters(part[kDetailsCounters], bounds, rank) &&
         decode_samples(part, bounds, rank.start_ns(), samples);
}

}  // namespace slackline::native
