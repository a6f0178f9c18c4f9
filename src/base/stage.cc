#include "base/stage.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

namespace slackline {
namespace {

constexpr std::chrono::milliseconds kQuiet{2000};
constexpr std::chrono::milliseconds kRedraw{500};

std::atomic<const char*> stage{""};

/// The thread that draws.
class Display {
 public:
  Display() : thread_([this] { run(); }) {}
  ~Display() {
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

 private:
  void run() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    bool drawn = false;
    for (auto wait = kQuiet; !ended_.wait_for(lock, wait, [this] { return end_; });
         wait = kRedraw) {
      if (*current_stage() == '\0')
        continue;  // nothing was begun yet, or it shows its own progress
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      fmt::print(stderr, "\r\033[K{} ({:.0f} s)", current_stage(), passed.count());
      std::fflush(stderr);
      drawn = true;
    }
    if (!drawn) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // last, as it uses the others
};

std::unique_ptr<Display> display;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

void begin_stage(const char* words) {
  stage.store(words, std::memory_order_relaxed);
}

const char* current_stage() {
  return stage.load(std::memory_order_relaxed);
}

StageDisplay::StageDisplay() {
  if (isatty(STDERR_FILENO) == 1) display = std::make_unique<Display>();
}

StageDisplay::~StageDisplay() {
  end_stages();
}

void end_stages() {
  display.reset();
}

}  // namespace slackline
