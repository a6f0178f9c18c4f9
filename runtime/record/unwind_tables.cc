#include "unwind_tables.h"

namespace slackline::record {

namespace {

// Pointer encodings (LSB, "DWARF Exception Header Encoding").
enum : std::uint8_t {
  kOmitted = 0xff,
  kFormat = 0x0f,
  kUleb = 0x01,
  kUdata2 = 0x02,
  kUdata4 = 0x03,
  kUdata8 = 0x04,
  kSleb = 0x09,
  kSdata2 = 0x0a,
  kSdata4 = 0x0b,
  kSdata8 = 0x0c,
  kApplication = 0x70,
  kPcRelative = 0x10,
  kDataRelative = 0x30,
  kIndirect = 0x80,
};

/// The one form of the search table that linkers write: pairs of 32-bit offsets from its section.
constexpr std::uint8_t kSearchTable = kDataRelative | kSdata4;
constexpr std::size_t kSearchEntry = 8;

struct CommonInformation {
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint8_t pointers = 0;
  bool augmented = false;
  bool signal_frame = false;
};

/// An entry's content, after its length and without the terminator. False: no such entry.
bool entry_at(const LoadedModule& module, std::uint64_t at, TableReader& content) {
  TableReader in(module, at, UINT64_MAX);
  std::uint64_t bytes = in.fixed<std::uint32_t>();
  if (bytes == 0xffffffffu) bytes = in.fixed<std::uint64_t>();
  if (in.failed() || bytes == 0) return false;
  content = in.part(bytes);
  return !content.failed();
}

/// Reads a CIE up to its instructions.
bool read_common(TableReader& in, CommonInformation& common) {
  if (in.fixed<std::uint32_t>() != 0) return false;  // the id of a CIE
  const auto version = in.fixed<std::uint8_t>();
  if (version != 1 && version != 3 && version != 4) return false;
  char augmentation[8] = {};
  for (char& c : augmentation) {
    c = static_cast<char>(in.fixed<std::uint8_t>());
    if (c == '\0') break;
  }
  if (augmentation[sizeof augmentation - 1] != '\0') return false;
  if (version == 4) in.skip(2);  // sizes of an address and of a segment
  common.code_alignment = in.uleb();
  common.data_alignment = in.sleb();
  if ((version == 1 ? in.fixed<std::uint8_t>() : in.uleb()) != kReturnAddress) return false;
  if (augmentation[0] == '\0') return !in.failed();
  if (augmentation[0] != 'z') return false;
  common.augmented = true;
  const std::uint64_t bytes = in.uleb();
  TableReader data = in.part(bytes);
  in.skip(bytes);
  for (const char* c = augmentation + 1; *c != '\0'; ++c) {
    if (*c == 'R') {
      common.pointers = data.fixed<std::uint8_t>();
    } else if (*c == 'P') {
      data.encoded(data.fixed<std::uint8_t>(), 0);
    } else if (*c == 'L') {
      data.skip(1);
    } else if (*c == 'S') {
      common.signal_frame = true;
    } else {
      return false;
    }
  }
  return !in.failed() && !data.failed();
}

/// Follows the instructions of call frame information up to one place.
class RuleProgram {
 public:
  RuleProgram(const CommonInformation& common, std::uint64_t begin, std::uint64_t pc)
      : common_(common), at_(begin), pc_(pc) {}

  void run(TableReader in) {
    while (!in.at_end() && at_ <= pc_ && !failed_) step(in);
    if (in.failed()) failed_ = true;
  }
  void begin_function() {
    for (unsigned i = 0; i < kRegisters; ++i) initial_[i] = rules_.registers[i];
  }
  bool failed() const { return failed_; }
  const FrameRules& rules() const { return rules_; }

 private:
  static constexpr std::size_t kRemembered = 8;

