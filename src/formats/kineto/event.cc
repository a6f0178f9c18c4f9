#include "formats/kineto/event.h"

#include <simdjson.h>

#include <charconv>
#include <system_error>

#include "formats/kineto/json_values.h"

namespace slackline {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kDecimals = 3;  // of a microsecond
constexpr std::int64_t kNanosPerMicro = 1000;
// Times until 2041, durations of 25 days, and a base of 146 years: begin, duration and base
// together stay below 2^63 ns.
constexpr std::int64_t kMaxMicros = std::int64_t{1} << 51;
constexpr std::int64_t kMaxDurationNs = (std::int64_t{1} << 41) * kNanosPerMicro;
constexpr std::int64_t kMaxBaseNs = std::int64_t{1} << 62;

std::string_view text_of(od::value value) {
  std::string_view text;
  return value.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// The number as it is written; nothing if it is none.
std::string_view digits_of(od::value value) {
  od::json_type type{};
  std::string_view token;
  if (value.type().get(type) != simdjson::SUCCESS || type != od::json_type::number) return {};
  token = value.raw_json_token();
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? token : token.substr(0, last + 1);
}

template <class Number>
std::optional<Number> integer(std::string_view digits) {
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end == digits.data()) return std::nullopt;
  return number;
}

template <class Number>
void set(Number& number, od::value value) {
  if (const auto read = integer<Number>(digits_of(value))) number = *read;
}

// "[0, 1, 2, 3]": profiles have the list as text. A long one is cut and says so by "...".
std::vector<std::int32_t> listed_ranks(std::string_view list) {
  std::vector<std::int32_t> ranks;
  if (list.find("...") != std::string_view::npos) return ranks;
  while (true) {
    const std::size_t at = list.find_first_of("0123456789");
    if (at == std::string_view::npos) return ranks;
    list.remove_prefix(at);
    const auto rank = integer<std::int32_t>(list);
    if (!rank) return {};
    ranks.push_back(*rank);
    list.remove_prefix(std::min(list.find_first_not_of("0123456789"), list.size()));
  }
}

std::string_view raw_list(od::value value) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return {};
  if (type == od::json_type::string) return text_of(value);
  od::array list;
  std::string_view raw;
  if (value.get_array().get(list) != simdjson::SUCCESS) return {};
  return list.raw_json().get(raw) == simdjson::SUCCESS ? raw : std::string_view();
}

void decode_collective_key(std::string_view key, od::value value, KinetoEvent& event) {
  CollectiveDetail detail = event.collective.value_or(CollectiveDetail{});
  if (key == "Collective name") {
    detail.operation = text_of(value);
  } else if (key == "Process Group Name") {
    detail.group = text_of(value);
  } else if (key == "dtype") {
    detail.data_type = text_of(value);
  } else if (key == "In msg nelems") {
    set(detail.in_elements, value);
  } else if (key == "Out msg nelems") {
    set(detail.out_elements, value);
  } else if (key == "Group size") {
    set(detail.group_size, value);
  } else if (key == "Src Rank") {
    set(detail.source, value);
  } else if (key == "Dst Rank") {
    set(detail.target, value);
  } else if (key == "Process Group Ranks") {
    detail.ranks = listed_ranks(raw_list(value));
  } else {
    return;
  }
  event.collective = std::move(detail);
}

bool decode_arguments(od::value value, KinetoEvent& event) {
  od::object arguments;
  if (value.get_object().get(arguments) != simdjson::SUCCESS) return false;
  for (auto field : arguments) {
    std::string_view key;
    od::value argument;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(argument) != simdjson::SUCCESS) return false;
    if (key == "correlation") {
      set(event.correlation, argument);
    } else if (key == "stream") {
      event.stream = integer<std::int64_t>(digits_of(argument));
    } else if (key == "device") {
      set(event.device, argument);
    } else if (key == "External id" || key == "external id") {
      set(event.external, argument);
    } else {
      decode_collective_key(key, argument, event);
    }
  }
  return true;
}

struct Times {
  std::optional<std::int64_t> begin{};
  std::optional<std::int64_t> duration{};
};

bool decode_key(std::string_view key, od::value value, KinetoEvent& event, Times& times) {
  if (key == "ph") {
    event.phase = text_of(value);
  } else if (key == "cat") {
    event.category = text_of(value);
  } else if (key == "name") {
    event.name = text_of(value);
  } else if (key == "tid") {
    set(event.thread, value);
  } else if (key == "ts") {
    times.begin = nanoseconds_of_microseconds(digits_of(value));
  } else if (key == "dur") {
    times.duration = nanoseconds_of_microseconds(digits_of(value));
  } else if (key == "args") {
    return decode_arguments(value, event);
  }
  return true;
}

// Some writers have numbers as text.
std::string_view number_in(od::value value) {
  od::json_type type{};
  const bool is_text = value.type().get(type) == simdjson::SUCCESS && type == od::json_type::string;
  return is_text ? text_of(value) : digits_of(value);
}

bool decode_distribution(od::document& document, KinetoHeader& header) {
  od::object info;
  if (document.get_object().get(info) != simdjson::SUCCESS) return false;
  for (auto field : info) {
    std::string_view key;
    od::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    if (key == "rank") header.rank = integer<std::int32_t>(number_in(value));
    if (key == "world_size") {
      header.world_size = integer<std::int32_t>(number_in(value)).value_or(header.world_size);
    }
  }
  return true;
}

}  // namespace

struct KinetoDecoder::Parser {
  od::parser parser;
  od::document document;

  bool open(std::string_view text) {
    static_assert(JsonValues::kPadding >= simdjson::SIMDJSON_PADDING);
    return parser.iterate(text.data(), text.size(), text.size() + JsonValues::kPadding)
               .get(document) == simdjson::SUCCESS;
  }
};

KinetoDecoder::KinetoDecoder() : parser_(std::make_unique<Parser>()) {}
KinetoDecoder::~KinetoDecoder() = default;

bool KinetoDecoder::decode_event(std::string_view text, KinetoEvent& event) {
  event = {};
  od::object members;
  if (!parser_->open(text)) return false;
  if (parser_->document.get_object().get(members) != simdjson::SUCCESS) return false;
  Times times;
  for (auto field : members) {
    std::string_view key;
    od::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    if (!decode_key(key, value, event, times)) return false;
  }
  if (event.phase != "X") return true;
  if (!times.begin || !times.duration) return false;
  if (*times.duration < 0 || *times.duration > kMaxDurationNs) return false;
  event.time = {*times.begin, *times.begin + *times.duration};
  return true;
}

bool KinetoDecoder::decode_header(std::string_view key, std::string_view text,
                                  KinetoHeader& header) {
  if (key == "baseTimeNanoseconds") {
    const auto base = integer<std::int64_t>(text);
    if (!base || *base < 0 || *base > kMaxBaseNs) return false;
    header.base_time_ns = *base;
    return true;
  }
  if (key != "distributedInfo") return true;
  return parser_->open(text) && decode_distribution(parser_->document, header);
}

std::optional<std::int64_t> nanoseconds_of_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const auto whole = integer<std::int64_t>(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > kMaxMicros) return std::nullopt;
  std::int64_t ns = *whole * kNanosPerMicro;
  std::int64_t digit_ns = kNanosPerMicro / 10;
  if (point != std::string_view::npos) {
    for (const char c : text.substr(point + 1, kDecimals)) {
      if (c < '0' || c > '9') return std::nullopt;
      ns += (c - '0') * digit_ns;
      digit_ns /= 10;
    }
  } else if (text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;  // "1e6" would be another number
  }
  return negative ? -ns : ns;
}

}  // namespace slackline
