// The calls of one rank. Requests are named by their address, so a table of addresses tells which
// request a completion speaks of; an array of requests is its first address, and its stride (the
// size of a handle: 8 bytes in Open MPI, 4 in MPICH and in Fortran) is whatever finds more of them.

#include "formats/liballprof/rank_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text_parsing.h"

namespace slackline::liballprof {
namespace {

// Open MPI's numbers, for which the recorder was made.
constexpr std::int64_t kAnySource = -1;
constexpr std::int64_t kProcNull = -2;
constexpr std::int64_t kAnyTag = -1;
constexpr std::int64_t kMostRequests = 1 << 20;
// Per rank: a file with false array sizes must not take more time than its size warrants.
constexpr std::int64_t kMostMisses = 1 << 22;

struct AddressHash {
  std::uint64_t operator()(std::uint64_t address) const { return mix_bits(address); }
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::optional<double> number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + label.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  double value = 0;
  const auto result = std::from_chars(line.data(), line.data() + line.size(), value);
  constexpr double kMost_us = 1e15;
  if (result.ec != std::errc{} || !(std::abs(value) < kMost_us)) return std::nullopt;
  return value;
}

void read_comment(std::string_view line, RankFacts& facts) {
  for (const std::string_view host : {"# host: ", "# hostname: "}) {
    if (line.starts_with(host)) facts.host = line.substr(host.size());
  }
  if (const auto value = number_after(line, "Init clockdiff:")) facts.init_offset_us = value;
  constexpr double kMicrosPerSecond = 1e6;
  if (const auto value = number_after(line, "# clockdiff:")) {  // as the first versions have it
    facts.init_offset_us = *value * kMicrosPerSecond;
  }
  if (const auto value = number_after(line, "Finalize clockdiff:"))
    facts.finalize_offset_us = value;
}

class CallReader {
 public:
  CallReader(const Trace& trace, CommTable& comms, RankCallsBuilder& calls, Findings& findings)
      : trace_(trace), comms_(comms), calls_(calls), findings_(findings) {}

  void add(const Line& line) {
    Call call;
    call.operation = line.operation;
    call.begin_ns = line.begin_ns;
    call.end_ns = line.end_ns;
    if (call.begin_ns < last_end_) {
      findings_.add(kTimeBackwards);
      call.begin_ns = last_end_;
      call.end_ns = std::max(call.end_ns, last_end_);
    }
    args_.clear();
    if (!fill(line, call)) return;
    last_end_ = call.end_ns;
    call.args = args_;
    calls_.append(call);
  }

 private:
  bool fill(const Line& line, Call& call) {
    const OperationClass c = operation_class(line.operation);
    if (c == OperationClass::completion) {
      complete(line, call);
      return true;
    }
    if (c == OperationClass::environment || c == OperationClass::local) return true;
    call.comm = comms_.find(line.comm);
    if (call.comm == kCommNull) {
      findings_.add(kUnknownCommunicator, mpi_name(line.operation));
      return false;
    }
    if (c == OperationClass::collective || c == OperationClass::comm_create) {
      return collective(line, call);
    }
    return message(line, call);
  }

  std::optional<std::int32_t> world_rank(std::uint32_t comm, std::int64_t rank) const {
    const auto& members = trace_.communicators()[comm == kCommSelf ? kCommWorld : comm].members;
    if (rank < 0 || rank >= static_cast<std::int64_t>(members.size())) return std::nullopt;
    return members[static_cast<std::size_t>(rank)];
  }

  // The other rank of a message; sets the flag of a wildcard.
  bool peer(std::int64_t given, std::uint32_t comm, std::int32_t& peer, std::int64_t& flags) {
    if (given == kProcNull) {
      peer = kPeerNull;
    } else if (given == kAnySource) {
      peer = kPeerAny;
      flags |= SLK_FLAG_ANY_SOURCE;
      findings_.add(kWildcards);
    } else if (const auto rank = world_rank(comm, given)) {
      peer = *rank;
    } else {
      findings_.add(kDamagedRecord, fmt::format("rank {} is not in the communicator", given));
      return false;
    }
    return true;
  }

