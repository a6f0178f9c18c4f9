#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

/// A part of what a command has to say, with the type of what it says for scripts.
template <class Result>
struct Described {
  Result result;
  std::vector<Section> sections{};
  Findings findings{};

  /// The same with more to say for scripts.
  template <class... More>
  Described<Object<Result, More...>> with(More... more) && {
    return {Object<Result, More...>(std::move(result), std::move(more)...), std::move(sections),
            std::move(findings)};
  }
  /// A report of no command.
  operator Report() const {
    return {.command = {},
            .title = {},
            .options = {},
            .input = {},
            .result = json_from(result),
            .findings = findings,
            .sections = sections};
  }
};

// What compilers deduce by themselves from clang 17 on.
template <class Result>
Described(Result) -> Described<Result>;
template <class Result>
Described(Result, std::vector<Section>) -> Described<Result>;
template <class Result>
Described(Result, std::vector<Section>, Findings) -> Described<Result>;

/// A whole report, with the types of what it says for scripts.
template <class Options, class Input, class Result>
struct TypedReport {
  std::string command;
  std::string title;
  Options options;
  Input input;
  Described<Result> described;
};

template <class Options, class Input, class Result>
TypedReport<Options, Input, Result> typed_report(std::string_view command, std::string title,
                                                 Options options, Input input,
                                                 Described<Result> described) {
  return {std::string(command), std::move(title), std::move(options), std::move(input),
          std::move(described)};
}

/// The schema of what a command writes as JSON.
struct CommandSchema {
  Schema options;
  Schema input;
  Schema result;
};

/// What a command may report, with different types.
template <class... Reports>
struct CommandReports;
template <class... Options, class... Input, class... Result>
struct CommandReports<TypedReport<Options, Input, Result>...> {
  static CommandSchema schema() {
    return {one_of({schema_of<Options>()...}), one_of({schema_of<Input>()...}),
            one_of({schema_of<Result>()...})};
  }

  template <class Given>
    requires(std::same_as<Given, TypedReport<Options, Input, Result>> || ...)
  static Report untyped(Given given) {
    return {.command = std::move(given.command),
            .title = std::move(given.title),
            .options = json_from(given.options),
            .input = json_from(given.input),
            .result = json_from(given.described.result),
            .findings = std::move(given.described.findings),
            .sections = std::move(given.described.sections)};
  }
};

}  // namespace slackline