  Rule* rule_of(std::uint64_t number) {
    // Vector registers and their like are of no interest here.
    return number < kRegisters ? &rules_.registers[number] : &ignored_;
  }
  void advance(std::uint64_t units) { at_ += units * common_.code_alignment; }
  void save(std::uint64_t number, RuleKind kind, std::int64_t offset) {
    *rule_of(number) = {kind, 0, offset};
  }
  std::int64_t factored(std::int64_t n) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) *
                                     static_cast<std::uint64_t>(common_.data_alignment));
  }
  std::int64_t factored_unsigned(TableReader& in) const {
    return factored(static_cast<std::int64_t>(in.uleb()));
  }
  Rule expression(TableReader& in, RuleKind kind) {
    const std::uint64_t bytes = in.uleb();
    const Rule rule{kind, static_cast<std::uint32_t>(bytes), static_cast<std::int64_t>(in.at())};
    if (bytes > UINT32_MAX) failed_ = true;
    in.skip(bytes);
    return rule;
  }
  void base(std::uint64_t number) {
    if (number >= kRegisters) failed_ = true;
    rules_.base = static_cast<unsigned>(number % kRegisters);
    rules_.frame_address.kind = RuleKind::value_offset;
  }
  void restore(std::uint64_t number) {
    if (number < kRegisters) rules_.registers[number] = initial_[number];
  }

  void step(TableReader& in) {
    const auto code = in.fixed<std::uint8_t>();
    const std::uint8_t operand = code & 0x3f;
    switch (code >> 6) {
      case 1:
        return advance(operand);
      case 2:
        return save(operand, RuleKind::offset, factored_unsigned(in));
      case 3:
        return restore(operand);
      default:
        extended(in, operand);
    }
  }

  void extended(TableReader& in, std::uint8_t code) {
    switch (code) {
      case 0x00:  // nop
        return;
      case 0x01:  // set_loc
        at_ = in.encoded(common_.pointers, 0);
        return;
      case 0x02:
        return advance(in.fixed<std::uint8_t>());
      case 0x03:
        return advance(in.fixed<std::uint16_t>());
      case 0x04:
        return advance(in.fixed<std::uint32_t>());
      case 0x0a:
        return remember();
      case 0x0b:
        return recall();
      case 0x0c:  // def_cfa
        base(in.uleb());
        rules_.frame_address.number = static_cast<std::int64_t>(in.uleb());
        return;
      case 0x0d:  // def_cfa_register
        return base(in.uleb());
      case 0x0e:  // def_cfa_offset
        rules_.frame_address.number = static_cast<std::int64_t>(in.uleb());
        return;
      case 0x0f:  // def_cfa_expression
        rules_.frame_address = expression(in, RuleKind::value_expression);
        return;
      case 0x12:  // def_cfa_sf
        base(in.uleb());
        rules_.frame_address.number = factored(in.sleb());
        return;
      case 0x13:  // def_cfa_offset_sf
        rules_.frame_address.number = factored(in.sleb());
        return;
      case 0x2c:  // AARCH64_negate_ra_state_with_pc
      case 0x2d:  // AARCH64_negate_ra_state: return addresses are stripped of signatures anyway
        if (!kLinkRegister) failed_ = true;
        return;
      case 0x2e:  // GNU_args_size
        in.uleb();
        return;
      default:
        register_rule(in, code);
    }
  }

  void register_rule(TableReader& in, std::uint8_t code) {
    const std::uint64_t number = in.uleb();
    switch (code) {
      case 0x05:  // offset_extended
        return save(number, RuleKind::offset, factored_unsigned(in));
      case 0x06:  // restore_extended
        return restore(number);
      case 0x07:
        return save(number, RuleKind::undefined, 0);
      case 0x08:
        return save(number, RuleKind::same, 0);
      case 0x09:
        return save(number, RuleKind::in_register, static_cast<std::int64_t>(in.uleb()));
      case 0x10:
        *rule_of(number) = expression(in, RuleKind::expression);
        return;
      case 0x11:  // offset_extended_sf
        return save(number, RuleKind::offset, factored(in.sleb()));
      case 0x14:
        return save(number, RuleKind::value_offset, factored_unsigned(in));
      case 0x15:
        return save(number, RuleKind::value_offset, factored(in.sleb()));
      case 0x16:
        *rule_of(number) = expression(in, RuleKind::value_expression);
        return;
      default:
        failed_ = true;
    }
  }

  void remember() {
    if (remembered_ == kRemembered) {
      failed_ = true;
      return;
    }
    stack_[remembered_++] = rules_;
  }
  void recall() {
    if (remembered_ == 0) {
      failed_ = true;
      return;
    }
    rules_ = stack_[--remembered_];
  }

  const CommonInformation& common_;
  std::uint64_t at_;
  std::uint64_t pc_;
  FrameRules rules_;
  Rule initial_[kRegisters];
  Rule ignored_;
  FrameRules stack_[kRemembered];
  std::size_t remembered_ = 0;
  bool failed_ = false;
};