  bool message(const Line& line, Call& call) {
    const OperationClass c = operation_class(line.operation);
    std::int64_t flags = 0;
    if (!peer(line.peer[0], call.comm, call.peer, flags)) return false;
    call.tag = static_cast<std::int32_t>(line.tag[0]);
    call.bytes = size(line, 0);
    const bool receives =
        c == OperationClass::recv || c == OperationClass::irecv || c == OperationClass::probe;
    if (receives && line.tag[0] == kAnyTag) flags |= SLK_FLAG_ANY_TAG;
    if (receives) call.flags = static_cast<std::uint8_t>(flags);
    if (c == OperationClass::isend || c == OperationClass::irecv) {
      call.request = ++last_request_;
      requests_[line.request] = call.request;
    }
    if (c == OperationClass::sendrecv) return second_half(line, call);
    if (line.operation == Operation::iprobe) fail(call);
    return true;
  }

  bool second_half(const Line& line, const Call& call) {
    std::int32_t source = kPeerNull;
    std::int64_t flags = 0;
    if (!peer(line.peer[1], call.comm, source, flags)) return false;
    if (line.tag[1] == kAnyTag) flags |= SLK_FLAG_ANY_TAG;
    const std::size_t which = line.operation == Operation::sendrecv ? 1 : 0;
    args_ = {source, line.tag[1], static_cast<std::int64_t>(size(line, which)), flags};
    return true;
  }

  static std::uint64_t size(const Line& line, std::size_t which) {
    return product(line.count[which], line.type_bytes[which]);
  }
  static std::uint64_t product(std::int64_t count, std::int64_t bytes) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (count <= 0 || bytes <= 0) return 0;
    return static_cast<std::uint64_t>(std::min(count, kMost)) *
           static_cast<std::uint64_t>(std::min(bytes, kMost - 1));
  }

  void fail(Call& call) {
    findings_.add(kTests);
    call.flags |= SLK_FLAG_FAILED;
    call.request = kRequestNone;
    args_ = {1, call.end_ns - call.begin_ns};
  }

  // Is the request under way that lies at that index of an array? Then it is completed.
  bool take(std::uint64_t address, std::uint64_t index) {
    for (const std::uint64_t stride : {stride_, std::uint64_t{8}, std::uint64_t{4}}) {
      if (stride == 0) continue;
      const std::uint64_t at = address + index * stride;
      if (const std::uint32_t* request = requests_.find(at)) {
        if (index > 0) stride_ = stride;
        args_.push_back(*request);
        requests_.erase(at);
        return true;
      }
    }
    return false;
  }

