#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace slackline {

// Metrics of Scalasca as a table says them: a line a metric with its sum, below it lines with an
// operation's values per rank, in seconds.

using PerRank = std::vector<double>;
using Key = std::pair<std::string, std::string>;  // metric, operation

inline std::map<Key, PerRank> read_metrics(const std::filesystem::path& path) {
  std::map<Key, PerRank> metrics;
  std::ifstream in(path);
  std::string line;
  std::string metric;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (line.starts_with(" ")) {
      PerRank values;
      for (double v = 0; words >> v;) values.push_back(v);
      metrics[{metric, first}] = values;
    } else {
      metric = first;
      const std::size_t sum = line.find("sum=");
      if (sum != std::string::npos) metrics[{metric, "sum"}] = {std::stod(line.substr(sum + 4))};
    }
  }
  return metrics;
}

}  // namespace slackline
