// From the records of a location to calls.
//
// Everything that happens inside an MPI call lies between the ENTER and LEAVE of its region; the
// region's name says which call it is, and the records in between what it did. A call is therefore
// begun at ENTER, filled in by records, and appended at LEAVE. What a nonblocking receive got is
// told by a record inside the call that completes it, and goes back to the call that posted it.
//
// Recorders leave things out: what involves MPI_PROC_NULL has no record; nonblocking collectives
// of Score-P before 8 have none, nor have the waits that complete them. The former is told by the
// absence; for the latter the oldest open one is assumed, and counted.

#include "formats/otf2/location_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/findings.h"
#include "formats/otf2/findings.h"

namespace slackline::otf2 {

using Kind = Definitions::RegionKind;

LocationReader::LocationReader(const Job& job, const Trace& trace, std::int32_t rank,
                               std::uint16_t thread, std::vector<LocationCalls>& locations,
                               OpenRequests& requests)
    : job_(job),
      trace_(trace),
      rank_(rank),
      thread_(thread),
      locations_(locations),
      index_(locations.size()),
      requests_(requests),
      counters_(job.counters.size()) {
  locations_.emplace_back();
}

// Damaged files may go back in time; a Trace does not.
void LocationReader::at(std::int64_t& time) {
  time = std::max(time, last_ns_);
  last_ns_ = time;
  if (!out().first_ns) out().first_ns = time;
}

void LocationReader::enter(std::int64_t time, std::uint32_t ref, const Overrides* overrides) {
  at(time);
  const auto found = job_.definitions.regions.find(ref);
  if (found == job_.definitions.regions.end()) {
    out().findings.add(kUnknownReference, fmt::format("region {}", ref));
    return;
  }
  const Definitions::Region& region = found->second;
  if (region.kind == Kind::mpi) {
    if (in_call_) {
      ++nested_;
      out().findings.add(kNestedCalls, region.name);
      return;
    }
    begin_call(time, region.operation);
    call_region_ = ref;
    if (overrides != nullptr) overrides_ = *overrides;
    return;
  }
  open_regions_.push_back(ref);
  if (region.kind != Kind::user) return;
  out().regions.push_back(
      {time, region.order, static_cast<std::uint32_t>(out().calls.size()), true});
  if (overrides != nullptr && overrides->has(Attribute::position)) {
    out().region_at.resize(out().regions.size());
    out().region_at.back() = overrides->position;
  }
}

void LocationReader::leave(std::int64_t time, std::uint32_t ref, const Overrides* overrides) {
  at(time);
  const auto found = job_.definitions.regions.find(ref);
  if (found == job_.definitions.regions.end()) return;
  const Definitions::Region& region = found->second;
  if (region.kind == Kind::mpi) {
    if (!in_call_) {
      unbalanced(region.name);
    } else if (nested_ > 0) {
      --nested_;
    } else {
      end_call(time);
    }
    return;
  }
  const auto open = std::ranges::find(open_regions_.rbegin(), open_regions_.rend(), ref);
  if (open == open_regions_.rend()) {
    unbalanced(region.name);
  } else {
    open_regions_.erase(std::next(open).base());  // others may overlap it instead of nesting
  }
  if (region.kind != Kind::user) return;
  out().regions.push_back(
      {time, region.order, static_cast<std::uint32_t>(out().calls.size()), false});
  if (overrides != nullptr && overrides->has(Attribute::position)) {
    out().region_at.resize(out().regions.size());
    out().region_at.back() = overrides->position;
  }
}

void LocationReader::unbalanced(const std::string& what) {
  out().findings.add(kUnbalancedRegions, fmt::format("rank {}: {}", rank_, what));
}

std::string LocationReader::region_name(std::uint32_t ref) const {
  const auto found = job_.definitions.regions.find(ref);
  return found == job_.definitions.regions.end() ? "?" : found->second.name;
}

void LocationReader::begin_call(std::int64_t time, Operation operation) {
  in_call_ = true;
  recorded_ = started_ = false;
  sent_after_ns_ = 0;
  nested_ = 0;
  call_ = Call{};
  call_.operation = operation;
  call_.thread = thread_;
  call_.begin_ns = time;
  args_.clear();
  completed_.clear();
  overrides_.reset();
  counters_.begin_call();
  end_pause(time);
}

void LocationReader::end_call(std::int64_t time) {
  in_call_ = false;
  call_.end_ns = time;
  if (call_.operation == Operation::none && !job_.own) {
    out().findings.add(kLocalCalls, region_name(call_region_));
    return;
  }
  describe_call();
  if (overrides_) apply_overrides();
  call_.args = args_;
  if (is_init(call_.operation)) out().initialized = true;
  if (call_.operation == Operation::finalize) out().finalized = true;
  if (overrides_ && overrides_->has(Attribute::order)) {
    out().order.resize(out().calls.size() + 1);
    out().order.back() = overrides_->order;
  }
  if (sent_after_ns_ > 0) {
    out().sent_after_ns.resize(out().calls.size() + 1);
    out().sent_after_ns.back() = static_cast<std::uint32_t>(sent_after_ns_);
  }
  out().calls.append(call_);
  counters_.end_call();
}

void LocationReader::describe_call() {
  switch (operation_class(call_.operation)) {
    case OperationClass::completion:
      describe_completion();
      return;
    case OperationClass::one_sided:
      if (!job_.own) out().findings.add(kOneSidedCalls);
      return;
    default:
      if (!recorded_ && !job_.own) describe_unrecorded();
      return;
  }
}

void LocationReader::describe_completion() {
  const Operation operation = call_.operation;
  const bool all = operation == Operation::waitall || operation == Operation::testall;
  const bool test = operation == Operation::test || operation == Operation::testall ||
                    operation == Operation::testany || operation == Operation::testsome;
  std::deque<std::uint32_t>& bare = requests_.bare();
  if (completed_.empty() && !test && !bare.empty() && !job_.own) {
    const std::size_t count = all ? bare.size() : 1;
    completed_.assign(bare.begin(), bare.begin() + static_cast<std::ptrdiff_t>(count));
    bare.erase(bare.begin(), bare.begin() + static_cast<std::ptrdiff_t>(count));
    out().findings.add(kCompletionGuessed, fmt::format("rank {}", rank_), count);
  }
  if (completed_.empty() && test && !job_.own) {
    call_.flags = static_cast<std::uint8_t>(call_.flags | SLK_FLAG_FAILED);
    args_ = {1, call_.end_ns - call_.begin_ns};
    return;
  }
  std::size_t first = 0;
  if (names_one_request(operation) && !completed_.empty()) call_.request = completed_[first++];
  args_.assign(completed_.begin() + static_cast<std::ptrdiff_t>(first), completed_.end());
}

// What the absence of a record says.
void LocationReader::describe_unrecorded() {
  switch (operation_class(call_.operation)) {
    case OperationClass::send:
    case OperationClass::recv:
      call_.peer = kPeerNull;
      return;
    case OperationClass::sendrecv:
      call_.peer = call_.peer == kPeerNone ? kPeerNull : call_.peer;
      if (args_.empty()) args_ = {kPeerNull, 0, 0, 0};
      return;
    case OperationClass::isend:
    case OperationClass::irecv:
      call_.peer = kPeerNull;
      if (!started_) call_.request = requests_.unnumbered();
      return;
    case OperationClass::probe:
      call_.peer = kPeerAny;
      if (call_.operation == Operation::iprobe || call_.operation == Operation::improbe) {
        call_.flags = static_cast<std::uint8_t>(call_.flags | SLK_FLAG_FAILED);
        args_ = {1, call_.end_ns - call_.begin_ns};
      }
      return;
    case OperationClass::icollective:
      if (started_) return;
      call_.request = requests_.unnumbered();
      requests_.bare().push_back(call_.request);
      out().bare.push_back(static_cast<std::uint32_t>(out().calls.size()));
      out().findings.add(kBareCollectives, mpi_name(call_.operation));
      return;
    default:
      return;
  }
}

void LocationReader::apply_overrides() {
  const Overrides& o = *overrides_;
  if (o.has(Attribute::flags)) call_.flags = o.flags;
  if (o.has(Attribute::bytes)) call_.bytes = o.bytes;
  if (o.has(Attribute::peer)) call_.peer = o.peer;
  if (o.has(Attribute::tag)) call_.tag = o.tag;
  if (o.has(Attribute::comm)) call_.comm = o.comm;
  if (o.has(Attribute::request)) call_.request = o.request;
  if (o.has(Attribute::args) || o.has(Attribute::arg_count)) args_ = o.args;
}

void LocationReader::program_end(std::int64_t time) {
  at(time);
  out().finalized = true;
  if (job_.own) out().stop_ns = time;
}

void LocationReader::paused(std::int64_t time) {
  at(time);
  out().findings.add(kPaused, fmt::format("rank {}", rank_));
}

void LocationReader::buffer_flush(std::int64_t time, std::int64_t until,
                                  const Overrides* overrides) {
  at(time);
  until = std::max(until, time);
  if (!job_.own) {
    out().findings.add(kBufferFlush, fmt::format("rank {}: {} ns", rank_, until - time));
  }
  if (in_call_) return;
  end_pause(time);
  out().pauses.push_back({time, until, static_cast<std::uint32_t>(out().calls.size())});
  if (overrides == nullptr) return;
  if (overrides->has(Attribute::flags)) out().pauses.back().kind = pause_kind(overrides->flags);
  if (!overrides->has(Attribute::position)) return;
  out().pause_at.resize(out().pauses.size());
  out().pause_at.back() = overrides->position;
}

// Damaged files may tell of pauses into what comes next.
void LocationReader::end_pause(std::int64_t time) {
  if (out().pauses.empty()) return;
  Pause& last = out().pauses.back();
  last.end_ns = std::max(last.begin_ns, std::min(last.end_ns, time));
}

void LocationReader::metric(std::int64_t time, std::uint32_t metric_class,
                            std::span<const std::uint64_t> values) {
  at(time);
  const auto found = job_.metrics.find(metric_class);
  if (found == job_.metrics.end()) return;
  const auto& counter_of = found->second;
  for (std::size_t i = 0; i < std::min(values.size(), counter_of.size()); ++i) {
    if (counter_of[i] == Job::kNoCounter) {
      out().findings.add(kMetrics);
    } else {
      counters_.read(counter_of[i], values[i]);
    }
  }
}

void LocationReader::one_sided(std::int64_t time) {
  at(time);
}

void LocationReader::finish() {
  if (in_call_) {
    const std::string name = region_name(call_region_);
    out().findings.add(kUnfinishedCall, fmt::format("rank {}: {}", rank_, name));
    unbalanced(name);
    call_.flags = static_cast<std::uint8_t>(call_.flags | SLK_FLAG_UNFINISHED);
    end_call(call_.begin_ns);
  }
  if (!job_.own && out().first_ns) out().stop_ns = last_ns_;
  for (const std::uint32_t ref : open_regions_) unbalanced(region_name(ref));
  open_regions_.clear();
  out().counters = counters_.finish();
  out().calls.shrink();
}

}  // namespace slackline::otf2
