// One rank's actions as calls. What SimGrid's replay does with each action is in
// doc/formats/ti.md; here are the arguments.
//
// Actions that are no MPI call become regions (reader.h): of their own length for computation and
// sleeping, of no length for those that replay ignores. A reduction's computation follows its call.

#include "formats/ti/program.h"

#include <array>
#include <cmath>

#include "base/arithmetic.h"
#include "formats/ti/fields.h"
#include "formats/ti/ti.h"

namespace slackline::ti {
namespace {

constexpr std::size_t kFirst = 2;  // rank and action come before the arguments
constexpr double kNanosPerFlop = 1e9 / kTiFlopsPerSecond;

bool any_source(std::int64_t rank) {
  return rank == kAnySource || rank == kFormerAnySource;
}

std::uint64_t product(std::int64_t count, std::uint32_t element) {
  if (count < 0) throw BadAction{"a count is negative"};
  if (count > kTiMostElements) throw BadAction{"a count is too large"};
  return static_cast<std::uint64_t>(count) * element;
}

}  // namespace

struct Program::Entry {
  std::string_view name;
  Handler handler;
};

const Program::Entry* Program::find(std::string_view action) {
  // By first letters; of those with one letter the most frequent come first.
  static constexpr std::array kActions{
      Entry{"allgather", &Program::allgather},
      Entry{"allgatherv", &Program::allgatherv},
      Entry{"allreduce", &Program::reduce_to_all},
      Entry{"alltoall", &Program::alltoall},
      Entry{"alltoallv", &Program::alltoallv},
      Entry{"barrier", &Program::barrier},
      Entry{"bcast", &Program::bcast},
      Entry{"compute", &Program::compute},
      Entry{"comm_size", &Program::ignored},
      Entry{"comm_split", &Program::ignored},
      Entry{"comm_dup", &Program::ignored},
      Entry{"exscan", &Program::reduce_to_all},
      Entry{"finalize", &Program::finalize},
      Entry{"gather", &Program::gather_or_scatter},
      Entry{"gatherv", &Program::gatherv},
      Entry{"isend", &Program::send},
      Entry{"irecv", &Program::receive},
      Entry{"init", &Program::init},
      Entry{"location", &Program::ignored},
      Entry{"recv", &Program::receive},
      Entry{"reduce", &Program::reduce},
      Entry{"reducescatter", &Program::reduce_scatter},
      Entry{"send", &Program::send},
      Entry{"sendRecv", &Program::sendrecv},
      Entry{"sleep", &Program::sleep},
      Entry{"scan", &Program::reduce_to_all},
      Entry{"scatter", &Program::gather_or_scatter},
      Entry{"scatterv", &Program::scatterv},
      Entry{"test", &Program::test},
      Entry{"wait", &Program::wait},
      Entry{"waitall", &Program::waitall},
  };
  static constexpr auto kFirstOf = [] {
    std::array<std::uint8_t, 256> first{};
    for (std::size_t i = kActions.size(); i-- > 0;) {
      first[static_cast<unsigned char>(kActions[i].name[0])] = static_cast<std::uint8_t>(i);
    }
    return first;
  }();
  if (action.empty()) return nullptr;
  std::size_t i = kFirstOf[static_cast<unsigned char>(action[0])];
  for (; i < kActions.size() && kActions[i].name[0] == action[0]; ++i) {
    if (kActions[i].name == action) return &kActions[i];
  }
  return nullptr;
}

void Program::append(const Fields& line) {
  const Entry* entry = find(line.word(1));
  if (entry == nullptr) throw BadAction{"no such action"};
  counts_.clear();
  (this->*entry->handler)(line);
}

void Program::reserve(std::size_t n, std::size_t computations) {
  calls().reserve(n);
  calls().reserve_regions(2 * computations);
}

Call Program::call(Operation operation) const {
  return Call{.operation = operation, .begin_ns = rounded_now_ns_, .end_ns = rounded_now_ns_};
}

std::uint32_t Program::datatype(const Fields& line, std::size_t i) const {
  if (i >= line.size()) return default_element_;
  const std::uint32_t bytes = datatype_bytes(line.integer(i));
  return bytes;
}

std::int32_t Program::peer(std::int64_t rank) const {
  if (any_source(rank)) return kPeerAny;
  if (rank == kNoRank) return kPeerNull;
  if (rank < 0 || rank >= trace_.ranks()) throw NoSuchRank(rank);
  return static_cast<std::int32_t>(rank);
}

std::int64_t Program::root(const Fields& line, std::size_t i) const {
  return peer(line.integer(i, 0));
}

void Program::expect_time(double ns) const {
  if (now_ns_ + ns > static_cast<double>(kTimeLimit_ns)) {
    throw BadAction{"it ends more than 146 years after the start"};
  }
}

/// The duration in ns of the flops in field `i`; read before the action that it precedes is added.
double Program::computation(const Fields& line, std::size_t i) const {
  const double flops = line.number(i);
  if (flops < 0) throw BadAction{"a computation is negative"};
  expect_time(flops * kNanosPerFlop);
  return flops * kNanosPerFlop;
}

/// Ends after `ns`.
void Program::region(std::string_view name, double ns) {
  expect_time(ns);
  if (name != region_name_) {
    region_ = trace_.region_id(name);
    region_name_ = name;
  }
  const auto before = static_cast<std::uint32_t>(calls().size());
  calls().append_region({rounded_now_ns_, region_, before, true});
  now_ns_ += ns;
  rounded_now_ns_ = std::llround(now_ns_);
  calls().append_region({rounded_now_ns_, region_, before, false});
}

void Program::ignored(const Fields& line) {
  region(line.word(1), 0);
}

void Program::init(const Fields& line) {
  default_element_ = datatype_bytes(line.size() > kFirst ? kDouble : kByte);
  add(call(Operation::init));
}

void Program::finalize(const Fields& /*line*/) {
  add(call(Operation::finalize));
}

void Program::compute(const Fields& line) {
  region(kTiCompute, computation(line, kFirst));
}

void Program::sleep(const Fields& line) {
  const double seconds = line.number(kFirst);
  if (seconds < 0) throw BadAction{"a time is negative"};
  region(kTiSleep, seconds * 1e9);
}

std::uint32_t Program::start_request(const Requests::Name& name) {
  requests_.start(name, ++started_);
  return started_;
}

void Program::send(const Fields& line) {
  const bool blocking = line.word(1) == "send";
  Call c = call(blocking ? Operation::send : Operation::isend);
  const std::int64_t to = line.integer(kFirst);
  const std::int64_t tag = line.integer(kFirst + 1);
  c.peer = peer(to);
  c.tag = static_cast<std::int32_t>(tag);
  c.bytes = product(line.integer(kFirst + 2), datatype(line, kFirst + 3));
  if (!blocking) c.request = start_request({rank_, to, tag});
  add(c);
}

/// A negative count: the size is found out by a probe first.
void Program::receive(const Fields& line) {
  const bool blocking = line.word(1) == "recv";
  Call c = call(blocking ? Operation::recv : Operation::irecv);
  const std::int64_t from = line.integer(kFirst);
  const std::int64_t tag = line.integer(kFirst + 1);
  c.peer = peer(from);
  c.tag = tag == kAnyTag ? kTagAny : static_cast<std::int32_t>(tag);
  if (c.peer == kPeerAny) c.flags |= SLK_FLAG_ANY_SOURCE;
  if (tag == kAnyTag) c.flags |= SLK_FLAG_ANY_TAG;
  const std::int64_t count = line.integer(kFirst + 2);
  const std::uint32_t element = datatype(line, kFirst + 3);
  if (count < 0) {
    Call probe = c;
    probe.operation = Operation::probe;
    add(probe);
  }
  c.bytes = product(count < 0 ? 0 : count, element);
  if (!blocking) c.request = start_request({from, rank_, tag});
  add(c);
}

void Program::sendrecv(const Fields& line) {
  Call c = call(Operation::sendrecv);
  c.bytes = product(line.integer(kFirst), datatype(line, kFirst + 4));
  c.peer = peer(line.integer(kFirst + 1));
  const std::int32_t from = peer(line.integer(kFirst + 3));
  const std::uint64_t received = product(line.integer(kFirst + 2), datatype(line, kFirst + 5));
  const std::int64_t flags = from == kPeerAny ? SLK_FLAG_ANY_SOURCE : 0;
  counts_ = {from, 0, static_cast<std::int64_t>(received), flags};
  c.args = counts_;
  add(c);
}

void Program::wait(const Fields& line) {
  Call c = call(Operation::wait);
  const auto serial =
      requests_.take({line.integer(kFirst), line.integer(kFirst + 1), line.integer(kFirst + 2)});
  if (!serial) throw BadAction{"waits for a request that was never started"};
  c.request = *serial;
  add(c);
}

/// Whether a test succeeds is for the replay to find out; the request goes to the end of its queue
/// either way.
void Program::test(const Fields& line) {
  Call c = call(Operation::test);
  const Requests::Name name{line.integer(kFirst), line.integer(kFirst + 1),
                            line.integer(kFirst + 2)};
  const auto serial = requests_.take(name);
  if (!serial) throw BadAction{"tests a request that was never started"};
  c.request = *serial;
  c.flags |= SLK_FLAG_FAILED;
  requests_.start(name, c.request);
  counts_ = {1, 0};
  c.args = counts_;
  add(c);
}

void Program::waitall(const Fields& /*line*/) {
  Call c = call(Operation::waitall);
  requests_.take_all(counts_);
  c.args = counts_;
  add(c);
}

void Program::collective(Operation operation, std::uint64_t bytes, std::uint32_t element,
                         std::int64_t root) {
  Call c = call(operation);
  c.bytes = bytes;
  c.tag = static_cast<std::int32_t>(element);
  c.peer = static_cast<std::int32_t>(root);
  c.args = counts_;
  add(c);
}

void Program::barrier(const Fields& /*line*/) {
  collective(Operation::barrier, 0, 0);
}

void Program::bcast(const Fields& line) {
  const std::uint32_t element = datatype(line, kFirst + 2);
  collective(Operation::bcast, product(line.integer(kFirst), element), element,
             root(line, kFirst + 1));
}

void Program::reduce(const Fields& line) {
  const std::uint32_t element = datatype(line, kFirst + 3);
  const double ns = computation(line, kFirst + 1);
  collective(Operation::reduce, product(line.integer(kFirst), element), element,
             root(line, kFirst + 2));
  region(kTiReduction, ns);
}

void Program::reduce_to_all(const Fields& line) {
  const std::string_view name = line.word(1);
  const std::uint32_t element = datatype(line, kFirst + 2);
  const double ns = computation(line, kFirst + 1);
  const Operation operation = name == "allreduce" ? Operation::allreduce
                              : name == "scan"    ? Operation::scan
                                                  : Operation::exscan;
  collective(operation, product(line.integer(kFirst), element), element);
  region(kTiReduction, ns);
}

void Program::alltoall(const Fields& line) {
  const std::uint32_t element = datatype(line, kFirst + 2);
  collective(Operation::alltoall, product(line.integer(kFirst), element), element);
}

std::uint64_t Program::counts(const Fields& line, std::size_t i, std::uint32_t element) {
  if (i + ranks() > line.size()) throw BadField{line.size()};
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < ranks(); ++r) {
    const std::uint64_t bytes = product(line.integer(i + r), element);
    counts_.push_back(static_cast<std::int64_t>(bytes));
    add_saturated(sum, bytes);
  }
  return sum;
}

