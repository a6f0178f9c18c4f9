#include "sim/platform/xml_file.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "sim/platform/read_platform.h"

namespace slackline {

XmlFile::XmlFile(std::string_view text, std::string_view name) : text_(text), name_(name) {
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
  if (!result) {
    throw Error(fmt::format("cannot read {}", place(result.offset)), result.description(),
                "Fix the XML file at that line.");
  }
}

std::string XmlFile::place(std::ptrdiff_t offset) const {
  const auto end = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
  const std::string_view before = text_.substr(0, end);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return fmt::format("{}:{}:{}", name_, line, before.size() - start + 1);
}

void XmlFile::refuse_element(pugi::xml_node node) const {
  throw Error(fmt::format("{}: unknown element <{}>", place_of(node), node.name()),
              fmt::format("it is not allowed inside <{}>", node.parent().name()),
              "Remove it or correct its name.");
}

void XmlFile::check(pugi::xml_node node, std::size_t needed,
                    std::initializer_list<std::string_view> allowed) const {
  for (const pugi::xml_attribute attribute : node.attributes()) {
    if (std::find(allowed.begin(), allowed.end(), attribute.name()) != allowed.end()) continue;
    throw Error(fmt::format("{}: unknown attribute '{}' of <{}>", place_of(node), attribute.name(),
                            node.name()),
                "", fmt::format("Known attributes: {}.", fmt::join(allowed, ", ")));
  }
  for (std::size_t i = 0; i < needed; ++i) {
    const std::string name(*(allowed.begin() + i));
    if (node.attribute(name.c_str())) continue;
    throw Error(fmt::format("{}: <{}> has no '{}'", place_of(node), node.name(), name), "",
                "Add it.");
  }
}

std::string xml_text(pugi::xml_node node, const char* attribute, const char* otherwise) {
  return node.attribute(attribute).as_string(otherwise);
}

std::string xml_what(pugi::xml_node node, const char* attribute) {
  return fmt::format("{} of {} '{}'", attribute, node.name(), xml_text(node, "id"));
}

double xml_bandwidth(pugi::xml_node node, const char* attribute) {
  return parse_bandwidth(xml_text(node, attribute), xml_what(node, attribute));
}

double xml_latency(pugi::xml_node node, const char* attribute) {
  return parse_latency(xml_text(node, attribute, "0"), xml_what(node, attribute));
}

}  // namespace slackline
