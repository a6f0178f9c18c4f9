#pragma once

#include <string_view>

namespace slackline {

/// The present name of a command that was renamed; any other name as it is. The former names stay
/// valid wherever a command is named, and in JSON (`command`) and the names of the schema files,
/// which do not change within slackline/1.
std::string_view present_command_name(std::string_view name);

/// The former name of the command whose present name this is, or empty.
std::string_view former_command_name(std::string_view name);

}  // namespace slackline
