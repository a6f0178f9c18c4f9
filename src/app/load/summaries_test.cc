// Which runs a folder has.

#include "app/load/summaries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

JobSummary run_at(int second, std::string commit = {}) {
  JobSummary s{.program = "app", .started = fmt::format("2026-01-02T03:04:{:02}Z", second)};
  s.identity.commit = std::move(commit);
  s.ranks = 4;
  s.metrics = {{{1e9}, {0.5}, {0.75}, {0.625}, {0.875}, {0.75}}};
  s.waiting = {0.25};
  s.functions = {{"kernel", {2e8}, {3e8}, {3}}};
  return s;
}

void write(const fs::path& file, const JobSummary& summary) {
  write_file(file, json_text(JobSummaryJson(summary)));
}

std::string refused(const fs::path& path) {
  try {
    SummaryList({}).add(path.string());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SummaryList, OneRunCountsOnceHoweverItWasLabelledOrShortened) {
  const ScratchFolder folder;
  JobSummary shortened = run_at(1, "0123abcd");
  shortened.functions.clear();
  write(folder / "a.json", run_at(1));
  write(folder / "b.json", shortened);
  write(folder / "c.json", run_at(2));
  SummaryList list({});
  list.add(folder.path().string());
  ASSERT_EQ(list.entries().size(), 2u);
  EXPECT_EQ(list.entries()[0].summary.identity.commit, "0123abcd");
  EXPECT_EQ(list.findings().entries().at(0).name, "same_run_given_twice");
  SummaryList other({});
  other.add((folder / "b.json").string());
  EXPECT_THAT(list.distinct().common_with(other.distinct()), ::testing::ElementsAre("a"));
}

TEST(SummaryList, FilesOfOneNameInSeveralFoldersAreNotTakenForOneCommit) {
  const ScratchFolder folder;
  int number = 0;
  for (const char* name : {"one", "two"}) {
    fs::create_directory(folder / name);
    write(folder / name / "1.json", run_at(++number));
    write(folder / name / "2.summary.json", run_at(++number));
  }
  for (const std::string& path : {folder.path().string(), folder.path().string() + "/"}) {
    SummaryList list({});
    list.add(path);
    std::vector<std::string> names;
    for (const HistoryEntry& entry : list.entries()) names.push_back(entry.name);
    EXPECT_THAT(names, ::testing::ElementsAre("one/1", "one/2", "two/1", "two/2"));
  }
}

TEST(SummaryList, ADamagedFileIsNamed) {
  const ScratchFolder folder;
  write(folder / "a.json", run_at(1));
  write_file(folder / "b.json", std::string("{\"schema\": \"slackline-summ"));
  write_file(folder / "c.json", std::string("{\"schema\": \"slackline-summary/1\"}"));
  write_file(folder / "d.slk", std::string("SLKTRACE, but nothing of one"));
  write_file(folder / "package.json", std::string("{}"));
  SummaryList list({});
  list.add(folder.path().string());
  EXPECT_EQ(list.entries().size(), 1u);
  const Findings::Entry& found = list.findings().entries().at(0);
  EXPECT_EQ(found.name, "unreadable_summary");
  EXPECT_EQ(found.count, 3u);
  EXPECT_THAT(found.examples.at(0), HasSubstr("b.json"));
  EXPECT_THAT(refused(folder / "b.json"), HasSubstr("line 1"));
  EXPECT_THAT(refused(folder / "package.json"), HasSubstr("neither a summary nor a report"));
  fs::remove(folder / "a.json");
  EXPECT_THAT(refused(folder.path()), HasSubstr("b.json"));
}

TEST(SummaryList, AFolderThatCannotBeReadIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "everything can be read as root";
  const ScratchFolder folder;
  write(folder / "a.json", run_at(1));
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::none);
  SummaryList list({});
  list.add(folder.path().string());
  EXPECT_EQ(list.entries().size(), 1u);
  EXPECT_EQ(list.findings().entries().at(0).name, "unreadable_summary");
  EXPECT_THAT(list.findings().entries().at(0).examples.at(0), HasSubstr("closed'"));
  EXPECT_THAT(refused(folder / "closed"), HasSubstr("closed'"));
  fs::permissions(folder / "closed", fs::perms::owner_all);
}

TEST(SummaryList, LinksToFoldersAndPipesAreNotFollowed) {
  const ScratchFolder folder;
  write(folder / "a.json", run_at(1));
  fs::create_directory(folder / "more");
  write(folder / "more" / "b.json", run_at(2));
  fs::create_directory_symlink(folder.path(), folder / "more" / "loop");
  fs::create_symlink("self.json", folder / "self.json");
  ASSERT_EQ(::mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  SummaryList list({});
  list.add(folder.path().string());
  EXPECT_EQ(list.entries().size(), 2u);
  EXPECT_TRUE(list.findings().empty());
}

}  // namespace
}  // namespace slackline
