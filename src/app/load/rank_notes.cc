#include "app/load/rank_notes.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/native/bytes.h"

namespace slackline {
namespace {

/// Beside the measured ones, as differences that are small.
void note(const RankCalls& calls, const std::vector<std::int64_t>& begin_ns,
          const std::vector<std::int64_t>& end_ns, const std::vector<std::uint64_t>& waits,
          std::size_t from, native::ByteWriter& out) {
  std::int64_t ideal_ns = from == 0 ? calls.start_ns() : end_ns[from - 1];
  std::int64_t measured_ns = from == 0 ? calls.start_ns() : calls.end_ns(from - 1);
  for (std::size_t i = from; i < calls.size(); ++i) {
    out.svarint(begin_ns[i] - ideal_ns - (calls.begin_ns(i) - measured_ns));
    out.svarint(end_ns[i] - begin_ns[i]);
    out.varint(waits[i]);
    ideal_ns = end_ns[i];
    measured_ns = calls.end_ns(i);
  }
}

}  // namespace

void RankNotes::append(const LoadedStretch& stretch, const IdealRun& ideal,
                       const WaitStates& waits) {
  const Trace& trace = stretch.trace();
  std::vector<std::vector<std::uint64_t>> waiting(
      places_.size());  // of each call, with its pattern
  for (std::size_t r = 0; r < waiting.size(); ++r) {
    waiting[r].resize(trace.calls(static_cast<std::int32_t>(r)).size());
  }
  for (const WaitState& s : waits.states) {
    if (!s.effective) continue;
    waiting[static_cast<std::size_t>(s.rank)][s.call] =
        static_cast<std::uint64_t>(s.wait_ns) * kWaitPatterns +
        static_cast<std::uint64_t>(s.pattern) + 1;
  }
  std::vector<native::ByteWriter> notes(places_.size());
  parallel_for(notes.size(), [&](std::size_t r) {
    const RankCalls& calls = trace.calls(static_cast<std::int32_t>(r));
    if (calls.empty()) return;
    note(calls, ideal.begin_ns[r], ideal.end_ns[r], waiting[r], stretch.part().lead(), notes[r]);
    if (stretch.part().last) notes[r].svarint(ideal.rank_end_ns[r] - ideal.end_ns[r].back());
  });
  for (std::size_t r = 0; r < notes.size(); ++r) append(r, notes[r].bytes());
}

void RankNotes::append(std::size_t rank, std::span<const std::byte> bytes) {
  file_->append(bytes);
  places_[rank].push_back({written_, bytes.size()});
  written_ += bytes.size();
}

Bytes RankNotes::of_rank(std::size_t rank) const {
  Bytes bytes;
  for (const Place& place : places_[rank]) {
    const auto part = all_.subspan(place.from, place.bytes);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

void RankNotes::share(RankRange own, ProcessGroup& group) {
  all_ = file_->map();
  if (group.size() == 1) return;
  std::vector<Bytes> to_each;
  for (const RankRange& theirs : gather_all(group, std::vector{own})) {
    native::ByteWriter packed;
    for (std::int32_t r = theirs.first; r < theirs.end; ++r) {
      const Bytes notes = of_rank(static_cast<std::size_t>(r));
      packed.varint(notes.size());
      packed.raw(notes);
    }
    to_each.push_back(packed.copy());
  }
  const std::vector<Bytes> received = group.exchange(std::move(to_each));
  file_.reset();
  file_.emplace();
  written_ = 0;
  places_.assign(places_.size(), {});
  for (const Bytes& of_process : received) {
    native::ByteReader in(of_process);
    for (std::int32_t r = own.first; r < own.end; ++r) {
      append(static_cast<std::size_t>(r), in.raw(static_cast<std::size_t>(in.varint())));
    }
  }
  all_ = file_->map();
}

RankNotes::OfRank RankNotes::read(const RankCalls& calls, std::int32_t rank) const {
  const auto r = static_cast<std::size_t>(rank);
  const Bytes notes = of_rank(r);
  native::ByteReader in(notes);
  OfRank out;
  out.ideal.rank_end_ns.resize(places_.size());
  out.ideal.begin_ns.resize(places_.size());
  out.ideal.end_ns.resize(places_.size());
  std::vector<std::int64_t>& begin_ns = out.ideal.begin_ns[r];
  std::vector<std::int64_t>& end_ns = out.ideal.end_ns[r];
  begin_ns.reserve(calls.size());
  end_ns.reserve(calls.size());
  std::int64_t ideal_ns = calls.start_ns();
  std::int64_t measured_ns = calls.start_ns();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    begin_ns.push_back(ideal_ns + in.svarint() + (calls.begin_ns(i) - measured_ns));
    end_ns.push_back(begin_ns.back() + in.svarint());
    ideal_ns = end_ns.back();
    measured_ns = calls.end_ns(i);
    const std::uint64_t waiting = in.varint();
    if (waiting == 0) continue;
    out.waits.push_back({.wait_ns = static_cast<std::int64_t>((waiting - 1) / kWaitPatterns),
                         .rank = rank,
                         .call = static_cast<CallIndex>(i),
                         .pattern = static_cast<WaitPattern>((waiting - 1) % kWaitPatterns),
                         .effective = true});
  }
  out.ideal.rank_end_ns[r] = ideal_ns + in.svarint();
  ensures(!in.failed() && in.at_end(), "each call has its notes");
  return out;
}

}  // namespace slackline
