#include "parallel/testing/thread_processes.h"

#include <barrier>
#include <mutex>
#include <thread>
#include <utility>

namespace slackline {
namespace {

/// What the processes of one group have given to each other.
struct Exchange {
  explicit Exchange(int count)
      : given(static_cast<std::size_t>(count)), failed(given.size(), 0), barrier(count) {}

  std::vector<std::vector<Bytes>> given;  // by process, for each
  std::vector<char> failed;
  std::barrier<> barrier;
};

class ThreadProcess : public ProcessGroup {
 public:
  ThreadProcess(Exchange& exchange, int rank) : exchange_(exchange), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(exchange_.given.size()); }

 protected:
  std::optional<std::vector<Bytes>> attempt(std::vector<Bytes>* to_each) override {
    const auto me = static_cast<std::size_t>(rank_);
    exchange_.failed[me] = to_each == nullptr ? 1 : 0;
    if (to_each != nullptr) exchange_.given[me] = std::move(*to_each);
    exchange_.barrier.arrive_and_wait();
    bool failed = false;
    std::vector<Bytes> from_each;
    for (std::size_t p = 0; p < exchange_.given.size(); ++p) failed |= exchange_.failed[p] != 0;
    for (std::size_t p = 0; p < exchange_.given.size() && !failed; ++p) {
      from_each.push_back(std::move(exchange_.given[p][me]));
    }
    exchange_.barrier.arrive_and_wait();
    if (failed) return std::nullopt;
    return from_each;
  }

 private:
  Exchange& exchange_;
  int rank_;
};

}  // namespace

void run_as_processes(int count, const std::function<void(ProcessGroup&)>& work) {
  Exchange exchange(count);
  std::exception_ptr first;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadProcess process(exchange, rank);
      try {
        work(process);
      } catch (const PeerFailed&) {
        // The process that failed says why.
      } catch (...) {
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        process.fail();
      }
    });
  }
  threads.clear();
  if (first) std::rethrow_exception(first);
}

}  // namespace slackline
