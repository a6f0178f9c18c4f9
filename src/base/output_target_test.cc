#include "base/output_target.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/output_files.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

// All special files are made here, in a folder of the test's own: what is broken harms only them.

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr mode_t kNullDevice = S_IFCHR | 0666;

class SpecialFile : public ::testing::Test {
 protected:
  fs::path make(const std::string& name, const std::string& text = "old") const {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  static struct stat status(const fs::path& path) {
    struct stat found {};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string refused(const fs::path& path) {
    return error_text([&] { write_file(path, "new"); });
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(SpecialFile, DeviceIsWrittenThrough) {
  const fs::path device = folder_ / "null";
  if (::mknod(device.c_str(), kNullDevice, makedev(1, 3)) != 0) GTEST_SKIP() << "not root";
  write_file(device, "new");
  EXPECT_TRUE(S_ISCHR(status(device).st_mode));
  fs::create_symlink("null", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(S_ISLNK(status(folder_ / "link").st_mode));
  EXPECT_TRUE(S_ISCHR(status(device).st_mode));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(SpecialFile, FullDeviceIsAnError) {
  const fs::path device = folder_ / "full";
  if (::mknod(device.c_str(), kNullDevice, makedev(1, 7)) != 0) GTEST_SKIP() << "not root";
  EXPECT_THAT(refused(device), HasSubstr("No space left on device"));
  EXPECT_TRUE(S_ISCHR(status(device).st_mode));
}

TEST_F(SpecialFile, BlockDeviceIsRefused) {
  const fs::path device = folder_ / "disk";
  if (::mknod(device.c_str(), S_IFBLK | 0666, makedev(7, 255)) != 0) GTEST_SKIP() << "not root";
  EXPECT_THAT(refused(device), HasSubstr("it is a block device"));
  EXPECT_TRUE(S_ISBLK(status(device).st_mode));
}

TEST_F(SpecialFile, FifoIsWrittenThrough) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::string got(100, '\0');
  std::thread reader([&] {
    const int fd = ::open(fifo.c_str(), O_RDONLY);
    const ssize_t n = ::read(fd, got.data(), got.size());
    got.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    ::close(fd);
  });
  write_file(fifo, "new");
  reader.join();
  EXPECT_EQ(got, "new");
  EXPECT_TRUE(S_ISFIFO(status(fifo).st_mode));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SpecialFile, DescriptorIsWrittenTo) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    ASSERT_EQ(::pipe(ends.data()), 0);
    write_file(folder + std::to_string(ends[1]), "new");
    std::array<char, 4> got{};
    EXPECT_EQ(::read(ends[0], got.data(), got.size()), 3);
    ::close(ends[0]);
    EXPECT_THROW(write_file(folder + std::to_string(ends[1]), "more"), BrokenPipe);
    ::close(ends[1]);
  }
}

TEST_F(SpecialFile, DescriptorOfAFileIsNotReplaced) {
  const fs::path file = make("file");
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND);
  write_file("/dev/fd/" + std::to_string(fd), "new");
  ::close(fd);
  EXPECT_EQ(MappedFile(file).text(), "oldnew");
}

TEST_F(SpecialFile, StandardOutputHasManyNames) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_TRUE(is_standard_output(name)) << name;
    EXPECT_TRUE(OutputTarget(name).is_stream()) << name;
  }
  fs::create_symlink("/dev/stdout", folder_ / "link");
  EXPECT_TRUE(is_standard_output(folder_ / "link"));
  EXPECT_FALSE(is_standard_output("/dev/stderr"));
  EXPECT_FALSE(is_standard_output(folder_ / "-"));
}

TEST_F(SpecialFile, TargetOfALinkIsWritten) {
  const fs::path file = make("file");
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink("../file", folder_ / "elsewhere" / "first");
  fs::create_symlink(folder_ / "elsewhere" / "first", folder_ / "second");
  write_file(folder_ / "second", "new");
  EXPECT_EQ(MappedFile(file).text(), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "elsewhere" / "first"));
}

TEST_F(SpecialFile, TargetOfADanglingLinkIsMade) {
  fs::create_symlink("missing", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(MappedFile(folder_ / "missing").text(), "new");
}

TEST_F(SpecialFile, LinksInACircleAreRefused) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_THAT(refused(folder_ / "a"), HasSubstr("form a circle"));
}

TEST_F(SpecialFile, LinkOfAnotherUserInAFolderForAllIsRefused) {
  const fs::path file = make("file");
  const fs::path shared = folder_ / "tmp";
  fs::create_directory(shared);
  fs::create_symlink(file, shared / "link");
  if (::lchown((shared / "link").c_str(), 1234, 1234) != 0) GTEST_SKIP() << "not root";
  EXPECT_EQ(refused(shared / "link"), "no error");
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  EXPECT_THAT(refused(shared / "link"), HasSubstr("another user"));
}

