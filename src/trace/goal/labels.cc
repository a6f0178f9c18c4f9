#include "trace/goal/labels.h"

namespace slackline {
namespace {

constexpr std::size_t kMostPrefixes = 8;
constexpr std::size_t kMostDigits = 9;
/// A number may run ahead of the count of labels by this before it is taken for a name.
constexpr std::uint64_t kSlack = 4096;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

/// False unless the label ends with a number that is written in one way only.
bool GoalLabels::split(std::string_view label, Parts& parts) {
  std::size_t digits = label.size();
  while (digits > 0 && is_digit(label[digits - 1])) --digits;
  const std::size_t count = label.size() - digits;
  if (count == 0 || count > kMostDigits || (label[digits] == '0' && count > 1)) return false;
  parts.prefix = label.substr(0, digits);
  parts.number = 0;
  for (const char c : label.substr(digits)) {
    parts.number = 10 * parts.number + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

GoalLabels::Numbered* GoalLabels::numbered(std::string_view prefix) {
  if (last_used_ < numbered_.size() && numbered_[last_used_].prefix == prefix) {
    return &numbered_[last_used_];
  }
  for (std::size_t i = 0; i < numbered_.size(); ++i) {
    if (numbered_[i].prefix == prefix) {
      last_used_ = i;
      return &numbered_[i];
    }
  }
  return nullptr;
}

void GoalLabels::define(std::string_view label, std::uint32_t operation) {
  ++defined_;
  if (find(label) != kUnknown) return;
  Parts parts{};
  if (split(label, parts) && parts.number <= 2 * defined_ + kSlack) {
    Numbered* table = numbered(parts.prefix);
    if (table == nullptr && numbered_.size() < kMostPrefixes) {
      table = &numbered_.emplace_back(parts.prefix, std::vector<std::uint32_t>{});
    }
    if (table != nullptr) {
      if (parts.number >= table->operations.size()) {
        table->operations.resize(parts.number + 1 + parts.number / 2, kUnknown);
      }
      table->operations[parts.number] = operation;
      return;
    }
  }
  others_[label] = operation;
}

std::uint32_t GoalLabels::find(std::string_view label) {
  Parts parts{};
  if (split(label, parts)) {
    const Numbered* table = numbered(parts.prefix);
    if (table != nullptr && parts.number < table->operations.size() &&
        table->operations[parts.number] != kUnknown) {
      return table->operations[parts.number];
    }
  }
  const std::uint32_t* other = others_.find(label);
  return other != nullptr ? *other : kUnknown;
}

}  // namespace slackline
