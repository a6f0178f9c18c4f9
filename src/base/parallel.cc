// Loops over tasks share one pool of threads, so that a loop inside a task of another one takes
// threads that are idle and makes no further ones. Who asks for a loop works on it,
// too, and ends it alone where no thread is idle; so loops cannot wait for each other, whatever
// they are nested in.

#include "base/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
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

  std::size_t helpers = 0;  ///< pool threads in work(); guarded by the pool's mutex

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& task_;
  const std::size_t most_helpers_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
  std::mutex first_mutex_;
};

/// The threads that help with loops, as many as the machine has: the caller of a loop works, too,
/// but tasks may wait for each other's results. They last as long as the process.
class Pool {
 public:
  static Pool& of_process() {
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { current() = new Pool; });
    static_cast<void>(registered);
    return *current();
  }

  /// Returns when all of the loop's tasks have ended.
  void run(Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      if (!started_) start();
      loops_.push_back(&loop);
    }
    called_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    std::erase(loops_, &loop);
    left_.wait(lock, [&loop] { return loop.helpers == 0; });
  }

 private:
  /// A child of fork() has none of its parent's threads, and begins anew; the parent's pool is left
  /// as it is. Never destroyed, as its threads use it to the end.
  static Pool*& current() {
    static Pool* pool = new Pool;
    return pool;
  }

  void start() {
    started_ = true;
    try {
      for (unsigned t = 0; t < hardware_threads(); ++t) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {
      // No more threads are to be had: those that are there do it.
    }
  }

  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Loop* const loop = neediest();
      if (loop == nullptr) {
        called_.wait(lock);
        continue;
      }
      ++loop->helpers;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->helpers == 0) left_.notify_all();
    }
  }

  /// The loop with the fewest helpers that has work for another one; null if there is none.
  Loop* neediest() const {
    Loop* best = nullptr;
    for (Loop* const loop : loops_) {
      if (loop->wants_help() && (best == nullptr || loop->helpers < best->helpers)) best = loop;
    }
    return best;
  }

  std::mutex mutex_;
  std::condition_variable called_;  // a loop has come
  std::condition_variable left_;    // a helper has left a loop
  std::vector<Loop*> loops_;
  bool started_ = false;
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
  Pool::of_process().run(loop);
  loop.rethrow();
}

}  // namespace slackline
