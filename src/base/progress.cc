#include "base/progress.h"

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

constexpr std::int64_t kRedrawNs = 100'000'000;
constexpr std::int64_t kQuietNs = 300'000'000;  // work shorter than this shows nothing

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

Progress::Progress(std::string_view what, std::uint64_t total)
    : what_(what), total_(total), enabled_(isatty(STDERR_FILENO) == 1) {
  if (enabled_) next_draw_ns_ = now_ns() + kQuietNs;
}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::uint64_t done) {
  if (!is_due()) return;
  const double part = total_ == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total_);
  draw(fmt::format("{:3.0f} %", 100.0 * part));
}

bool Progress::is_due() {
  return enabled_ && now_ns() >= next_draw_ns_;
}

void Progress::draw(const std::string& text) {
  next_draw_ns_ = now_ns() + kRedrawNs;
  drawn_ = true;
  fmt::print(stderr, "\r\033[K{} {}", what_, text);
  std::fflush(stderr);
}

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
