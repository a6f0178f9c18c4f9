#include "parallel/launched_process.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "parallel/process_interface.h"

namespace slackline {
namespace {

/// No exit status can be agreed on with a process that has ended.
[[noreturn]] void end_process() {
  std::fputs("slackline: cannot go on: another process of the analysis has ended\n", stderr);
  remove_temporaries();
  _exit(1);
}

class RelayedProcesses : public ProcessGroup {
 public:
  explicit RelayedProcesses(const LaunchedProcess& me) : me_(me) {}
  ~RelayedProcesses() override { ::close(me_.relay); }
  int rank() const override { return me_.rank; }
  int size() const override { return me_.size; }

 protected:
  std::optional<std::vector<Bytes>> attempt(std::vector<Bytes>* to_each) override {
    const auto count = static_cast<std::size_t>(size());
    std::vector<std::int64_t> sizes(count, SLK_RELAY_FAILED);
    if (to_each != nullptr) std::ranges::transform(*to_each, sizes.begin(), size_of);
    move_all(::write, sizes.data(), count * sizeof(std::int64_t));
    for (std::size_t p = 0; to_each != nullptr && p < count; ++p) {
      if (p != self()) move_all(::write, (*to_each)[p].data(), (*to_each)[p].size());
    }
    move_all(::read, sizes.data(), count * sizeof(std::int64_t));
    if (sizes[self()] == SLK_RELAY_GONE) end_process();
    if (sizes[self()] < 0) return std::nullopt;
    std::vector<Bytes> from_each(count);
    for (std::size_t p = 0; p < count; ++p) {
      if (p == self()) {
        from_each[p] = std::move((*to_each)[p]);
        continue;
      }
      from_each[p].resize(static_cast<std::size_t>(sizes[p]));
      move_all(::read, from_each[p].data(), from_each[p].size());
    }
    return from_each;
  }

 private:
  static std::int64_t size_of(const Bytes& bytes) {
    return static_cast<std::int64_t>(bytes.size());
  }
  std::size_t self() const { return static_cast<std::size_t>(rank()); }

  /// Reads or writes all of it. The rank at the other end may have been killed.
  template <class Move, class T>
  void move_all(Move move, T* data, std::size_t bytes) const {
    auto* at = reinterpret_cast<std::byte*>(data);
    while (bytes > 0) {
      const ssize_t moved = move(me_.relay, at, bytes);
      if (moved == 0 || (moved < 0 && errno != EINTR)) end_process();
      if (moved < 0) continue;
      at += moved;
      bytes -= static_cast<std::size_t>(moved);
    }
  }

  const LaunchedProcess me_;
};

}  // namespace

std::unique_ptr<ProcessGroup> relayed_processes(const LaunchedProcess& me) {
  return std::make_unique<RelayedProcesses>(me);
}

}  // namespace slackline
