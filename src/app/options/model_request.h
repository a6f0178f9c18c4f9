#pragma once

#include <string>

#include "app/options/model_options.h"
#include "app/options/network_options.h"
#include "app/options/reading_options.h"

namespace slackline {

/// A trace, and the model under which it is looked at.
struct ModelRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  ModelOptions model{};
  NetworkOptions network{};
};

/// Where reduced graphs are kept from one run of the program to the next.
struct CacheOptions {
  std::string where = "auto";  ///< "auto" (user's folder, of large traces) or a folder
  bool none = false;           ///< neither read nor written
};

}  // namespace slackline
