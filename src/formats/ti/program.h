#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/ti/fields.h"
#include "formats/ti/requests.h"
#include "trace/trace_builder.h"

namespace slackline::ti {

/// What an action says that cannot be used.
struct BadAction {
  std::string_view why;
};

/// The other rank of a message or a root is none of the trace's.
struct NoSuchRank : BadAction {
  explicit NoSuchRank(std::int64_t number) : BadAction{"no such rank"}, rank(number) {}
  std::int64_t rank;
};

/// Turns the actions of one rank into its calls.
class Program {
 public:
  Program(TraceBuilder& trace, std::int32_t rank) : trace_(trace), rank_(rank) {}

  /// Appends what the line's action does. Throws BadField or BadAction; nothing is appended then.
  void append(const Fields& line);
  /// Makes room for this many.
  void reserve(std::size_t calls, std::size_t computations);
  static bool knows(std::string_view action) { return find(action) != nullptr; }

 private:
  using Handler = void (Program::*)(const Fields&);
  struct Entry;
  static const Entry* find(std::string_view action);

  void ignored(const Fields& line);
  void init(const Fields& line);
  void finalize(const Fields& line);
  void compute(const Fields& line);
  void sleep(const Fields& line);
  void send(const Fields& line);
  void receive(const Fields& line);
  void sendrecv(const Fields& line);
  void wait(const Fields& line);
  void test(const Fields& line);
  void waitall(const Fields& line);
  void barrier(const Fields& line);
  void bcast(const Fields& line);
  void reduce(const Fields& line);
  void reduce_to_all(const Fields& line);
  void alltoall(const Fields& line);
  void alltoallv(const Fields& line);
  void gather_or_scatter(const Fields& line);
  void allgather(const Fields& line);
  void gatherv(const Fields& line);
  void scatterv(const Fields& line);
  void allgatherv(const Fields& line);
  void reduce_scatter(const Fields& line);

  Call call(Operation operation) const;
  void add(const Call& call) { calls().append(call); }
  void collective(Operation operation, std::uint64_t bytes, std::uint32_t element,
                  std::int64_t root = kPeerNone);
  void expect_time(double ns) const;
  double computation(const Fields& line, std::size_t i) const;
  void region(std::string_view name, double ns);
  RankCallsBuilder& calls() { return trace_.calls(rank_); }
  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }
  std::uint32_t datatype(const Fields& line, std::size_t i) const;
  std::int32_t peer(std::int64_t rank) const;
  std::int64_t root(const Fields& line, std::size_t i) const;
  /// `ranks()` counts from field `i` on, in bytes, after what is in `counts_`.
  std::uint64_t counts(const Fields& line, std::size_t i, std::uint32_t element);
  std::uint32_t start_request(const Requests::Name& name);

  TraceBuilder& trace_;
  std::int32_t rank_;
  double now_ns_ = 0;  // not rounded: the sum is exact where each part is
  std::int64_t rounded_now_ns_ = 0;
  std::uint32_t default_element_ = datatype_bytes(kByte);
  Requests requests_{};
  std::uint32_t started_ = 0;  ///< requests so far
  std::string_view region_name_{};
  std::uint32_t region_ = 0;  ///< of that name, which most often is the next one's too
  std::vector<std::int64_t> counts_{};
};

}  // namespace slackline::ti
