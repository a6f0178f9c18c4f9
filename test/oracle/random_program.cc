// Random MPI programs that cannot deadlock.
//
// The problem: calls drawn at random for each rank alone almost never match.
//
// The idea: draw a sequence of events of the whole machine and append to each rank the calls that
// the event makes there. An event may only contain calls that can complete once all calls of this
// event and of all before it have been posted, for any eager threshold: a blocking send needs its
// receive posted before or in the same event, a wait needs the other side of its request. Then
// performing the events one after the other is an execution, so none of the program's executions
// deadlocks. (MPI's matching does not depend on time here: wildcards are resolved.)
//
// A message needs no name: the k-th send of a channel meets its k-th receive, so counters suffice.

#include "oracle/random_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "base/flat_map.h"

namespace slackline::oracle {

Choices::Choices(std::uint64_t seed, std::size_t count) {
  for (std::size_t i = 1; i <= count; ++i) {
    values_.push_back(static_cast<std::uint32_t>(mix_bits(seed * 0x9e3779b97f4a7c15ull + i) >> 16));
  }
}

namespace {

constexpr std::array<std::int64_t, 8> kGaps_ns{0, 0, 1, 10, 100, 1000, 5000, 40'000};
constexpr std::array<std::uint64_t, 9> kBytes{8, 0, 1, 2, 100, 101, 1000, 4097, 300'000};

struct ChannelName {
  std::int32_t source;
  std::int32_t destination;
  std::uint32_t comm;
  std::int32_t tag;

  auto operator<=>(const ChannelName&) const = default;
};

/// Where a receive was written, so that it can be given its message's size.
struct ReceivePlace {
  std::int32_t rank = -1;
  std::size_t call = 0;
  bool sendrecv = false;
};

struct ProgramChannel {
  std::vector<std::uint64_t> sends;  // sizes
  std::vector<ReceivePlace> receives;
};

struct OpenRequest {
  enum class Kind { send, receive, collective } kind;
  std::uint32_t serial;
  ChannelName channel;
  std::size_t index;  // of the message in its channel; of the nonblocking collective
};

struct NonblockingCollective {
  std::uint32_t comm;
  std::vector<ProgramCall> calls;       // one a member
  std::vector<std::int32_t> missing{};  // members that have not entered it
};

class Generator {
 public:
  Generator(Choices choices, const ProgramShape& shape)
      : choices_(std::move(choices)), shape_(shape) {}

  Program run() {
    begin();
    for (std::size_t i = 0; i < shape_.max_events && !choices_.over(); ++i) event();
    end();
    return std::move(program_);
  }

 private:
  // --- Frame ---

  void begin() {
    const auto ranks = 1 + choices_.below(static_cast<std::uint32_t>(shape_.max_ranks));
    program_.ranks.resize(ranks);
    program_.timed = shape_.timed;
    program_.region_every = shape_.timed ? 1 + choices_.below(4) : 0;
    open_.resize(ranks);
    last_serial_.resize(ranks, 0);
    all_.resize(ranks);
    std::iota(all_.begin(), all_.end(), 0);
    for (std::uint32_t i = 0; i < ranks && shape_.timed; ++i) {
      program_.init_ns.push_back(1000 + 37 * choices_.below(5));
    }
    for (std::uint32_t i = choices_.below(3); i > 0; --i) add_communicator(all_);
    if (!shape_.world_collectives) {
      program_.communicators.push_back({.members = all_, .remote = {}, .name = "all"});
    }
  }

  /// A random part of `of`, in any order.
  std::uint32_t add_communicator(std::vector<std::int32_t> of) {
    for (std::size_t i = of.size(); i > 1; --i) {
      std::swap(of[i - 1], of[choices_.below(static_cast<std::uint32_t>(i))]);
    }
    of.resize(1 + choices_.below(static_cast<std::uint32_t>(of.size())));
    program_.communicators.push_back({.members = std::move(of), .remote = {}, .name = {}});
    return static_cast<std::uint32_t>(program_.communicators.size() + 1);
  }

  void event() {
    if (shape_.synchronised && choices_.one_in(8)) return synchronise();
    switch (choices_.below(shape_.collectives ? 12 : 9)) {
      case 0:
        return exchange();
      case 1:
        return post_send(random_channel());
      case 2:
        return post_receive(random_channel());
      case 3:
        return blocking_pair();
      case 4:
        return send_to_waiting_receive();
      case 5:
        return receive_waiting_send();
      case 6:
      case 7:
        return complete(random_rank());
      case 8:
        return small_call(random_rank());
      case 9:
        return collective();
      case 10:
        return nonblocking_collective();
      default:
        return enter_some_collective();
    }
  }

  /// Everything that was begun has its other side.
  void settle() {
    for (auto& c : nonblocking_) enter_all(c);
    for (const auto& [name, c] : channels_) balance(name);
  }

  void synchronise() {
    settle();
    const bool leave_open = choices_.one_in(3);
    for (std::int32_t r = 0; r < program_.size() && !leave_open; ++r) {
      complete_with(r, Operation::waitall, open(r).size());
    }
    const Operation operation =
        choices_.element(std::array{Operation::barrier, Operation::allreduce});
    const std::uint64_t bytes = operation == Operation::barrier ? 0 : 8;
    for (std::int32_t r = 0; r < program_.size(); ++r) {
      write(r, Call{.operation = operation, .bytes = bytes, .comm = kCommWorld}, {});
    }
  }

  void end() {
    settle();
    for (std::int32_t r = 0; r < program_.size(); ++r) {
      if (!choices_.one_in(3)) complete_with(r, Operation::waitall, open(r).size());
      program_.tails_ns.push_back(choices_.element(kGaps_ns));
    }
    give_receives_their_sizes();
  }

  void give_receives_their_sizes() {
    for (const auto& [name, c] : channels_) {
      for (std::size_t k = 0; k < c.receives.size(); ++k) {
        const ReceivePlace& place = c.receives[k];
        if (place.rank < 0) continue;
        ProgramCall& call = program_.ranks[index(place.rank)][place.call];
        if (place.sendrecv) {
          call.args[2] = static_cast<std::int64_t>(c.sends[k]);
        } else {
          call.call.bytes = c.sends[k];
        }
      }
    }
  }

  // --- Writing calls ---

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  std::vector<OpenRequest>& open(std::int32_t rank) { return open_[index(rank)]; }
  std::int32_t random_rank() { return choices_.element(all_); }

  ProgramCall& write(std::int32_t rank, Call call, std::vector<std::int64_t> args = {}) {
    auto& calls = program_.ranks[index(rank)];
    calls.push_back({.call = call,
                     .args = std::move(args),
                     .gap_ns = choices_.element(kGaps_ns),
                     .duration_ns = shape_.timed ? 3 + 50 * choices_.below(9) : 0});
    return calls.back();
  }

  std::uint32_t new_serial(std::int32_t rank) { return ++last_serial_[index(rank)]; }

  ChannelName random_channel() {
    std::uint32_t comm = kCommWorld;
    const auto comms = static_cast<std::uint32_t>(program_.communicators.size());
    if (comms > 0 && choices_.one_in(3)) comm = 2 + choices_.below(comms);
    const auto& members = comm == kCommWorld ? all_ : program_.communicators[comm - 2].members;
    return {choices_.element(members), choices_.element(members), comm,
            static_cast<std::int32_t>(choices_.below(3))};
  }

  std::uint8_t wildcards() {
    const std::uint32_t w = choices_.below(6);
    return static_cast<std::uint8_t>(w > 3 ? 0 : w);  // any source 1, any tag 2
  }

  Call send_call(const ChannelName& name, Operation operation) {
    const std::uint64_t bytes = choices_.element(kBytes);
    channels_[name].sends.push_back(bytes);
    return Call{.operation = operation,
                .bytes = bytes,
                .peer = name.destination,
                .tag = name.tag,
                .comm = name.comm};
  }

  Call receive_call(const ChannelName& name, Operation operation) {
    channels_[name].receives.push_back(
        {name.destination, program_.ranks[index(name.destination)].size(), false});
    return Call{.operation = operation,
                .flags = wildcards(),
                .peer = name.source,
                .tag = name.tag,
                .comm = name.comm};
  }

  // --- Point-to-point events ---

  void post_send(const ChannelName& name) {
    const std::uint32_t serial = new_serial(name.source);
    open(name.source)
        .push_back({OpenRequest::Kind::send, serial, name, channels_[name].sends.size()});
    static constexpr std::array kModes{Operation::isend, Operation::isend, Operation::issend,
                                       Operation::ibsend};
    static constexpr std::array kInits{Operation::send_init, Operation::ssend_init,
                                       Operation::bsend_init, Operation::rsend_init};
    if (!choices_.one_in(4)) {
      Call call = send_call(name, choices_.element(kModes));
      call.request = serial;
      write(name.source, call);
      return;
    }
    const Call call = send_call(name, Operation::none);
    write(name.source, Call{.operation = Operation::startall},
          {serial, static_cast<std::int64_t>(choices_.element(kInits)), name.destination, name.tag,
           static_cast<std::int64_t>(call.bytes), name.comm});
  }

  void post_receive(const ChannelName& name) {
    const std::uint32_t serial = new_serial(name.destination);
    open(name.destination)
        .push_back({OpenRequest::Kind::receive, serial, name, channels_[name].receives.size()});
    if (!choices_.one_in(4)) {
      Call call = receive_call(name, Operation::irecv);
      call.request = serial;
      write(name.destination, call);
      return;
    }
    channels_[name].receives.push_back({});
    write(name.destination, Call{.operation = Operation::start},
          {serial, static_cast<std::int64_t>(Operation::recv_init), name.source, name.tag, 0,
           name.comm});
  }

  /// Both sides have posted as many.
  void balance(const ChannelName& name) {
    while (channels_[name].sends.size() < channels_[name].receives.size()) post_send(name);
    while (channels_[name].receives.size() < channels_[name].sends.size()) post_receive(name);
  }

  void blocking_send(const ChannelName& name) {
    static constexpr std::array kModes{Operation::send, Operation::send, Operation::ssend,
                                       Operation::bsend, Operation::rsend};
    write(name.source, send_call(name, choices_.element(kModes)));
  }

  /// A receive, perhaps after the probe that found its message.
  void blocking_receive(const ChannelName& name) {
    const std::uint32_t kind = choices_.below(4);
    if (kind == 1 || kind == 2) {
      write(name.destination, Call{.operation = kind == 1 ? Operation::probe : Operation::mprobe,
                                   .flags = wildcards(),
                                   .peer = name.source,
                                   .tag = name.tag,
                                   .comm = name.comm});
    }
    write(name.destination, receive_call(name, kind == 2 ? Operation::mrecv : Operation::recv));
  }

  void blocking_pair() {
    const ChannelName name = random_channel();
    balance(name);
    if (name.source == name.destination) return;
    if (choices_.one_in(4)) {
      post_receive(name);
      return blocking_send(name);
    }
    blocking_send(name);
    blocking_receive(name);
  }

  /// A blocking send where a receive is posted already.
  void send_to_waiting_receive() {
    for (const auto& [name, c] : channels_) {
      if (c.receives.size() > c.sends.size()) return blocking_send(name);
    }
  }

  /// A blocking receive, or a probe, where a send is posted already.
  void receive_waiting_send() {
    for (const auto& [name, c] : channels_) {
      if (c.sends.size() <= c.receives.size()) continue;
      if (!choices_.one_in(3)) return blocking_receive(name);
      write(name.destination, Call{.operation = Operation::iprobe,
                                   .peer = name.source,
                                   .tag = name.tag,
                                   .comm = name.comm});
      return;
    }
  }

  /// Some ranks in a ring exchange by sendrecv.
  void exchange() {
    const std::int32_t first = random_rank();
    const auto length = 1 + choices_.below(std::min<std::uint32_t>(4, rank_count()));
    const auto tag = static_cast<std::int32_t>(choices_.below(3));
    const auto member = [&](std::uint32_t i) {
      return static_cast<std::int32_t>((static_cast<std::uint32_t>(first) + i % length) %
                                       rank_count());
    };
    const auto to_next = [&](std::uint32_t i) {
      return ChannelName{member(i), member(i + 1), kCommWorld, tag};
    };
    for (std::uint32_t i = 0; i < length; ++i) balance(to_next(i));
    for (std::uint32_t i = 0; i < length; ++i) {
      const ChannelName from = to_next(i + length - 1);
      const std::size_t at = program_.ranks[index(member(i))].size();
      channels_[from].receives.push_back({member(i), at, true});
      write(member(i),
            send_call(to_next(i),
                      choices_.one_in(3) ? Operation::sendrecv_replace : Operation::sendrecv),
            {from.source, tag, 0, wildcards()});
    }
  }

  std::uint32_t rank_count() const { return static_cast<std::uint32_t>(program_.ranks.size()); }

  // --- Completion ---

  bool completable(const OpenRequest& r) const {
    if (r.kind == OpenRequest::Kind::collective) return nonblocking_[r.index].missing.empty();
    const ProgramChannel& c = channels_.at(r.channel);
    return r.index < (r.kind == OpenRequest::Kind::send ? c.receives.size() : c.sends.size());
  }

  void complete(std::int32_t rank) {
    static constexpr std::array kOne{Operation::wait, Operation::waitany, Operation::test,
                                     Operation::testany};
    static constexpr std::array kMany{Operation::waitall, Operation::waitsome, Operation::testall,
                                      Operation::testsome};
    if (choices_.one_in(4)) {
      static constexpr std::array kPolls{Operation::test, Operation::testany, Operation::testall};
      write(rank, Call{.operation = choices_.element(kPolls), .flags = SLK_FLAG_FAILED}, {3, 120});
    }
    if (open(rank).size() > 1 && choices_.one_in(2)) {
      const auto most = static_cast<std::uint32_t>(open(rank).size());
      return complete_with(rank, choices_.element(kMany), 1 + choices_.below(most));
    }
    complete_with(rank, choices_.element(kOne), 1);
  }

  /// Takes up to `count` requests that can complete, from a random place on.
  void complete_with(std::int32_t rank, Operation operation, std::size_t count) {
    auto& requests = open(rank);
    if (requests.empty()) return;
    std::vector<std::int64_t> serials;
    const std::size_t begin = choices_.below(static_cast<std::uint32_t>(requests.size()));
    std::ranges::rotate(requests, requests.begin() + static_cast<std::ptrdiff_t>(begin));
    std::erase_if(requests, [&](const OpenRequest& r) {
      if (serials.size() == count || !completable(r)) return false;
      serials.push_back(r.serial);
      return true;
    });
    if (serials.empty()) return;
    const bool single = operation == Operation::wait || operation == Operation::waitany ||
                        operation == Operation::test || operation == Operation::testany;
    Call call{.operation = operation};
    if (single) {
      call.request = static_cast<std::uint32_t>(serials[0]);
      serials.clear();
    }
    write(rank, call, std::move(serials));
  }

  /// Calls without a partner.
  void small_call(std::int32_t rank) {
    switch (choices_.below(7)) {
      case 0:
        write(rank, Call{.operation = Operation::pack});
        return;
      case 1:
        write(rank, Call{.operation = Operation::send, .bytes = 8, .peer = kPeerNull});
        return;
      case 2:
        write(rank,
              Call{.operation = Operation::irecv, .peer = kPeerNull, .request = new_serial(rank)});
        return;
      case 3:
        write(rank,
              Call{.operation = Operation::iprobe, .flags = SLK_FLAG_FAILED, .peer = kPeerAny},
              {5, 700});
        return;
      case 4:
        write(rank, Call{.operation = Operation::irecv,
                         .flags = SLK_FLAG_CANCELLED | SLK_FLAG_ANY_SOURCE,
                         .peer = kPeerAny,
                         .request = new_serial(rank)});
        write(rank, Call{.operation = Operation::cancel, .request = last_serial_[index(rank)]});
        write(rank, Call{.operation = Operation::wait, .request = last_serial_[index(rank)]});
        return;
      case 5:
        return free_request(rank);
      default:
        write(rank,
              Call{.operation = Operation::recv_init, .peer = rank, .request = new_serial(rank)});
        return;
    }
  }

  void free_request(std::int32_t rank) {
    const auto found = std::ranges::find_if(open(rank), [&](const OpenRequest& r) {
      return r.kind != OpenRequest::Kind::collective && completable(r);
    });
    if (found == open(rank).end()) return;
    write(rank, Call{.operation = Operation::request_free, .request = found->serial});
    open(rank).erase(found);
  }

  // --- Collectives ---

  std::uint32_t random_communicator() {
    const auto comms = static_cast<std::uint32_t>(program_.communicators.size());
    if (shape_.world_collectives && choices_.below(comms + 1) == 0) return kCommWorld;
    return comms == 0 ? kCommWorld : 2 + choices_.below(comms);
  }

  const std::vector<std::int32_t>& members_of(std::uint32_t comm) const {
    return comm == kCommWorld ? all_ : program_.communicators[comm - 2].members;
  }

  /// What each member of `comm` calls.
  std::vector<ProgramCall> collective_calls(std::uint32_t comm) {
    static constexpr std::array kOperations{Operation::barrier,
                                            Operation::bcast,
                                            Operation::reduce,
                                            Operation::allreduce,
                                            Operation::gather,
                                            Operation::gatherv,
                                            Operation::scatter,
                                            Operation::scatterv,
                                            Operation::allgather,
                                            Operation::allgatherv,
                                            Operation::alltoall,
                                            Operation::alltoallv,
                                            Operation::alltoallw,
                                            Operation::reduce_scatter,
                                            Operation::scan,
                                            Operation::exscan,
                                            Operation::reduce_scatter_block};
    const Operation op = choices_.element(kOperations);
    const std::vector<std::int32_t> members = members_of(comm);
    const std::size_t n = members.size();
    const bool rooted = op == Operation::bcast || op == Operation::reduce ||
                        op == Operation::gather || op == Operation::gatherv ||
                        op == Operation::scatter || op == Operation::scatterv;
    const std::int32_t root = rooted ? choices_.element(members) : kPeerNone;
    const std::int32_t element = 1 << choices_.below(4);
    const std::uint64_t bytes = op == Operation::barrier ? 0 : 8 * choices_.element(kBytes);
    std::vector<std::int64_t> sizes;  // v-forms: n, or n * n
    const bool to_each = op == Operation::alltoallv || op == Operation::alltoallw;
    const bool varies = to_each || op == Operation::gatherv || op == Operation::scatterv ||
                        op == Operation::allgatherv || op == Operation::reduce_scatter;
    for (std::size_t i = 0; varies && i < (to_each ? n * n : n); ++i) {
      sizes.push_back(8 * choices_.element(std::array{0, 1, 13, 200}));
    }
    const bool at_root_only = op == Operation::gatherv || op == Operation::scatterv;
    std::vector<ProgramCall> calls;
    for (std::size_t i = 0; i < n; ++i) {
      ProgramCall c;
      c.call = Call{.operation = op, .bytes = bytes, .peer = root, .tag = element, .comm = comm};
      if (to_each) {
        for (std::size_t j = 0; j < n; ++j) c.args.push_back(sizes[i * n + j]);
        for (std::size_t j = 0; j < n; ++j) c.args.push_back(sizes[j * n + i]);
      } else if (varies) {
        c.call.bytes = static_cast<std::uint64_t>(sizes[i]);
        if (!at_root_only || members[i] == root) c.args = sizes;
      }
      calls.push_back(std::move(c));
    }
    return calls;
  }

  void write_collective(std::uint32_t comm, const std::vector<ProgramCall>& calls) {
    const std::vector<std::int32_t> members = members_of(comm);
    for (std::size_t i = 0; i < members.size(); ++i) {
      write(members[i], calls[i].call, calls[i].args);
    }
  }

  void collective() {
    const std::uint32_t comm = random_communicator();
    if (comm == kCommWorld && !shape_.world_collectives) return;
    for (auto& c : nonblocking_) {
      if (c.comm == comm) enter_all(c);
    }
    if (!choices_.one_in(5)) return write_collective(comm, collective_calls(comm));
    // Communicator creation is a collective too.
    const std::vector<std::int32_t> parents = members_of(comm);
    const std::uint32_t created = add_communicator(parents);
    const auto& inside = members_of(created);
    std::vector<ProgramCall> calls(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const bool in = std::ranges::find(inside, parents[i]) != inside.end();
      calls[i].call = Call{.operation = Operation::comm_split, .comm = comm};
      calls[i].args = {in ? created : kCommNull};
    }
    write_collective(comm, calls);
  }

  void nonblocking_collective() {
    const std::uint32_t comm = random_communicator();
    if (comm == kCommWorld && !shape_.world_collectives) return;
    for (auto& c : nonblocking_) {
      if (c.comm == comm) enter_all(c);
    }
    NonblockingCollective fresh{comm, collective_calls(comm), members_of(comm)};
    constexpr int kDistance =
        static_cast<int>(Operation::ibarrier) - static_cast<int>(Operation::barrier);
    for (ProgramCall& c : fresh.calls) {
      c.call.operation = static_cast<Operation>(static_cast<int>(c.call.operation) + kDistance);
    }
    nonblocking_.push_back(std::move(fresh));
    enter(nonblocking_.back(), 0);
  }

  /// The k-th of the missing members enters.
  void enter(NonblockingCollective& c, std::size_t k) {
    const std::int32_t rank = c.missing[k];
    c.missing.erase(c.missing.begin() + static_cast<std::ptrdiff_t>(k));
    const auto& members = members_of(c.comm);
    const auto place = std::ranges::find(members, rank) - members.begin();
    const ProgramCall& prepared = c.calls[static_cast<std::size_t>(place)];
    Call call = prepared.call;
    call.request = new_serial(rank);
    open(rank).push_back({OpenRequest::Kind::collective,
                          call.request,
                          {},
                          static_cast<std::size_t>(&c - nonblocking_.data())});
    write(rank, call, prepared.args);
  }

  void enter_all(NonblockingCollective& c) {
    while (!c.missing.empty()) enter(c, 0);
  }

  void enter_some_collective() {
    for (auto& c : nonblocking_) {
      if (c.missing.empty()) continue;
      return enter(c, choices_.below(static_cast<std::uint32_t>(c.missing.size())));
    }
  }

  Choices choices_;
  ProgramShape shape_;
  Program program_;
  std::vector<std::int32_t> all_;
  std::map<ChannelName, ProgramChannel> channels_;
  std::vector<std::vector<OpenRequest>> open_;
  std::vector<std::uint32_t> last_serial_;
  std::vector<NonblockingCollective> nonblocking_;
};

}  // namespace

Program random_program(Choices choices, const ProgramShape& shape) {
  return Generator(std::move(choices), shape).run();
}

}  // namespace slackline::oracle
