#include "formats/goal/labels.h"

#include "formats/goal/text_cursor.h"

namespace slackline {
namespace {

constexpr std::size_t kMostPrefixes = 8;
constexpr std::size_t kMostDigits = 10;
/// A number may run ahead of the count of labels by this before it is taken for a name.
constexpr std::uint64_t kSlack = 4096;

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

bool GoalLabels::define_in_row(const Parts& parts, std::uint32_t operation) {
  if (row_ended_) return false;
  if (row_length_ == 0) {
    if (parts.number > kSlack) return false;  // a table could not take over
    row_prefix_ = parts.prefix;
    row_first_ = parts.number;
    row_operation_ = operation;
  } else if (parts.prefix != row_prefix_ || !continues_row(parts.number, operation)) {
    return false;
  }
  ++row_length_;
  return true;
}

/// What was a row goes to the tables.
void GoalLabels::end_row() {
  if (row_ended_) return;
  row_ended_ = true;
  defined_ += row_length_;
  for (std::uint64_t i = 0; i < row_length_; ++i) {
    define_numbered({row_prefix_, row_first_ + i}, static_cast<std::uint32_t>(row_operation_ + i));
  }
  row_prefix_ = {};
  row_length_ = 0;
}

bool GoalLabels::define_numbered(const Parts& parts, std::uint32_t operation) {
  if (parts.number > 2 * defined_ + kSlack) return false;
  Numbered* table = numbered(parts.prefix);
  if (table == nullptr && numbered_.size() < kMostPrefixes) {
    table = &numbered_.emplace_back(parts.prefix, std::vector<std::uint32_t>{});
  }
  if (table == nullptr) return false;
  if (parts.number >= table->operations.size()) {
    table->operations.resize(parts.number + 1 + parts.number / 2, kUnknown);
  }
  table->operations[parts.number] = operation;
  return true;
}

void GoalLabels::define(std::string_view label, std::uint32_t operation) {
  Parts parts{};
  const bool has_number = split(label, parts);
  if (has_number && define_in_row(parts, operation)) return;
  end_row();
  ++defined_;
  if (find(label) != kUnknown) return;
  if (has_number && define_numbered(parts, operation)) return;
  others_[label] = operation;
}

std::uint32_t GoalLabels::find(std::string_view label) {
  Parts parts{};
  if (split(label, parts)) {
    if (row_length_ > 0 && parts.prefix == row_prefix_) {
      const std::uint32_t found = find_in_row(parts.number);
      if (found != kUnknown) return found;
    }
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
