#pragma once

#include <nlohmann/json.hpp>

#include "report/json.h"

namespace slackline {

/// The JSON library's own value, which the writers build their output from.
using JsonTree = nlohmann::ordered_json;

JsonTree json_tree(const Json& json);
Json from_json_tree(const JsonTree& tree);
/// As text, indented by `indent` a level or in one line (-1). No control character stands in it as
/// it is.
std::string dumped(const JsonTree& tree, int indent);

}  // namespace slackline
