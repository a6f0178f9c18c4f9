#pragma once

#include <string>

#include "base/findings.h"
#include "sim/platform/read_platform.h"

namespace slackline::testing {

/// Hosts a and b, and a host c at which their cables of 1 GB/s meet; each cable has that latency,
/// as XML says it ("5us").
inline Platform star(const std::string& latency) {
  std::string text =
      "<platform version='4.1'><zone id='w' routing='Full'>"
      "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>";
  for (const char* link : {"from a", "from b", "to c"}) {
    text += "<link id='" + std::string(link) + "' bandwidth='1GBps' latency='" + latency + "'/>";
  }
  for (const std::string host : {"a", "b"}) {
    text += "<route src='" + host + "' dst='c'><link_ctn id='from " + host +
            "'/><link_ctn id='to c'/></route>";
  }
  Findings findings;
  return parse_platform_xml(text + "</zone></platform>", "star.xml", findings);
}

}  // namespace slackline::testing
