#include "base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

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
  if (!enabled_) return;
  const std::int64_t now = now_ns();
  if (now < next_draw_ns_) return;
  next_draw_ns_ = now + kRedrawNs;
  drawn_ = true;
  const double part = total_ == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total_);
  fmt::print(stderr, "\r\033[K{} {:3.0f} %", what_, 100.0 * part);
  std::fflush(stderr);
}

}  // namespace slackline
