#include "calls/computation_code.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/text/text.h"

namespace slackline {
namespace {

/// The function that stands for the last of these frames.
std::string own_function(const std::string& frames) {
  const Trace trace = read_text("slackline-trace 1 untimed ranks=1\n" + frames + "rank 0\n", "t");
  const CallTree& tree = trace.call_tree();
  return tree.location(own_frame(tree, static_cast<FrameId>(tree.size()))).function;
}

const std::string kMain = "frame 1 0 \"main\" file=\"a.c\" line=9 module=app\n";

TEST(OwnFrame, IsNoLibraryAndNotInlined) {
  const std::string step = kMain + "frame 2 1 \"step\" file=\"a.c\" line=5 module=app\n";
  EXPECT_EQ(own_function(step), "step");
  EXPECT_EQ(own_function(step + "frame 3 2 \"sin\" module=libm.so.6\n"), "step");
  EXPECT_EQ(own_function(step + "frame 3 2 \"power\" file=\"a.c\" line=2 module=app inlined\n"),
            "step");
}

// As of a stripped program: the reader names them by where they begin.
TEST(OwnFrame, MayBeWithoutAName) {
  EXPECT_EQ(own_function(kMain + "frame 2 1 \"app+0x1200\" module=app\n"
                                 "frame 3 2 \"dgemm_\" module=libblas.so.3\n"),
            "app+0x1200");
}

TEST(OwnFrame, IsNoTemplateOfALibrary) {
  const std::string sort = kMain + "frame 2 1 \"order\" file=\"a.cc\" line=5 module=app\n";
  const std::string name = "frame 3 2 \"void std::__introsort_loop<int*>\" ";
  EXPECT_EQ(own_function(sort + name + "file=\"/usr/include/c++/12/x.h\" line=1 module=app\n"),
            "order");
  EXPECT_EQ(own_function(sort + name + "module=app\n"), "order");
  // One of the program's own may return what the library has.
  EXPECT_EQ(own_function(sort + "frame 3 2 \"std::vector<int> halo<2>\" file=\"b.cc\" line=1 "
                                "module=app\n"),
            "std::vector<int> halo<2>");
}

TEST(OwnFrame, IsWhatIsInlinedIntoTheMainProgram) {
  const std::string step = kMain + "frame 2 1 \"step\" file=\"a.c\" line=5 module=app inlined\n";
  EXPECT_EQ(own_function(step), "step");
  EXPECT_EQ(own_function(step + "frame 3 2 \"power\" file=\"a.c\" line=2 module=app inlined\n"),
            "step");
  EXPECT_EQ(own_function(kMain), "main");
}

TEST(OwnFrame, IsAPythonFunctionOfTheProgram) {
  const std::string run =
      "frame 1 0 \"<module>\" file=\"/usr/nowhere/run.py\" line=9 module=\"/usr/nowhere/run.py\"\n";
  const std::string step = run +
                           "frame 2 1 \"Solver.step\" file=\"/usr/nowhere/run.py\" line=5 "
                           "module=\"/usr/nowhere/run.py\"\n";
  EXPECT_EQ(own_function(step), "Solver.step");
  for (const char* const inner :
       {"\"PyDict_GetItem\" module=\"/usr/bin/python3.11\"",
        "\"PyDict_GetItem\" module=\"/opt/lib/libpython3.12.so.1.0\"",
        "\"Comm.Barrier\" module=\"/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311.so\"",
        "\"dot\" file=\"/opt/e/lib/site-packages/numpy/core.py\" line=3 "
        "module=\"/opt/e/lib/site-packages/numpy/core.py\"",
        "\"run\" file=\"/opt/lib/python3.12/threading.py\" line=3 "
        "module=\"/opt/lib/python3.12/threading.py\"",
        "\"_find_and_load\" file=\"<frozen importlib._bootstrap>\" line=3 "
        "module=\"<frozen importlib._bootstrap>\"",
        "\"ffi_call\" module=libffi.so.8"}) {
    EXPECT_EQ(own_function(step + "frame 3 2 " + inner + "\n"), "Solver.step") << inner;
  }
  // What the program makes of a string, and its own extension in C.
  EXPECT_EQ(
      own_function(step + "frame 3 2 \"made\" file=\"<string>\" line=1 module=\"<string>\"\n"),
      "made");
  EXPECT_EQ(
      own_function(step + "frame 3 2 \"kernel\" module=\"/usr/nowhere/kernel.cpython-311.so\"\n"),
      "kernel");
  EXPECT_EQ(own_function(run + "frame 2 1 \"main\" file=\"/usr/nowhere/python_main.py\" line=5 "
                               "module=\"/usr/nowhere/python_main.py\"\n"),
            "main");
}

// The compiler's main calls the program, which is called MAIN__ or has its own name.
TEST(OwnFrame, KnowsFortransMainProgram) {
  const std::string main = "frame 1 0 \"main\" file=\"s.f90\" line=9 module=app\n";
  const std::string solver = "\"solver\" file=\"s.f90\" line=7 module=app";
  const std::string work = "\"work::assemble\" file=\"s.f90\" line=3 module=app inlined\n";
  EXPECT_EQ(own_function(main + "frame 2 1 " + solver + " inlined\nframe 3 2 " + work),
            "work::assemble");
  EXPECT_EQ(own_function(main + "frame 2 1 " + solver + "\nframe 3 2 " + work), "work::assemble");
  EXPECT_EQ(own_function(main + "frame 2 1 " + solver + "\n"), "solver");
}

}  // namespace
}  // namespace slackline
