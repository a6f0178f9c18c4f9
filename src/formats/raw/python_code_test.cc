#include "formats/raw/python_code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace slackline::raw {
namespace {

struct Range {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t line;  // 0: none
};

struct Function {
  std::uint32_t version;
  std::vector<std::uint8_t> table;
  std::vector<Range> lines;
};

// Tables of a function with a loop, a call over two lines, try, except, finally, 150 empty lines
// and a with statement; lines as the same Python gives them by code.co_lines(), that of 3.9 by
// dis.findlinestarts().
const std::vector<Function> kFunctions{
    {0x030912f0,  // 3.9.18
     {0, 1,  4, 1,  2, 1,  2,   255, 8,  2, 4, 1,  6, 1, 2, 255, 10,
      2, 14, 1, 32, 2, 22, 127, 0,   24, 6, 1, 38, 1, 4, 1, 4,   1},
     {{0, 4, 2},
      {4, 6, 3},
      {6, 8, 4},
      {8, 16, 3},
      {16, 20, 5},
      {20, 26, 6},
      {26, 28, 7},
      {28, 38, 6},
      {38, 52, 8},
      {52, 84, 9},
      {84, 106, 11},
      {106, 112, 162},
      {112, 150, 163},
      {150, 154, 164},
      {154, 158, 165},
      {158, 162, 166}}},
    {0x030a0df0,  // 3.10.13
     {4,   1, 2,   1, 2,   1,  8, 255, 4,   2, 6,  1,  2, 1,  10,  255, 14, 2, 20, 1, 8,
      128, 2, 255, 2, 128, 20, 3, 0,   127, 6, 24, 10, 1, 28, 255, 4,   2,  4, 1,  4, 1},
     {{0, 4, 2},       {4, 6, 3},       {6, 8, 4},       {8, 16, 3},      {16, 20, 5},
      {20, 26, 6},     {26, 28, 7},     {28, 38, 6},     {38, 52, 8},     {52, 72, 9},
      {72, 80, 0},     {80, 82, 8},     {82, 84, 0},     {84, 104, 11},   {104, 110, 162},
      {110, 120, 163}, {120, 148, 162}, {148, 152, 164}, {152, 156, 165}, {156, 160, 166}}},
    {0x030b07f0,  // 3.11.7
     {128, 0,   216, 12,  13,  128, 69,  221, 13,  18,  216, 12,  13,  241, 3,   1,   14,  15,  244,
      0,   1,   14,  15,  240, 0,   8,   5,   23,  240, 0,   8,   5,   23,  136, 1,   240, 4,   6,
      9,   23,  216, 12,  17,  144, 84,  151, 94,  146, 94,  216, 16,  17,  241, 3,   1,   22,  19,
      244, 0,   1,   22,  19,  241, 0,   1,   13,  19,  136, 69,  136, 69,  248, 229, 15,  25,  240,
      0,   1,   9,   23,  240, 0,   1,   9,   23,  240, 0,   1,   9,   23,  216, 12,  17,  144, 81,
      137, 74,  136, 69,  136, 69,  136, 69,  136, 69,  136, 69,  136, 69,  248, 248, 248, 248, 240,
      3,   1,   9,   23,  248, 248, 248, 240, 6,   0,   13,  18,  144, 81,  137, 74,  136, 69,  136,
      69,  248, 136, 69,  144, 81,  137, 74,  136, 69,  136, 69,  136, 69,  136, 69,  136, 69,  240,
      110, 4,   0,   10,  14,  240, 0,   1,   5,   20,  144, 17,  216, 8,   9,   143, 9,   138, 9,
      137, 11,  140, 11,  136, 11,  240, 3,   1,   5,   20,  240, 0,   1,   5,   20,  240, 0,   1,
      5,   20,  241, 0,   1,   5,   20,  244, 0,   1,   5,   20,  240, 0,   1,   5,   20,  240, 0,
      1,   5,   20,  240, 0,   1,   5,   20,  240, 0,   1,   5,   20,  240, 0,   1,   5,   20,  240,
      0,   1,   5,   20,  248, 248, 248, 240, 0,   1,   5,   20,  240, 0,   1,   5,   20,  240, 0,
      1,   5,   20,  240, 0,   1,   5,   20,  224, 7,   8,   240, 0,   1,   5,   21,  216, 15,  20,
      136, 12,  216, 11,  15,  136, 52},
     {{0, 2, 1},       {2, 6, 2},     {6, 18, 3},      {18, 20, 4},     {20, 40, 3},
      {40, 42, 5},     {42, 68, 6},   {68, 70, 7},     {70, 92, 6},     {92, 94, 0},
      {94, 112, 8},    {112, 132, 9}, {132, 140, 0},   {140, 142, 8},   {142, 148, 0},
      {148, 160, 11},  {160, 162, 0}, {162, 180, 11},  {180, 186, 162}, {186, 226, 163},
      {226, 258, 162}, {258, 264, 0}, {264, 272, 162}, {272, 276, 164}, {276, 280, 165},
      {280, 284, 166}}},
    {0x030c01f0,  // 3.12.1
     {128, 0,   216, 12,  13,  128, 69,  220, 13, 18,  216, 12,  13,  243, 3,   1,   14,  15,
      242, 0,   8,   5,   23,  136, 1,   240, 4,  6,   9,   23,  216, 12,  17,  144, 84,  151,
      94,  145, 94,  216, 16,  17,  243, 3,   1,  22,  19,  241, 0,   1,   13,  19,  136, 69,
      240, 10,  0,   13,  18,  144, 81,  137, 74, 137, 69,  240, 17,  8,   5,   23,  240, 126,
      4,   0,   10,  14,  240, 0,   1,   5,   20, 144, 17,  216, 8,   9,   143, 9,   137, 9,
      140, 11,  247, 3,   1,   5,   20,  225, 7,  8,   216, 15,  20,  136, 12,  216, 11,  15,
      248, 244, 125, 4,   0,   16,  26,  242, 0,  1,   9,   23,  216, 12,  17,  144, 81,  137,
      74,  141, 69,  251, 240, 3,   1,   9,   23, 251, 240, 6,   0,   13,  18,  144, 81,  137,
      74,  137, 69,  250, 247, 110, 4,   1,   5,  20,  240, 0,   1,   5,   20,  250},
     {{0, 2, 1},       {2, 6, 2},       {6, 16, 3},     {16, 18, 4},     {18, 34, 3},
      {34, 36, 5},     {36, 60, 6},     {60, 62, 7},    {62, 76, 6},     {76, 88, 11},
      {88, 90, 3},     {90, 96, 162},   {96, 128, 163}, {128, 144, 162}, {144, 148, 164},
      {148, 152, 165}, {152, 154, 166}, {154, 156, 0},  {156, 172, 8},   {172, 192, 9},
      {192, 200, 0},   {200, 202, 8},   {202, 210, 0},  {210, 222, 11},  {222, 228, 0},
      {228, 246, 162}, {246, 252, 0}}},
    {0x030d00f0,  // 3.13.0
     {128, 0,   216, 12,  13,  128, 69,  220, 13,  18,  216, 12,  13,  246, 3,   1,   14,  15,  136,
      1,   240, 4,   6,   9,   23,  216, 12,  17,  151, 94,  145, 94,  216, 16,  17,  243, 3,   1,
      22,  19,  241, 0,   1,   13,  19,  136, 69,  240, 10,  0,   13,  18,  144, 81,  137, 74,  138,
      69,  241, 17,  1,   14,  15,  241, 126, 4,   0,   10,  14,  144, 17,  216, 8,   9,   143, 9,
      137, 9,   140, 11,  247, 3,   0,   10,  14,  230, 7,   8,   216, 15,  20,  136, 12,  216, 11,
      15,  248, 244, 125, 4,   0,   16,  26,  243, 0,   1,   9,   23,  216, 12,  17,  144, 81,  137,
      74,  141, 69,  251, 240, 3,   1,   9,   23,  251, 240, 6,   0,   13,  18,  144, 81,  137, 74,
      137, 69,  250, 247, 110, 4,   0,   10,  14,  141, 20,  250},
     {{0, 2, 1},       {2, 6, 2},       {6, 16, 3},     {16, 18, 4},     {18, 34, 3},
      {34, 36, 5},     {36, 58, 6},     {58, 60, 7},    {60, 74, 6},     {74, 88, 11},
      {88, 92, 3},     {92, 98, 162},   {98, 130, 163}, {130, 146, 162}, {146, 160, 164},
      {160, 164, 165}, {164, 166, 166}, {166, 168, 0},  {168, 186, 8},   {186, 206, 9},
      {206, 214, 0},   {214, 216, 8},   {216, 224, 0},  {224, 236, 11},  {236, 242, 0},
      {242, 270, 162}, {270, 276, 0}}},
};

TEST(PythonLine, IsWhatPythonSays) {
  for (const Function& function : kFunctions) {
    std::uint32_t checked = 0;
    for (const Range& range : function.lines) {
      for (std::uint32_t at = range.begin; at < range.end; at += 2) {
        EXPECT_EQ(python_line(function.version, 1, function.table, at), range.line)
            << std::hex << function.version << std::dec << " at " << at;
        ++checked;
      }
    }
    EXPECT_EQ(checked, function.lines.back().end / 2);
  }
}

TEST(PythonLine, OfADamagedTableIsNone) {
  for (const Function& function : kFunctions) {
    for (std::size_t length = 0; length < function.table.size(); ++length) {
      std::vector<std::uint8_t> table(function.table.begin(),
                                      function.table.begin() + static_cast<std::ptrdiff_t>(length));
      python_line(function.version, 1, table, 1 << 20);
      table.resize(function.table.size(), 0xff);
      python_line(function.version, 1, table, 1 << 20);
    }
  }
  EXPECT_EQ(python_line(0x030b0000, 5, {}, 0), 0u);
}

/// Arguments of SLK_REC_PYTHON_CODE.
std::vector<std::int64_t> code(std::int64_t first_line, const std::string& name,
                               const std::string& file, const std::string& table) {
  std::vector<std::int64_t> args{first_line, static_cast<std::int64_t>(name.size()),
                                 static_cast<std::int64_t>(file.size()),
                                 static_cast<std::int64_t>(table.size())};
  const std::string text = name + file + table;
  args.resize(args.size() + (text.size() + 7) / 8);
  std::memcpy(args.data() + SLK_CODE_TEXT_AT, text.data(), text.size());
  return args;
}

Record record(std::uint8_t op, std::uint32_t id, const std::vector<std::int64_t>& args) {
  Record r{};
  r.head.op = op;
  r.head.request = id;
  r.head.tag = 0x030a0df0;
  r.head.bytes = SLK_PYTHON_FRAMES;
  r.args = args;
  return r;
}

std::uint64_t place(std::uint64_t id, std::uint64_t offset) {
  return SLK_PATH_PYTHON | id << SLK_PATH_CODE_SHIFT | offset;
}

TEST(PythonCode, NamesFunctionFileAndLine) {
  PythonCode python;
  EXPECT_FALSE(python.has_frames());
  EXPECT_TRUE(python.add(record(SLK_REC_PYTHON, 0, {})));
  const auto assemble = code(40, "Solver.assemble", "/usr/nowhere/solver.py", {"\4\2\4\1", 4});
  EXPECT_TRUE(python.add(record(SLK_REC_PYTHON_CODE, 3, assemble)));
  EXPECT_TRUE(python.has_frames());
  EXPECT_EQ(python.version(), 0x030a0df0u);
  const CodeLocation expected{"Solver.assemble", "/usr/nowhere/solver.py", 42,
                              "/usr/nowhere/solver.py"};
  EXPECT_EQ(python.at(place(3, 2)), expected);
  EXPECT_EQ(python.at(place(3, 4))->line, 43u);
  EXPECT_EQ(python.at(place(3, 8))->line, 0u);
  EXPECT_EQ(python.at(place(4, 2)), std::nullopt);
}

TEST(PythonCode, WhoseTextIsTooShortIsDamaged) {
  PythonCode python;
  for (std::size_t i = 1; i < SLK_CODE_TEXT_AT; ++i) {
    auto args = code(40, "f", "a.py", {"\4\2", 2});
    args[i] = 1000;
    EXPECT_FALSE(python.add(record(SLK_REC_PYTHON_CODE, 1, args)));
    args[i] = -1;
    EXPECT_FALSE(python.add(record(SLK_REC_PYTHON_CODE, 1, args)));
  }
  EXPECT_FALSE(python.add(record(SLK_REC_PYTHON_CODE, 1, {1, 0, 0})));
  EXPECT_EQ(python.at(place(1, 0)), std::nullopt);
}

}  // namespace
}  // namespace slackline::raw
