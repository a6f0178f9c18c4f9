#pragma once

#include <array>
#include <cstdint>

namespace slackline {

/// Calls of one operation at one place of the program, without their waiting: is their time
/// explained by their number and size?
class CallSum {
 public:
  /// `time_ns` without waiting; of it `unknown_ns` in a call of which waiting is not known.
  void add(double time_ns, std::uint64_t bytes, double unknown_ns);

  std::uint64_t calls() const { return calls_; }
  std::uint64_t bytes() const { return bytes_; }
  double ns() const { return ns_; }
  double unknown_ns() const { return unknown_ns_; }

  /// What the calls take at most in a library and on a network of usual speed, in ns.
  double explained_ns() const;
  /// Whether most of the time is in few calls that take far longer than the median.
  bool few_are_long() const;

 private:
  static constexpr std::size_t kLengths = 48;

  std::uint64_t calls_ = 0;
  std::uint64_t bytes_ = 0;
  double ns_ = 0;
  double unknown_ns_ = 0;
  // By the number of bits of a call's time over what its size explains.
  std::array<std::uint32_t, kLengths> calls_by_length_{};
  std::array<double, kLengths> ns_by_length_{};
};

}  // namespace slackline
