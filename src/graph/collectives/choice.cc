// Reading and applying --collectives. The text is a list of items joined by commas; an item is a
// selector (auto, openmpi, mpich) or operation=algorithm[:from..to].

#include "graph/collectives/choice.h"

#include <algorithm>

#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"
#include "graph/collectives/algorithms.h"

namespace slackline {

namespace {

using Selector = CollectiveChoice::Selector;
using Rule = CollectiveChoice::Rule;

constexpr std::string_view kExample =
    "Examples: openmpi, mpich, auto or allreduce=ring,bcast=chain:64KiB..";

std::string joined_names(Operation operation) {
  std::string names;
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    if (a.operation != operation) continue;
    if (!names.empty()) names += ", ";
    names += a.name;
  }
  return names;
}

std::string joined_operations() {
  std::string names;
  Operation last = Operation::none;
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    if (a.operation == last) continue;
    if (!names.empty()) names += ", ";
    names += identifier(a.operation);
    last = a.operation;
  }
  return names;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::optional<Selector> selector_from(std::string_view word) {
  if (word == "auto" || word == "automatic") return Selector::automatic;
  if (word == "openmpi" || word == "ompi") return Selector::openmpi;
  if (word == "mpich") return Selector::mpich;
  return std::nullopt;
}

Operation operation_from(std::string_view word) {
  const std::optional<Operation> found = operation_from_identifier(word);
  const Operation operation = found ? blocking_form(*found) : Operation::none;
  const bool known = std::ranges::any_of(collective_algorithms(),
                                         [&](const auto& a) { return a.operation == operation; });
  if (known) return operation;
  throw usage_error("cannot use --collectives", quoted(word) + " is not a collective operation",
                    "Known operations: " + joined_operations() + ".");
}

const CollectiveAlgorithm& algorithm_from(Operation operation, std::string_view word) {
  const CollectiveAlgorithm* found = find_algorithm(operation, word);
  if (found != nullptr) return *found;
  throw usage_error("cannot use --collectives",
                    quoted(word) + " is not an algorithm for " + std::string(identifier(operation)),
                    "Known algorithms: " + joined_names(operation) + ".");
}

/// "64KiB..1MiB", either end may be missing.
void read_range(std::string_view text, Rule& rule) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    throw usage_error(quoted(text) + " is not a range of sizes", "'..' is missing",
                      "Examples: 64KiB..1MiB, ..64KiB or 64KiB..");
  }
  const std::string_view from = trimmed(text.substr(0, dots));
  const std::string_view to = trimmed(text.substr(dots + 2));
  if (!from.empty()) rule.from_bytes = parse_bytes(from, "the start of a range of sizes");
  if (!to.empty()) rule.to_bytes = parse_bytes(to, "the end of a range of sizes");
  if (rule.from_bytes >= rule.to_bytes) {
    throw usage_error(quoted(text) + " is an empty range", "it must start below its end",
                      "The end is exclusive.");
  }
}

Rule rule_from(std::string_view item, std::size_t equals) {
  const std::string_view right = item.substr(equals + 1);
  const std::size_t colon = right.find(':');
  const Operation operation = operation_from(trimmed(item.substr(0, equals)));
  Rule rule{.operation = operation,
            .algorithm = &algorithm_from(operation, trimmed(right.substr(0, colon)))};
  if (colon != std::string_view::npos) read_range(trimmed(right.substr(colon + 1)), rule);
  return rule;
}

bool contains_word(std::string_view text, std::string_view lower_case_word) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return !std::ranges::search(text, lower_case_word, {}, lower).empty();
}

std::string range_text(const Rule& rule) {
  const bool open_end = rule.to_bytes == std::numeric_limits<std::uint64_t>::max();
  if (rule.from_bytes == 0 && open_end) return {};
  return ":" + std::to_string(rule.from_bytes) + ".." +
         (open_end ? std::string() : std::to_string(rule.to_bytes));
}

std::string_view selector_text(Selector selector) {
  switch (selector) {
    case Selector::automatic:
      return "auto";
    case Selector::openmpi:
      return "openmpi";
    case Selector::mpich:
      return "mpich";
  }
  return "auto";
}

}  // namespace

void CollectiveChoice::add(std::string_view text) {
  // All items are read before any takes effect.
  CollectiveChoice changed = *this;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    const std::size_t equals = item.find('=');
    if (const std::optional<Selector> selector = selector_from(item)) {
      changed.selector_ = *selector;
    } else if (equals != std::string_view::npos) {
      changed.rules_.push_back(rule_from(item, equals));
    } else {
      throw usage_error(quoted(item) + " is not a choice of collective algorithms",
                        "neither a selector nor operation=algorithm", kExample);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  *this = std::move(changed);
}

void CollectiveChoice::resolve_automatic(std::string_view mpi_library) {
  if (selector_ != Selector::automatic) return;
  // MVAPICH and Intel MPI descend from MPICH.
  const bool mpich = contains_word(mpi_library, "mpich") || contains_word(mpi_library, "mvapich") ||
                     contains_word(mpi_library, "intel");
  selector_ = mpich ? Selector::mpich : Selector::openmpi;
}

const CollectiveAlgorithm* CollectiveChoice::ruled(const CollectiveCall& call) const {
  const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& r) {
    // The largest size counts as below an open end.
    const bool below =
        call.bytes < r.to_bytes || r.to_bytes == std::numeric_limits<std::uint64_t>::max();
    return r.operation == call.operation && call.bytes >= r.from_bytes && below;
  });
  return rule == rules_.rend() ? nullptr : rule->algorithm;
}

const CollectiveAlgorithm& CollectiveChoice::algorithm(const CollectiveCall& call) const {
  if (const CollectiveAlgorithm* given = ruled(call)) return *given;
  return selector_ == Selector::mpich ? collectives::mpich_decision(call)
                                      : collectives::openmpi_decision(call);
}

std::string CollectiveChoice::to_string() const {
  std::string text(selector_text(selector_));
  for (const Rule& rule : rules_) {
    text += "," + std::string(identifier(rule.operation)) + "=" +
            std::string(rule.algorithm->name) + range_text(rule);
  }
  return text;
}

}  // namespace slackline
