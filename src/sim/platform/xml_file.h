#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace slackline {

/// A platform's XML text with the places of its elements, and what is asked of every element.
class XmlFile {
 public:
  /// Both outlive this. Throws Error when the text is no XML.
  XmlFile(std::string_view text, std::string_view name);

  pugi::xml_node root() const { return document_.document_element(); }

  /// "file:line:column".
  std::string place_of(pugi::xml_node node) const { return place(node.offset_debug()); }

  /// Adds the element's place to what `what` refuses.
  template <class Do>
  std::invoke_result_t<Do> guarded(pugi::xml_node node, Do what) const {
    try {
      return what();
    } catch (const Error& error) {
      throw Error(fmt::format("{}: <{}>: {}", place_of(node), node.name(), error.what()), "");
    }
  }

  [[noreturn]] void refuse_element(pugi::xml_node node) const;

  /// Refuses attributes beside `allowed`, and the lack of one of its first `needed`.
  void check(pugi::xml_node node, std::size_t needed,
             std::initializer_list<std::string_view> allowed) const;

 private:
  std::string place(std::ptrdiff_t offset) const;

  std::string_view text_;
  std::string_view name_;
  pugi::xml_document document_;
};

/// An attribute's text.
std::string xml_text(pugi::xml_node node, const char* attribute, const char* otherwise = "");
/// How an attribute is called in messages.
std::string xml_what(pugi::xml_node node, const char* attribute);
double xml_bandwidth(pugi::xml_node node, const char* attribute);
double xml_latency(pugi::xml_node node, const char* attribute);

}  // namespace slackline
