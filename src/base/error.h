#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace slackline {

/// Begins a line of its own in an Error's text, which is one line otherwise.
inline constexpr std::string_view kListItem = "\n  ";

/// Something a user can mend: an unusable argument or file. Printed as "problem: reason. What to
/// do." Thrown anywhere in the library, caught in `main` and at language boundaries only. Defects
/// *inside* a trace are Findings instead (base/findings.h).
class Error : public std::runtime_error {
 public:
  enum class Kind { failed, usage };

  /// `problem` is a clause ("cannot open 'x.slk'"), `why` the cause ("no such file") or a list, a
  /// kListItem each, `what_to_do` a sentence; the last two may be empty. Each is shortened().
  Error(std::string_view problem, std::string_view why, std::string_view what_to_do = {},
        Kind kind = Kind::failed);

  bool is_usage() const { return kind_ == Kind::usage; }
  /// Process exit status: 1 for failed, 2 for wrong usage.
  int exit_status() const { return is_usage() ? 2 : 1; }

 private:
  Kind kind_;
};

/// An Error of kind `usage`.
Error usage_error(std::string_view problem, std::string_view why, std::string_view what_to_do = {});

/// `text`, of which a message leaves out the middle if it is longer than 2000 bytes: what it quotes
/// may be a whole file without a line feed.
std::string shortened(std::string_view text);

/// The text of the current `errno`, in words.
std::string errno_text();

/// Contract violations: defects of this program, never of its input. Always checked; throw
/// std::logic_error.
void expects(bool condition, const char* what);
void ensures(bool condition, const char* what);

}  // namespace slackline