  void take_all(const Line& line) {
    const std::int64_t count = std::min(line.requests, kMostRequests);
    std::int64_t known = 0;
    for (std::int64_t i = 0; i < count && may_look(); ++i) {
      if (take(line.request, static_cast<std::uint64_t>(i))) {
        ++known;
      } else {
        --misses_left_;
      }
    }
    unknown(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count - known)));
  }

  bool may_look() const { return requests_.size() > 0 && misses_left_ > 0; }

  void unknown(std::uint64_t requests) {
    if (requests > 0) findings_.add(kUnknownRequests, {}, requests);
  }

  void complete(const Line& line, Call& call) {
    switch (line.operation) {
      case Operation::wait:
        unknown(take(line.request, 0) ? 0 : 1);
        break;
      case Operation::waitall:
        return take_all(line);
      case Operation::waitany:
      case Operation::waitsome:
        take_first(line);
        if (line.operation == Operation::waitsome) return;
        break;
      default:
        return fail(call);
    }
    if (!args_.empty()) call.request = static_cast<std::uint32_t>(args_.front());
    args_.clear();
  }

  // Which one of several completed is not told: the first that is still under way.
  void take_first(const Line& line) {
    const std::int64_t count = std::min(line.requests, kMostRequests);
    for (std::int64_t i = 0; i < count && may_look(); ++i, --misses_left_) {
      for (const std::uint64_t stride : {std::uint64_t{8}, std::uint64_t{4}}) {
        const std::uint64_t at = line.request + static_cast<std::uint64_t>(i) * stride;
        if (requests_.find(at) == nullptr) continue;
        args_.push_back(*requests_.find(at));
        requests_.erase(at);
        return;
      }
    }
    findings_.add(kUnknownRequests);
  }

  void counts(const std::vector<std::int64_t>& values, std::int64_t type_bytes) {
    for (const std::int64_t count : values) {
      args_.push_back(static_cast<std::int64_t>(product(count, type_bytes)));
    }
  }

  bool collective(const Line& line, Call& call) {
    const auto rank = static_cast<std::size_t>(line.comm.rank);
    call.tag =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(line.type_bytes[0], 0, INT32_MAX));
    call.bytes = size(line, 0);
    switch (line.operation) {
      case Operation::gatherv:
        call.peer = root(line, call);
        if (line.root == line.comm.rank) counts(line.counts[0], line.type_bytes[1]);
        return true;
      case Operation::scatterv:
        // Its first datatype is that of the array, its only count that of receiving.
        call.peer = root(line, call);
        call.bytes = product(line.count[0], line.type_bytes[1]);
        if (line.root == line.comm.rank) counts(line.counts[0], line.type_bytes[0]);
        return true;
      case Operation::scatter:
        call.bytes = size(line, 1);
        [[fallthrough]];
      case Operation::bcast:
      case Operation::reduce:
      case Operation::gather:
        call.peer = root(line, call);
        return true;
      case Operation::allgatherv:
        counts(line.counts[0], line.type_bytes[1]);
        return true;
      case Operation::alltoallv:
        call.bytes = 0;
        if (line.counts[0].size() != line.counts[2].size()) return true;
        counts(line.counts[0], line.type_bytes[0]);
        counts(line.counts[2], line.type_bytes[1]);
        return true;
      case Operation::reduce_scatter:
        counts(line.counts[0], line.type_bytes[0]);
        call.bytes = rank < args_.size() ? static_cast<std::uint64_t>(args_[rank]) : 0;
        return true;
      default:
        return true;
    }
  }

  std::int32_t root(const Line& line, const Call& call) const {
    return world_rank(call.comm, line.root).value_or(kPeerNone);
  }

  const Trace& trace_;
  CommTable& comms_;
  RankCallsBuilder& calls_;
  Findings& findings_;
  FlatMap<std::uint64_t, std::uint32_t, AddressHash> requests_;  // by address
  std::vector<std::int64_t> args_;
  std::uint32_t last_request_ = 0;
  std::uint64_t stride_ = 0;
  std::int64_t misses_left_ = kMostMisses;  // requests looked for that were not under way
  std::int64_t last_end_ = INT64_MIN;
};

}  // namespace

RankFacts scan_rank(std::string_view text) {
  RankFacts facts;
  Line line;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view next = take_line(rest);
    if (next.starts_with('#')) {
      read_comment(next, facts);
      continue;
    }
    line.comm = {};
    if (is_blank(next) || parse_line(next, line) != LineKind::call) continue;
    facts.finalized = facts.finalized || line.operation == Operation::finalize;
    const CommHandle& comm = line.comm;
    if (comm.size == 0) continue;
    const auto same = [&](const CommHandle& c) {
      return c.handle == comm.handle && c.size == comm.size;
    };
    if (std::ranges::none_of(facts.comms, same)) facts.comms.push_back(comm);
  }
  return facts;
}

void read_calls(std::string_view text, std::string_view name, const Trace& trace, CommTable& comms,
                RankCallsBuilder& calls, Findings& findings) {
  CallReader reader(trace, comms, calls, findings);
  Line line;
  std::uint64_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view next = take_line(rest);
    ++number;
    if (next.starts_with('#') || is_blank(next)) continue;
    switch (parse_line(next, line)) {
      case LineKind::call:
        reader.add(line);
        break;
      case LineKind::unknown_call:
        findings.add(kLocalCalls, next.substr(0, next.find(':')));
        break;
      case LineKind::bad:
        findings.add(kDamagedRecord, fmt::format("{}:{}", name, number));
        break;
    }
  }
}

}  // namespace slackline::liballprof
