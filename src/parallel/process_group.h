#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/findings.h"

namespace slackline {

using Bytes = std::vector<std::byte>;

/// What a process has exchanged with others so far.
struct ProcessTraffic {
  std::uint64_t exchanges = 0;
  std::uint64_t bytes_sent = 0;  ///< to other processes
};

/// The processes that work on one command together. All of them make the same exchanges in the same
/// order; one that cannot go on says so instead, and then the exchange of each of the others throws
/// PeerFailed.
class ProcessGroup {
 public:
  ProcessGroup() = default;
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The one that prints.
  bool is_first() const { return rank() == 0; }

  /// Gives to_each[p] to process p and returns what each process gave to this one. Waits for all;
  /// who waits sleeps. Throws PeerFailed.
  std::vector<Bytes> exchange(std::vector<Bytes> to_each);
  /// Gives the same bytes to all, returns those of each.
  std::vector<Bytes> exchange_with_all(const Bytes& mine);
  /// Gives the first process's bytes to all; what others pass is not looked at.
  Bytes broadcast(Bytes of_first);
  /// Takes part in the exchange that the others are in, or come to next, by making it fail.
  void fail();

  const ProcessTraffic& traffic() const { return traffic_; }

  /// The first process does the work of all, because of `why` ("the trace has OpenMP regions"), for
  /// whoever tells the user.
  void set_unshared(std::string why) { unshared_ = std::move(why); }
  /// Empty where they have shared it, as far as was said.
  const std::string& unshared() const { return unshared_; }

 protected:
  /// An exchange; of a process that fails `to_each` is null. Empty if any process fails.
  virtual std::optional<std::vector<Bytes>> attempt(std::vector<Bytes>* to_each) = 0;

 private:
  ProcessTraffic traffic_;
  std::string unshared_;
};

/// Values as they are exchanged.
template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}
inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
inline std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The values that each process has sent, one process after the other.
template <class T>
std::vector<T> values_of(const std::vector<Bytes>& from_each) {
  std::vector<T> all;
  for (const Bytes& of : from_each) {
    const std::size_t before = all.size();
    all.resize(before + of.size() / sizeof(T));
    if (!of.empty()) std::memcpy(all.data() + before, of.data(), of.size());
  }
  return all;
}

/// Values of all processes, those of the first one first.
template <class T>
std::vector<T> gather_all(ProcessGroup& group, const std::vector<T>& mine) {
  return values_of<T>(group.exchange_with_all(bytes_of(mine)));
}

/// The same of values of any length.
std::vector<Bytes> gather_all(ProcessGroup& group, const std::vector<Bytes>& mine);

/// As gather_all() in the first process; nothing in the others.
template <class T>
std::vector<T> gather_in_first(ProcessGroup& group, const std::vector<T>& mine) {
  std::vector<Bytes> to_each(static_cast<std::size_t>(group.size()));
  to_each.front() = bytes_of(mine);
  return values_of<T>(group.exchange(std::move(to_each)));
}

/// Whether it is true in all processes.
inline bool true_in_all(ProcessGroup& group, bool mine) {
  const std::vector<char> all = gather_all(group, std::vector<char>{mine ? '\1' : '\0'});
  return std::ranges::find(all, '\0') == all.end();
}

/// Another process cannot go on. Not for analyses to catch: what went wrong is said by whoever
/// started the work (agree_on_outcome()).
class PeerFailed : public std::exception {
 public:
  const char* what() const noexcept override { return "another process failed"; }
};

/// A process alone.
class SingleProcess : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

 protected:
  std::optional<std::vector<Bytes>> attempt(std::vector<Bytes>* to_each) override;
};

/// This process alone, for work that is not shared between processes. One object per thread, which
/// lasts as long as the thread.
ProcessGroup& this_process();

/// How a command ended in a process.
struct Outcome {
  enum class Kind : unsigned char {
    finished,
    failed,       ///< `message` says why
    peer_failed,  ///< it was ended by PeerFailed
  };
  Kind kind = Kind::finished;
  int exit_status = 0;
  std::string message{};  ///< for standard error; may be empty
};

/// What the command as a whole came to: that of the first process, or, where some failed, that of
/// the lowest of these. All processes call it once, at the end of their work wherever that was, and
/// get the same answer; who has nothing to do sleeps here.
Outcome agree_on_outcome(ProcessGroup& group, const Outcome& mine);

/// What all processes have found, in all of them: that of the first one first. All call it
/// together.
Findings findings_of_all(ProcessGroup& group, const Findings& mine);

}  // namespace slackline
