#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PERSISTENT_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PERSISTENT_H

#include <cstdlib>

#include "hooks/partitions.h"
#include "hooks/point_to_point.h"

namespace slackline::record {

inline constexpr std::size_t kStartGroup = 5;

/// The request of a persistent collective, and the nonblocking operation that each start performs.
template <class Requests>
struct Persistent {
  std::uint8_t started;
  Requests requests;
};
template <class Requests>
Persistent<Requests> persistent(std::uint8_t started, const Requests& requests) {
  return {started, requests};
}

/// What the start of a persistent collective does: the record and arguments of its nonblocking
/// form.
struct CollectivePlan {
  slk_record record;
  std::uint32_t number;  // among the communicator's persistent collectives
  std::size_t n_args;
  std::int64_t args[1];  // n_args of them
};

/// Remembers the request that the call just returned. Its entry holds the plan's address, which is
/// kept until the end: programs make few of them.
template <class Requests, class At>
void remember_plan(const Requests& requests, const slk_record& record, Communicator* comm,
                   std::size_t n, At at) {
  auto* plan =
      static_cast<CollectivePlan*>(std::malloc(sizeof(CollectivePlan) + n * sizeof(std::int64_t)));
  if (plan == nullptr) return;
  plan->record = record;
  plan->number = comm != nullptr ? comm->persistent_collectives++ : 0;
  plan->n_args = n;
  for (std::size_t i = 0; i < n; ++i) plan->args[i] = at(i);
  Request entry;
  entry.init_op = record.op;
  entry.planned = true;
  entry.comm = record.comm;
  entry.bytes = reinterpret_cast<std::uint64_t>(plan);
  remember(requests, entry);
}

inline const CollectivePlan* plan_of(const Request& r) {
  return r.serial != 0 && r.planned ? reinterpret_cast<const CollectivePlan*>(r.bytes) : nullptr;
}

/// Writes the collective that is about to be started; the call that starts it comes after it and
/// has the time. False if the request is none of a persistent collective.
inline bool write_planned(Thread& t, const Request& started) {
  const CollectivePlan* plan = plan_of(started);
  if (plan == nullptr || process.paused) return plan != nullptr;
  slk_record record = plan->record;
  record.begin_ns = record.end_ns = now_ns();
  record.request = started.serial;
  t.write(record, plan->args, plan->n_args);
  slk_record which{};
  which.op = SLK_REC_PERSISTENT;
  which.begin_ns = which.end_ns = record.begin_ns;
  which.bytes = plan->number;
  which.peer = SLK_PEER_NONE;
  which.comm = record.comm;
  which.request = started.serial;
  t.write(which, nullptr, 0);
  return true;
}

/// Gives request i its serial for this start. A copy of the entry; serial 0 if it is unknown.
template <class Requests>
Request activate(const Requests& requests, int i) {
  const MPI_Request handle = requests.get(i);
  if (handle == MPI_REQUEST_NULL) return {};
  const Lock lock;
  Request* found = process.requests.find(handle_bits(handle), requests.address(i));
  if (found == nullptr || found->init_op == 0) return {};
  found->serial = new_serial();
  found->active = true;
  return *found;
}

/// The same; serial 0 also where another record tells of the start.
template <class Requests>
Request started_now(Thread& t, const Requests& requests, int i) {
  Request started = activate(requests, i);
  if (write_planned(t, started) || hold_back(started, requests.get(i))) started.serial = 0;
  return started;
}

inline void put_group(std::int64_t* out, const Request& r) {
  out[0] = r.serial;
  out[1] = r.init_op;
  out[2] = r.peer;
  out[3] = r.tag;
  out[4] = static_cast<std::int64_t>(r.bytes);
}

/// The call that starts this request; serial 0: nothing to record.
template <class Call>
int start_one(Thread& t, std::uint8_t op, const Request& started, Call call) {
  slk_record* r = t.open(op);
  r->comm = started.comm;
  r->flags = started.flags;
  const int rc = measured(t, call);
  std::int64_t group[kStartGroup];
  put_group(group, started);
  t.close_with(started.serial != 0 ? kStartGroup : 0, [&](std::size_t i) { return group[i]; });
  return rc;
}

template <class Requests, class Call>
int start(Thread& t, std::uint8_t op, Requests requests, Call call) {
  return start_one(t, op, started_now(t, requests, 0), call);
}

/// Closes the open record with the groups of all that share the first one's communicator, and
/// takes those off the list.
inline void write_groups(Thread& t, Request* started, std::size_t count) {
  const std::uint32_t comm = started[0].comm;
  slk_record* r = t.record();
  r->comm = comm;
  r->flags = started[0].flags;
  std::size_t same = 0;
  for (std::size_t i = 0; i < count; ++i) same += started[i].serial != 0 && started[i].comm == comm;
  std::size_t at = 0;
  std::int64_t group[kStartGroup];
  t.close_with(same * kStartGroup, [&](std::size_t i) {
    if (i % kStartGroup == 0) {
      while (started[at].serial == 0 || started[at].comm != comm) ++at;
      put_group(group, started[at]);
      started[at].serial = 0;
    }
    return group[i % kStartGroup];
  });
}

/// Requests of several communicators may be started at once, but a record speaks of one. The
/// first record is the call's; the others follow it, begin when it ends and last no time.
template <class Requests, class Call>
int startall(Thread& t, std::uint8_t op, int n, Requests requests, Call call) {
  const std::size_t count = n > 0 ? static_cast<std::size_t>(n) : 0;
  auto* started = static_cast<Request*>(std::calloc(count + 1, sizeof(Request)));
  for (std::size_t i = 0; started != nullptr && i < count; ++i) {
    started[i] = started_now(t, requests, static_cast<int>(i));
  }
  t.open(op);
  const int rc = measured(t, call);
  bool first = true;
  for (std::size_t i = 0; started != nullptr && i < count; ++i) {
    if (started[i].serial == 0) continue;
    if (!first) {
      const std::uint64_t at = t.end_ns();
      t.open(op);
      t.set_times(at, at);
    }
    write_groups(t, started + i, count - i);
    first = false;
  }
  if (first) t.close();
  std::free(started);
  return rc;
}

}  // namespace slackline::record

#endif