TEST_F(SpecialFile, ModeAndOwnerAreKept) {
  const fs::path file = make("file");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 1234, 1235), 0);
  }
  const struct stat before = status(file);
  write_file(file, "new");
  const struct stat after = status(file);
  EXPECT_EQ(MappedFile(file).text(), "new");
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
}

TEST_F(SpecialFile, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  make("report");
  OutputFile trace(folder_ / "trace", FileAccess::owner_only);
  trace.commit();
  ::umask(before);
  EXPECT_EQ(status(folder_ / "report").st_mode & 0777, 0640u);
  EXPECT_EQ(status(folder_ / "trace").st_mode & 0777, 0600u);
}

TEST_F(SpecialFile, WriteProtectedFileIsRefusedEvenForRoot) {
  const fs::path file = make("file");
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  EXPECT_THAT(refused(file), HasSubstr("write-protected"));
  fs::create_symlink(file, folder_ / "link");
  EXPECT_THAT(refused(folder_ / "link"), HasSubstr("write-protected"));
  EXPECT_EQ(MappedFile(file).text(), "old");
}

TEST_F(SpecialFile, HardLinksAreKept) {
  const fs::path file = make("file", "old and longer");
  fs::create_hard_link(file, folder_ / "other");
  write_file(file, "new");
  EXPECT_EQ(MappedFile(folder_ / "other").text(), "new");
  EXPECT_EQ(status(file).st_nlink, 2u);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(SpecialFile, FolderIsRefused) {
  EXPECT_THAT(refused(folder_), HasSubstr("it is a folder. Name a file."));
}

TEST_F(SpecialFile, SocketIsRefused) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder_ / "s";
  if (path.size() >= sizeof address.sun_path) GTEST_SKIP() << "the folder's name is too long";
  path.copy(address.sun_path, path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refused(path), HasSubstr("it is a socket"));
  ::close(fd);
  EXPECT_TRUE(S_ISSOCK(status(path).st_mode));
}

TEST_F(SpecialFile, PlantedTemporariesAreNotFollowed) {
  const fs::path precious = make("precious");
  const OutputTarget target(folder_ / "out");
  const fs::path name = temporary_beside(target.path());
  EXPECT_NE(name, temporary_beside(target.path()));
  fs::create_symlink(precious, name);
  EXPECT_THROW(target.create(name, 0600), Error);
  EXPECT_EQ(MappedFile(precious).text(), "old");
}

TEST_F(SpecialFile, LongestNamesCanBeWritten) {
  const std::string longest(255, 'x');
  write_file(folder_ / longest, "new");
  EXPECT_EQ(MappedFile(folder_ / longest).text(), "new");
  {
    OutputFiles files(folder_ / std::string(255, 'y'));
    write_file(files.path(), "new");
    files.commit();
  }
  EXPECT_EQ(entries(), 2u);
}

TEST_F(SpecialFile, StreamTakesOneFileOnly) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(error_text([&] { OutputFiles files(fifo); }), HasSubstr("it is a stream"));
  OutputFiles files(fifo, OutputFiles::Existing::replace, OutputFiles::Content::one_file);
  EXPECT_EQ(files.path(), fifo);
  files.commit();
  EXPECT_TRUE(S_ISFIFO(status(fifo).st_mode));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SpecialFile, SeveralFilesRespectWhatStandsBesideThem) {
  make("precious");
  fs::create_symlink("precious", folder_ / "run.row");
  ASSERT_EQ(::mkfifo((folder_ / "run.pcf").c_str(), 0600), 0);
  const auto write = [&](const std::string& beside) {
    OutputFiles files(folder_ / "run.prv");
    write_file(files.path(), "main");
    write_file(files.path().replace_extension(beside), "new");
    files.commit();
  };
  EXPECT_THAT(error_text([&] { write(".pcf"); }), HasSubstr("run.pcf"));
  EXPECT_FALSE(fs::exists(folder_ / "run.prv"));
  write(".row");
  EXPECT_TRUE(fs::is_symlink(folder_ / "run.row"));
  EXPECT_EQ(MappedFile(folder_ / "precious").text(), "new");
}

TEST_F(SpecialFile, FolderBehindALinkIsReplacedThere) {
  fs::create_directory(folder_ / "data");
  fs::create_symlink("data", folder_ / "run");
  OutputFiles files(folder_ / "run", OutputFiles::Existing::replace);
  fs::create_directory(files.path());
  write_file(files.path() / "new", "y");
  files.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "run"));
  EXPECT_TRUE(fs::exists(folder_ / "data" / "new"));
}

}  // namespace
}  // namespace slackline
