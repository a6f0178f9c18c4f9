#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace slackline {

/// The neighbours of one rank in a neighbourhood collective, as the arguments of its call say
/// (trace/wire.h): pairs of rank and bytes. A record that ends early counts as far as it goes; a
/// rank below 0 is MPI_PROC_NULL. Keeps the arguments' span.
class Neighbourhood {
 public:
  struct Neighbour {
    std::int64_t rank;
    std::int64_t bytes;
  };

  class List {
   public:
    explicit List(std::span<const std::int64_t> pairs) : pairs_(pairs) {}
    std::size_t size() const { return pairs_.size() / 2; }
    Neighbour operator[](std::size_t i) const { return {pairs_[2 * i], pairs_[2 * i + 1]}; }

   private:
    std::span<const std::int64_t> pairs_;
  };

  explicit Neighbourhood(std::span<const std::int64_t> args)
      : out_(take_list(args)), in_(take_list(args)) {
    whole_ = whole_ && args.empty();
  }

  /// Those that the rank sends to.
  List out() const { return List(out_); }
  /// Those that it receives from.
  List in() const { return List(in_); }
  /// Whether the arguments are these two lists.
  bool whole() const { return whole_; }

 private:
  /// Takes one list (n, then n pairs) off the front of `args`.
  std::span<const std::int64_t> take_list(std::span<const std::int64_t>& args) {
    whole_ = whole_ && !args.empty();
    if (args.empty()) return {};
    const auto pairs_there = static_cast<std::int64_t>((args.size() - 1) / 2);
    const std::int64_t listed = std::clamp<std::int64_t>(args.front(), 0, pairs_there);
    whole_ = whole_ && listed == args.front();
    const auto pairs = static_cast<std::size_t>(listed);
    const auto list = args.subspan(1, 2 * pairs);
    args = args.subspan(1 + 2 * pairs);
    return list;
  }

  bool whole_ = true;  // before the lists, as taking them changes it
  std::span<const std::int64_t> out_;
  std::span<const std::int64_t> in_;
};

}  // namespace slackline
