#pragma once

#include <string>

#include "base/error.h"

namespace slackline {

/// What `action` is refused with; "no error" where it is not.
template <class Action>
std::string error_text(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace slackline
