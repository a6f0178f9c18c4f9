#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// The declaration of options, once for all interfaces that fill in a request: the command line with
// its help and completion, and Python's keyword arguments. Each request has a
//
//   void declare(OptionList& options, FrobnicateRequest& request);
//
// in which an option is a line: its name, the member that it sets, its help, and what its values
// are. The default is the member's value.

namespace slackline {

/// The variable that an option sets, which must outlive the list. Where the option is not given, it
/// keeps its value.
using OptionTarget =
    std::variant<bool*, std::int32_t*, std::optional<std::int32_t>*, std::uint32_t*, std::uint64_t*,
                 double*, std::string*, std::optional<std::string>*, std::vector<std::string>*>;

/// Which interfaces accept an option: the command line and Python, or Python only.
enum class OptionCallers : unsigned char { all, python };

/// The unit of a quantity that Python also takes as a number, by a keyword that names the unit.
enum class QuantityUnit : unsigned char { none, time, time_per_byte, bytes };

/// Inclusive.
struct OptionRange {
  std::int32_t least = 0;
  std::int32_t most = 0;
};

/// What an option's values are, beyond their type.
struct OptionRules {
  std::vector<std::string> choices{};  ///< empty: any text
  std::optional<OptionRange> range{};  ///< of a number
  bool positive = false;               ///< a number above 0
  bool not_negative = false;           ///< a number, 0 or more
  std::string shown_default{};   ///< what help says; empty: the variable's value, if it has one
  std::string value_if_alone{};  ///< of an option that may stand without a value; empty: of none
  char separator = '\0';         ///< cuts one argument into several values of a list
  int value_count = 0;           ///< exact number of values of a list; 0: any
  bool required = false;         ///< on the command line
  std::string excludes{};        ///< an option declared before that cannot be given with it
  std::string example{};         ///< of a quantity, whose value has a unit: "3us"
  QuantityUnit unit = QuantityUnit::none;
  std::string keyword{};  ///< another name in Python
  OptionCallers callers = OptionCallers::all;
};

struct Option {
  std::vector<std::string> names;  ///< "-L", "--latency"; of a positional argument "trace" alone
  std::string value_name;          ///< what stands for the value in help, "TIME"; empty: its type
  OptionTarget target;
  std::string help;
  std::string group;  ///< the heading in help; empty: the command's own options
  OptionRules rules;

  bool is_positional() const { return !names.front().starts_with('-'); }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(target); }
  /// The default as help shows it; empty: none.
  std::string shown_default() const;
  /// The names of the keyword argument in Python, the shortest first.
  std::vector<std::string> keywords() const;
};

/// The options of one command, in the order of its help.
class OptionList {
 public:
  /// `names` as "-L,--latency TIME", or without dashes for a positional argument; the last word is
  /// the value's name, which may be missing. A name that stands in the list is a contract
  /// violation.
  template <class Value>
  Option& add(std::string_view names, Value& target, std::string help, OptionRules rules = {}) {
    return add_option(names, &target, std::move(help), std::move(rules));
  }

  /// The option of this name, which is declared already.
  Option& operator[](std::string_view name);
  const Option& operator[](std::string_view name) const;
  bool contains(std::string_view name) const;

  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }

 private:
  friend class OptionGroup;
  Option& add_option(std::string_view names, OptionTarget target, std::string help,
                     OptionRules rules);

  std::deque<Option> options_;  // whose addresses stay
  std::string group_;
};

/// The names, by their long forms, of the options of a request whose values are others than those
/// of `defaults`: the same declarations for another request.
std::vector<std::string> changed_options(const OptionList& options, const OptionList& defaults);

/// Options that are added while this object lives stand under a heading of help.
class OptionGroup {
 public:
  OptionGroup(OptionList& options, std::string heading);
  ~OptionGroup();
  OptionGroup(const OptionGroup&) = delete;
  OptionGroup& operator=(const OptionGroup&) = delete;

 private:
  OptionList& options_;
  std::string outer_;
};

}  // namespace slackline
