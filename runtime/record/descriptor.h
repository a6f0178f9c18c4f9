#ifndef SLACKLINE_RUNTIME_RECORD_DESCRIPTOR_H
#define SLACKLINE_RUNTIME_RECORD_DESCRIPTOR_H

#include <sys/types.h>

namespace slackline::record {

/// A file descriptor of the recorder's, in the program's table of descriptors.
///
/// The problem: the program may close it, as one that it does not know (closefrom(), close_range(),
/// daemons), by closing a number of its own twice, or by dup2(). Its next open() then gets that
/// number, and what the recorder does with it would happen to a file of the program's. The idea:
/// the number lies far above those that the system gives to the program, which are the lowest free
/// ones; and before each use it is looked at what stands behind it, by device and inode. 0.2 us.
///
/// Only system calls are made here, as functions of the C library may be interposed, and as samples
/// are written in a signal's handler.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// Takes `opened` over, and moves it. False if that is none.
  bool hold(int opened);
  /// The same where the program has closed the one that was held: only if it is the same file, else
  /// `opened` is closed, with errno ESTALE.
  bool hold_again(int opened);
  /// -1, with errno, where none is held or the program has closed it.
  int number() const;
  /// Only what is still the recorder's.
  void close();

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace slackline::record

#endif
