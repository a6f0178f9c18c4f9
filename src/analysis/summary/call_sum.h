#pragma once

#include <array>
#include <cstdint>

namespace slackline {

/// Messages, or parts in collectives, and their bytes.
struct CallVolume {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Calls of one operation at one place of the program, without their waiting: is their time
/// explained by the number and size of their messages?
class CallSum {
 public:
  /// `time_ns` without waiting; of it `unknown_ns` in a call of which waiting is not known.
  void add(double time_ns, const CallVolume& volume, double unknown_ns);

  std::uint64_t calls() const { return calls_; }
  std::uint64_t messages() const { return volume_.messages; }
  std::uint64_t bytes() const { return volume_.bytes; }
  double ns() const { return ns_; }
  /// Whether their number costs, not their size: calls cost something without a message, too.
  bool is_small() const;
  double unknown_ns() const { return unknown_ns_; }

  /// What the messages take at most in a library and on a network of usual speed, in ns.
  double explained_ns() const;
  /// Calls that take far longer than the median and than their size explains, if they are few but
  /// have much of the time.
  struct Exceptional {
    std::uint64_t calls = 0;
    double ns = 0;
  };
  Exceptional exceptional() const;
  /// Whether a call is one of these, where there are any.
  bool is_exceptional(double time_ns, const CallVolume& volume) const;

 private:
  static constexpr std::size_t kLengths = 48;

  /// The number of bits from which on calls are far longer.
  std::size_t far_longer() const;

  std::uint64_t calls_ = 0;
  CallVolume volume_;
  double ns_ = 0;
  double unknown_ns_ = 0;
  // By the number of bits of a call's time over what its size explains.
  std::array<std::uint32_t, kLengths> calls_by_length_{};
  std::array<double, kLengths> ns_by_length_{};
};

}  // namespace slackline
