#include "base/findings.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::notice:
      return "notice";
    case Severity::data_loss:
      return "data_loss";
  }
  return "info";
}

Findings::Entry& Findings::entry(std::string_view name, Severity severity,
                                 std::string_view sentence) {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  if (found != entries_.end()) return *found;
  entries_.push_back(Entry{std::string(name), severity, std::string(sentence), 0, {}});
  return entries_.back();
}

void Findings::keep(Entry& entry, std::string_view given) {
  const std::string example = shortened(given);
  const bool known = std::ranges::find(entry.examples, example) != entry.examples.end();
  if (known || example.empty() || entry.examples.size() == kExamplesKept) return;
  entry.examples.push_back(example);
}

void Findings::add(const FindingKind& kind, std::string_view example, std::uint64_t count) {
  Entry& e = entry(kind.name, kind.severity, kind.sentence);
  e.count += count;
  keep(e, example);
}

void Findings::merge(const Entry& theirs) {
  Entry& ours = entry(theirs.name, theirs.severity, theirs.sentence);
  ours.count += theirs.count;
  for (const std::string& example : theirs.examples) keep(ours, example);
}

void Findings::merge(const Findings& other) {
  for (const Entry& theirs : other.entries_) merge(theirs);
}

void Findings::merge(const Findings& other, const FindingKind& kind) {
  const auto found = std::ranges::find(other.entries_, kind.name, &Entry::name);
  if (found != other.entries_.end()) merge(*found);
}

std::uint64_t Findings::count(const FindingKind& kind) const {
  const auto found = std::ranges::find(entries_, kind.name, &Entry::name);
  return found == entries_.end() ? 0 : found->count;
}

}  // namespace slackline