/// send buffer's size, send counts, receive buffer's size, receive counts, types
void Program::alltoallv(const Fields& line) {
  const std::size_t types = kFirst + 2 + 2 * ranks();
  const std::uint32_t sent = datatype(line, types);
  const std::uint64_t bytes = counts(line, kFirst + 1, sent);
  counts(line, kFirst + 2 + ranks(), datatype(line, types + 1));
  collective(Operation::alltoallv, bytes, sent);
}

void Program::gather_or_scatter(const Fields& line) {
  const bool gather = line.word(1) == "gather";
  const std::uint32_t sent = datatype(line, kFirst + 3);
  const std::uint32_t received = datatype(line, kFirst + 4);
  const std::uint64_t block =
      gather ? product(line.integer(kFirst), sent) : product(line.integer(kFirst + 1), received);
  collective(gather ? Operation::gather : Operation::scatter, block, gather ? sent : received,
             root(line, kFirst + 2));
}

void Program::allgather(const Fields& line) {
  const std::uint32_t element = datatype(line, kFirst + 2);
  collective(Operation::allgather, product(line.integer(kFirst), element), element);
}

/// send count, receive counts, root, types
void Program::gatherv(const Fields& line) {
  const std::size_t at = kFirst + 1 + ranks();
  const std::uint32_t sent = datatype(line, at + 1);
  counts(line, kFirst + 1, datatype(line, at + 2));
  collective(Operation::gatherv, product(line.integer(kFirst), sent), sent, root(line, at));
}

