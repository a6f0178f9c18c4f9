#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/sqlite/virtual_table.h"

namespace slackline {

/// A table with a row for each element of a list, which it keeps. Columns are functions of an
/// element.
template <class Element>
class ListTable {
 public:
  ListTable(std::string name, std::vector<Element> rows)
      : rows_(std::make_shared<const std::vector<Element>>(std::move(rows))) {
    table_.name = std::move(name);
    table_.rows = rows_->size();
  }
  template <class Value>
  ListTable& integer(std::string name, Value value) {
    return add(std::move(name), SqlType::integer, value);
  }
  template <class Value>
  ListTable& real(std::string name, Value value) {
    return add(std::move(name), SqlType::real, value);
  }
  template <class Value>
  ListTable& text(std::string name, Value value) {
    return add(std::move(name), SqlType::text, value);
  }
  SqlTable take() { return std::move(table_); }

 private:
  template <class Value>
  ListTable& add(std::string name, SqlType type, Value value) {
    table_.columns.push_back({std::move(name), type, [rows = rows_, value](std::size_t row) {
                                return SqlValue(value((*rows)[row]));
                              }});
    return *this;
  }

  std::shared_ptr<const std::vector<Element>> rows_;
  SqlTable table_{};
};

}  // namespace slackline
