#include "timing/network/pair_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"

namespace slackline {
namespace {

class MatrixReader {
 public:
  MatrixReader(const std::string& name, Parameter parameter) : name_(name), parameter_(parameter) {}

  PairMatrix read(std::string_view text) {
    for_each_entry(text, [this](std::string_view line, std::size_t number) { row(line, number); });
    if (rows_ == 0) refuse("there is no row", "Write a row for each sending node.");
    if (rows_ != matrix_.nodes) {
      refuse(fmt::format("there are {} rows of {} columns", rows_, matrix_.nodes),
             "Write as many rows as columns.");
    }
    return std::move(matrix_);
  }

 private:
  void row(std::string_view line, std::size_t number) {
    std::int32_t columns = 0;
    for (std::optional<std::string_view> rest = line; rest; ++columns) {
      const std::size_t comma = rest->find(',');
      value(trimmed(rest->substr(0, comma)), fmt::format("{}:{}", name_, number), columns);
      rest =
          comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
    }
    if (rows_ == 0) matrix_.nodes = columns;
    if (columns != matrix_.nodes) {
      refuse(fmt::format("line {} has {} values, the first row {}", number, columns, matrix_.nodes),
             "Give each row a value for each node, separated by commas.");
    }
    ++rows_;
  }

  void value(std::string_view text, const std::string& where, std::int32_t column) {
    if (column == rows_) {
      matrix_.values_fs.push_back(0);
      return;
    }
    const std::string what = fmt::format("the value of column {} in {}", column + 1, where);
    matrix_.values_fs.push_back(parameter_ == Parameter::latency
                                    ? parse_time_fs(text, what)
                                    : parse_gap_per_byte_fs(text, what));
  }

  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    throw Error(fmt::format("cannot use '{}' as a matrix of {}", name_, symbol(parameter_)), why,
                remedy);
  }

  const std::string& name_;
  Parameter parameter_;
  std::int32_t rows_ = 0;
  PairMatrix matrix_;
};

}  // namespace

PairMatrix parse_pair_matrix(std::string_view text, const std::string& name, Parameter parameter) {
  return MatrixReader(name, parameter).read(text);
}

}  // namespace slackline
