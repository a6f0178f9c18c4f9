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

}  // namespace slackline
