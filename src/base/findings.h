#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// How much a finding matters to a result.
enum class Severity {
  info,       ///< worth knowing, changes nothing
  notice,     ///< something was guessed or corrected
  data_loss,  ///< part of the input could not be used; the result speaks of the rest
};

std::string_view to_string(Severity severity);

/// One kind of defect. Declared as a constant beside the code that detects it, or in a header that
/// all who detect it share, so that every counter has exactly one name, severity and sentence.
struct FindingKind {
  std::string_view name;  ///< stable identifier for scripts, snake_case
  Severity severity;
  std::string_view sentence;  ///< what it is and what follows from it
};

/// What was wrong, lost or guessed in an input, as named counters. A bad record never makes a
/// trace unreadable; it becomes a finding, and every output carries the findings.
class Findings {
 public:
  static constexpr std::size_t kExamplesKept = 3;

  struct Entry {
    std::string name;
    Severity severity;
    std::string sentence;
    std::uint64_t count = 0;
    std::vector<std::string> examples;  ///< the first few different ones, in words
  };

  /// Counts `count` more of `kind`; keeps `example` if there is still room.
  void add(const FindingKind& kind, std::string_view example = {}, std::uint64_t count = 1);

  /// Adds another set's counters to this one. Entries keep their order of first appearance.
  void merge(const Findings& other);

  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Adds another set's counter of one kind only.
  void merge(const Findings& other, const FindingKind& kind);
  /// 0 when there is none.
  std::uint64_t count(const FindingKind& kind) const;

 private:
  void merge(const Entry& theirs);
  Entry& entry(std::string_view name, Severity severity, std::string_view sentence);
  static void keep(Entry& entry, std::string_view example);

  std::vector<Entry> entries_;
};

}  // namespace slackline