/// send counts, receive count, root, types
void Program::scatterv(const Fields& line) {
  const std::size_t at = kFirst + 1 + ranks();
  const std::uint32_t received = datatype(line, at + 2);
  counts(line, kFirst, datatype(line, at + 1));
  collective(Operation::scatterv, product(line.integer(at - 1), received), received,
             root(line, at));
}

/// send count, receive counts, then types and displacements, displacements only, or types only
void Program::allgatherv(const Fields& line) {
  const std::size_t at = kFirst + 1 + ranks();
  const std::size_t after = line.size() > at ? line.size() - at : 0;
  const bool displacements_only = after > 2 && after <= ranks();
  const std::uint32_t sent = displacements_only ? default_element_ : datatype(line, at);
  const std::uint32_t received = displacements_only ? default_element_ : datatype(line, at + 1);
  counts(line, kFirst + 1, received);
  collective(Operation::allgatherv, product(line.integer(kFirst), sent), sent);
}

void Program::reduce_scatter(const Fields& line) {
  const std::size_t at = kFirst + ranks();
  const std::uint32_t element = datatype(line, at + 1);
  const double ns = computation(line, at);
  counts(line, kFirst, element);
  collective(Operation::reduce_scatter,
             static_cast<std::uint64_t>(counts_[static_cast<std::size_t>(rank_)]), element);
  region(kTiReduction, ns);
}

}  // namespace slackline::ti
