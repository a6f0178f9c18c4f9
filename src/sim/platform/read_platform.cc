#include "sim/platform/read_platform.h"

#include "base/file.h"

namespace slackline {

Platform read_platform(const std::filesystem::path& path, Findings& findings) {
  const MappedFile file(path);
  const std::string_view text = file.text();
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool xml = first != std::string_view::npos && text[first] == '<';
  return xml ? parse_platform_xml(text, path.string(), findings)
             : parse_platform_toml(text, path.string(), findings);
}

}  // namespace slackline
