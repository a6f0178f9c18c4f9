#include "jobs/record/recording_obstacles.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace slackline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RecordingObstacles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// A program with that loader; none if it is empty.
  std::string program(const std::string& name, const std::string& loader,
                      unsigned char bits = ELFCLASS64) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = bits;
    header.e_type = loader.empty() ? ET_EXEC : ET_DYN;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = loader.empty() ? 1 : 2;
    Elf64_Phdr parts[2] = {};
    parts[0].p_type = PT_LOAD;
    parts[1].p_type = PT_INTERP;
    parts[1].p_offset = sizeof header + sizeof parts;
    parts[1].p_filesz = loader.size();
    const fs::path path = folder_ / name;
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(reinterpret_cast<const char*>(parts), sizeof parts);
    out << loader;
    out.close();
    fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
    return path.string();
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "recording_obstacles";
};

std::string of(const std::vector<std::string>& command) {
  return recording_obstacle(command);
}

TEST_F(RecordingObstacles, AProgramIsKnownByItsFile) {
  const std::string usual = program("usual", "/usr/lib/ld-linux-x86-64.so.2");
  EXPECT_EQ(of({"mpirun", "-n", "4", usual, "input"}), "");
  EXPECT_THAT(of({"mpirun", "-n", "4", program("fixed", "")}),
              HasSubstr("/fixed' is linked statically"));
  EXPECT_THAT(of({usual, program("other", "/lib/ld-musl-x86_64.so.1")}), HasSubstr("musl"));
  EXPECT_THAT(of({program("small", "", ELFCLASS32)}), HasSubstr("32-bit"));
  fs::permissions(usual, fs::perms::set_uid, fs::perm_options::add);
  EXPECT_EQ(of({usual}), "") << "it is the user's own";
  if (geteuid() != 0 || chown(usual.c_str(), 65534, 65534) != 0) return;
  fs::permissions(usual, fs::perms::set_uid, fs::perm_options::add);
  EXPECT_THAT(of({usual}), HasSubstr("more privileges"));
}

TEST_F(RecordingObstacles, ALibraryIsNoStaticProgram) {
  const std::string library = program("library.so", "");
  std::fstream file(library, std::ios::in | std::ios::out | std::ios::binary);
  const Elf64_Half type = ET_DYN;
  file.seekp(offsetof(Elf64_Ehdr, e_type));
  file.write(reinterpret_cast<const char*>(&type), sizeof type);
  file.close();
  EXPECT_EQ(of({"mpirun", "app", library}), "");
}

TEST_F(RecordingObstacles, FilesThatAreNoProgramsOrCutAreNone) {
  const std::string cut = program("cut", "/usr/lib/ld-linux-x86-64.so.2");
  for (const std::uintmax_t bytes : {0u, 3u, 5u, 40u, 100u, 180u}) {
    fs::resize_file(cut, bytes);
    EXPECT_EQ(of({"mpirun", cut}), "") << bytes;
  }
  EXPECT_EQ(of({"mpirun", (folder_ / "none").string(), folder_.string(), ""}), "");
  EXPECT_EQ(of({}), "");
}

TEST_F(RecordingObstacles, ContainersAndClearedEnvironments) {
  EXPECT_THAT(of({"mpirun", "/usr/bin/apptainer", "exec", "image", "app"}),
              HasSubstr("'apptainer' starts a container"));
  EXPECT_THAT(of({"mpirun", "env", "A=b", "-i", "app"}), HasSubstr("'env' removes"));
  EXPECT_THAT(of({"mpirun", "env", "-u", "LD_PRELOAD", "app"}), HasSubstr("'env' removes"));
  EXPECT_EQ(of({"mpirun", "env", "A=b", "app", "-i"}), "");
  EXPECT_EQ(of({"mpirun", "env", "-u", "A", "LD_PRELOAD=x.so", "app"}), "");
}

}  // namespace
}  // namespace slackline
