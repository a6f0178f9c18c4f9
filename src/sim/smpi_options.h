#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "sim/simulation.h"

namespace slackline {

/// SimGrid's options by name ("smpi/os", "network/model", "smpi/bcast"), as lines "name:value"
/// give them. The order does not matter; of two values for one name the later holds.
class SmpiOptions {
 public:
  /// Reads one "name:value"; `where` is for messages. Throws usage Error for an unknown name.
  void set(std::string_view line, std::string_view where);
  /// Reads a file's lines; blank ones and those with # count as none.
  void read(std::string_view text, std::string_view name);

  /// The model under these options. Throws usage Error for a value that makes no sense.
  NetworkModel model() const;
  /// Which algorithm performs a collective: smpi/<operation>, else smpi/coll-selector, else
  /// SimGrid's default.
  ChooseAlgorithm collectives() const;
  /// The options of SimGrid that change nothing here, as Findings.
  Findings ignored() const;

  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace slackline
