#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/open/open.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Foreign : public ::testing::Test {
 protected:
  std::string error_of(const fs::path& path) {
    return error_text([&] { open_trace(path); });
  }
  void put(const fs::path& name, std::string_view text) {
    fs::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, text);
  }
  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

// The beginnings of files as these programs write them.
TEST_F(Foreign, FilesAreNamed) {
  const std::string sqlite("SQLite format 3\0", 16);
  const std::string tar = "anchor.xml" + std::string(247, '\0') + "ustar";
  struct Case {
    const char* file;
    std::string text;
    const char* name;
  };
  const std::vector<Case> cases{
      {"a.nsys-rep", "\x01\x02", "Nsight Systems"},
      {"a.sqlite", sqlite + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL", "Nsight Systems"},
      {"a.db", sqlite + "CREATE TABLE rocpd_kernelapi", "rocpd"},
      {"b.db", sqlite + "CREATE TABLE t", "an SQLite database"},
      {"a_results.json", R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 7}}]})", "rocprof"},
      {"a_kernel_trace.csv", "\"Kind\",\"Agent_Id\",\"Kernel_Name\"\n", "rocprof"},
      {"et_0.json", R"({"schema": "1.0.2-chakra.0.0.4", "pid": 7, "nodes": []})", "Chakra"},
      {"pytorch_et.json", R"({"schema": "1.0.1", "nodes": [{"id": 1, "ctrl_deps": 1}]})", "Chakra"},
      {"a.et", "\x0a\x05", "Chakra"},
      {"nccl_trace_rank_0", std::string("\x80\x04\x95") + "entries collective_seq_id", "flight"},
      {"fr.json", R"({"version": "2.4", "entries": [{"profiling_name": "nccl:all_reduce"}]})",
       "flight recorder"},
      {"host-pid.log", R"({"header": {"rank": 0}, "coll_perf": {"coll": "AllReduce"}})",
       "NCCL inspector"},
      {"a.xplane.pb", "\x0a\x03", "JAX"},
      {"h.trace.json", R"({"traceEvents": [{"ph": "X", "args": {"hlo_module": "jit"}}]})", "JAX"},
      {"events.out.tfevents.1700000000.host", "brain.Event:2", "TensorBoard"},
      {"app.cubex", tar, "Cube"},
      {"profile.0.0.0", "5 templated_functions_MULTI_TIME\n", "TAU"},
      {"app-000000.hpcrun", "HPCRUN", "HPCToolkit"},
      {"TRACE.mpits", "/tmp/set-0/TRACE@host.0000.mpit", "Extrae"},
      {"nsys.csv", "Time (%),Total Time (ns),Instances,Name\n", "Nsight Systems"},
      {"list.json", R"([{"name": "f", "ph": "X", "ts": 1, "dur": 2}])", "Chrome trace"},
      {"c.json", R"({"traceEvents": [{"ph": "X", "name": "f"}]})", "Chrome trace"}};
  for (const Case& c : cases) {
    put(c.file, c.text);
    const std::string error = error_of(folder_ / c.file);
    EXPECT_THAT(error, AllOf(HasSubstr("it seems to be"), HasSubstr(c.name))) << c.file;
    fs::remove(folder_ / c.file);
    put(fs::path("in") / c.file, c.text);
    EXPECT_THAT(error_of(folder_ / "in"), HasSubstr(c.name)) << "folder with " << c.file;
    fs::remove_all(folder_ / "in");
  }
}

TEST_F(Foreign, FoldersAreNamed) {
  put("jax/plugins/profile/2026_01_02/host.xplane.pb", "\x0a");
  EXPECT_THAT(error_of(folder_ / "jax"), HasSubstr("TensorBoard"));
  EXPECT_THAT(error_of(folder_ / "jax/plugins/profile"), HasSubstr("TensorBoard"));
  put("hpctoolkit-a-database/meta.db", "HPCTOOLKITmeta");
  put("hpctoolkit-a-database/profile.db", "HPCTOOLKITprof");
  EXPECT_THAT(error_of(folder_ / "hpctoolkit-a-database/"), HasSubstr("database of HPCToolkit"));
  put("scorep-1/profile.cubex", "x");
  EXPECT_THAT(error_of(folder_ / "scorep-1"), HasSubstr("SCOREP_ENABLE_TRACING=true"));
}

TEST_F(Foreign, FoldersOfReadableFoldersAreNamed) {
  const std::string profile = R"({"schemaVersion": 1, "traceEvents": []})";
  put("job/node0/rank0.json", profile);
  EXPECT_THAT(error_of(folder_ / "job"), HasSubstr("Name " + (folder_ / "job/node0").string()));
  put("job/node1/rank1.json", profile);
  EXPECT_THAT(error_of(folder_ / "job"), AllOf(HasSubstr("2 folders"), HasSubstr("one folder")));
}

TEST_F(Foreign, WhatIsUnknownIsNotGuessed) {
  put("a.bin", "\x89PNG\r\n");
  EXPECT_THAT(error_of(folder_ / "a.bin"),
              AllOf(HasSubstr("matches no known format"), HasSubstr("profiles of PyTorch")));
  EXPECT_THAT(error_of(folder_), HasSubstr("the folder contains none"));
}

}  // namespace
}  // namespace slackline