/// The FDE whose function begins last before `pc`; 0: none.
std::uint64_t search(const LoadedModule& module, std::uint64_t pc) {
  TableReader in(module, module.eh_header, UINT64_MAX);
  if (module.eh_header == 0 || in.fixed<std::uint8_t>() != 1) return 0;
  const auto pointer = in.fixed<std::uint8_t>();
  const auto number = in.fixed<std::uint8_t>();
  const auto table = in.fixed<std::uint8_t>();
  if (number == kOmitted || table != kSearchTable) return 0;
  in.encoded(pointer, module.eh_header);
  const std::uint64_t count = in.encoded(number, module.eh_header);
  const std::uint64_t entries = in.at();
  if (in.failed() || count == 0 || count > UINT32_MAX) return 0;
  if (!module.may_read(entries, count * kSearchEntry)) return 0;
  const auto value = [&](std::uint64_t i, std::uint64_t offset) {
    std::int32_t distance = 0;
    __builtin_memcpy(&distance, reinterpret_cast<const void*>(entries + i * kSearchEntry + offset),
                     sizeof distance);
    return module.eh_header + static_cast<std::uint64_t>(std::int64_t{distance});
  };
  std::uint64_t low = 0;
  for (std::uint64_t high = count; high - low > 1;) {
    const std::uint64_t middle = low + (high - low) / 2;
    (value(middle, 0) <= pc ? low : high) = middle;
  }
  return value(low, 0) <= pc ? value(low, 4) : 0;
}

}  // namespace

TableReader TableReader::part(std::uint64_t bytes) {
  TableReader inner;
  if (failed_ || at_ > end_ || bytes > end_ - at_) {
    inner.failed_ = failed_ = true;
  } else {
    inner.at_ = at_;
    inner.end_ = at_ + bytes;
  }
  return inner;
}

std::uint64_t TableReader::uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const auto byte = fixed<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t TableReader::sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const auto byte = fixed<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<std::int64_t>(value);
  }
  failed_ = true;
  return 0;
}

std::uint64_t TableReader::encoded(std::uint8_t encoding, std::uint64_t data) {
  if (encoding == kOmitted) return 0;
  const std::uint64_t place = at_;
  std::uint64_t value = 0;
  switch (encoding & kFormat) {
    case 0x00:
    case kUdata8:
    case kSdata8:
      value = fixed<std::uint64_t>();
      break;
    case kUleb:
      value = uleb();
      break;
    case kSleb:
      value = static_cast<std::uint64_t>(sleb());
      break;
    case kUdata2:
      value = fixed<std::uint16_t>();
      break;
    case kUdata4:
      value = fixed<std::uint32_t>();
      break;
    case kSdata2:
      value = static_cast<std::uint64_t>(std::int64_t{fixed<std::int16_t>()});
      break;
    case kSdata4:
      value = static_cast<std::uint64_t>(std::int64_t{fixed<std::int32_t>()});
      break;
    default:
      failed_ = true;
  }
  if ((encoding & kApplication) == kPcRelative) value += place;
  if ((encoding & kApplication) == kDataRelative) value += data;
  // An indirect pointer is only ever one to a routine that is not called here.
  return failed_ ? 0 : value;
}

bool find_rules(const LoadedModule& module, std::uint64_t pc, FrameRules& rules) {
  const std::uint64_t at = search(module, pc);
  TableReader entry(module, 0, 0);
  if (at == 0 || !entry_at(module, at, entry)) return false;
  const std::uint64_t place = entry.at();
  const auto back = entry.fixed<std::uint32_t>();
  TableReader head(module, 0, 0);
  if (back == 0 || back > place || !entry_at(module, place - back, head)) return false;
  CommonInformation common;
  if (!read_common(head, common)) return false;
  const std::uint64_t begin = entry.encoded(common.pointers, 0);
  const std::uint64_t length = entry.encoded(common.pointers & kFormat, 0);
  if (entry.failed() || pc < begin || pc - begin >= length) return false;
  if (common.augmented) entry.skip(entry.uleb());
  RuleProgram program(common, begin, pc);
  program.run(head);
  program.begin_function();
  program.run(entry);
  rules = program.rules();
  rules.signal_frame = common.signal_frame;
  return !program.failed();
}

}  // namespace slackline::record
