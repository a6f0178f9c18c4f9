// The loops of a process share threads, so that loops within the tasks of others make no more of
// them than the machine has. The caller works on its loop, too, and finishes it alone if no thread
// helps; so loops cannot wait for each other, however they are nested. A thread whose loop has no
// tasks left helps another one, and ends if there is none: between loops a process has no threads
// of ours, which could take its signals, count against its limits of memory, or be lost in fork().

#include "base/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace slackline {

unsigned hardware_threads() {
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace {

/// One call of parallel_for().
class Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& task, std::size_t most_helpers)
      : count_(count), task_(task), most_helpers_(most_helpers) {}

  /// Runs tasks until none is left to begin.
  void work() {
    while (has_tasks()) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= count_) return;
      try {
        task_(i);
      } catch (...) {
        const std::lock_guard lock(first_mutex_);
        if (!first_) first_ = std::current_exception();
        failed_ = true;
      }
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }
  bool has_tasks() const {
    return !failed_.load(std::memory_order_relaxed) &&
           next_.load(std::memory_order_relaxed) < count_;
  }
  bool wants_help() const { return helpers < most_helpers_ && has_tasks(); }

  std::size_t helpers = 0;  ///< threads in work(), but the caller; guarded by Helpers

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& task_;
  const std::size_t most_helpers_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
  std::mutex first_mutex_;
};

/// The threads that help with loops: as many as the machine has at most. The caller of a loop
/// works, too, but tasks may wait for each other's results.
class Helpers {
 public:
  static Helpers& of_process() {
    // A child of fork() has none of its parent's threads, and begins anew.
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { current = nullptr; });
    static_cast<void>(registered);
    Helpers* known = current;
    if (known != nullptr) return *known;
    auto made = std::make_unique<Helpers>();
    if (!current.compare_exchange_strong(known, made.get())) return *known;
    return *made.release();  // threads may use it to the end of the process
  }

  /// Returns when all of the loop's tasks have ended.
  void run(Loop& loop) {
    std::unique_lock lock(mutex_);
    loops_.push_back(&loop);
    start(loop);
    lock.unlock();
    loop.work();
    lock.lock();
    std::erase(loops_, &loop);
    left_.wait(lock, [&loop] { return loop.helpers == 0; });
    Threads ended = std::move(ended_);
    ended_.clear();
    lock.unlock();
    for (std::thread& thread : ended) thread.join();
  }

 private:
  using Threads = std::list<std::thread>;

  void start(Loop& loop) {
    try {
      while (loop.wants_help() && threads_.size() < hardware_threads()) {
        Threads thread(1);
        thread.front() = std::thread([this, &loop, at = thread.begin()] { help(&loop, at); });
        threads_.splice(threads_.end(), thread);
        ++loop.helpers;
      }
    } catch (const std::exception&) {
      // No more threads are to be had: those that are there do it.
    }
  }

  void help(Loop* loop, Threads::iterator thread) {
    for (;;) {
      loop->work();
      const std::lock_guard lock(mutex_);
      if (--loop->helpers == 0) left_.notify_all();
      loop = least_helped();
      if (loop == nullptr) return ended_.splice(ended_.end(), threads_, thread);
      ++loop->helpers;
    }
  }

  /// The loop with the fewest helpers that has work for another one; null if there is none.
  Loop* least_helped() const {
    Loop* best = nullptr;
    for (Loop* const loop : loops_) {
      if (loop->wants_help() && (best == nullptr || loop->helpers < best->helpers)) best = loop;
    }
    return best;
  }

  static inline std::atomic<Helpers*> current{nullptr};

  std::mutex mutex_;
  std::condition_variable left_;  // a helper has left a loop
  std::vector<Loop*> loops_;
  Threads threads_;
  Threads ended_;  // to be joined
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task,
                  unsigned threads) {
  if (threads == kAllThreads) threads = hardware_threads();
  const std::size_t workers = std::min<std::size_t>(threads, count);
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  Loop loop(count, task, workers - 1);
  Helpers::of_process().run(loop);
  loop.rethrow();
}

}  // namespace slackline
