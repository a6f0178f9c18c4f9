#include "page/drawn_timeline.h"

#include <utility>

#include "report/unit.h"

namespace slackline {
namespace {

Json level_json(const Timeline::Level& level, BlobList& blobs) {
  Json slices = Json::array();
  for (const Timeline::Slice& slice : level.slices) {
    Json json = blob_reference(slice.blob, blobs);
    json["from"] = slice.from;
    json["count"] = slice.count;
    slices.push_back(std::move(json));
  }
  return {{"width", level.width}, {"buckets", level.buckets}, {"blobs", std::move(slices)}};
}

Json chunk_json(const Timeline::Chunk& chunk, BlobList& blobs) {
  Json json = blob_reference(chunk.blob, blobs);
  json["from"] = chunk.from;
  json["to"] = chunk.to;
  json["calls"] = chunk.calls;
  return json;
}

Json events_json(const std::optional<Timeline::Events>& events, BlobList& blobs) {
  if (!events) return nullptr;
  Json json = blob_reference(events->blob, blobs);
  json["count"] = events->count;
  return json;
}

Json run_json(const Timeline::Run& run, BlobList& blobs) {
  Json levels = Json::array();
  for (const Timeline::Level& level : run.levels) levels.push_back(level_json(level, blobs));
  Json chunks = Json::array();
  for (const Timeline::Chunk& chunk : run.chunks) chunks.push_back(chunk_json(chunk, blobs));
  return {{"id", run.id},
          {"name", run.name},
          {"span", run.span},
          {"begins", run.begins},
          {"ends", run.ends},
          {"levels", std::move(levels)},
          {"chunks", std::move(chunks)},
          {"path", events_json(run.path, blobs)},
          {"waits", events_json(run.waits, blobs)}};
}

}  // namespace

Json Timeline::json(BlobList& blobs) const {
  const auto tick = static_cast<double>(tick_ns);
  Json run_list = Json::array();
  for (const Run& run : runs) run_list.push_back(run_json(run, blobs));
  Json phase_list = Json::array();
  for (const Phase& p : phases) {
    phase_list.push_back({{"from", p.from_ns / tick},
                          {"to", p.to_ns / tick},
                          {"name", p.name},
                          {"kind", p.kind},
                          {"phase", p.phase},
                          {"explanation", p.explanation}});
  }
  Json strip_list = Json::array();
  for (const Strip& s : strips) {
    Json known = Json::array();
    for (const Known& k : s.known) {
      known.push_back({{"from", k.from_ns / tick}, {"to", k.to_ns / tick}, {"value", k.value}});
    }
    strip_list.push_back({{"name", s.name},
                          {"unit", name_of(Unit::ratio)},
                          {"from", s.from_ns / tick},
                          {"width", s.width_ns / tick},
                          {"values", s.values},
                          {"explanation", s.explanation},
                          {"run", s.run},
                          {"known", std::move(known)}});
  }
  Json grouping_list = Json::array();
  for (const Grouping& grouping : groupings) {
    Json groups = Json::array();
    for (const Group& g : grouping.groups) {
      Json extents = Json::array();
      for (const auto& [first, last] : g.ranks) extents.push_back(Json::array({first, last}));
      groups.push_back({{"name", g.name}, {"ranks", std::move(extents)}});
    }
    grouping_list.push_back({{"name", grouping.name}, {"groups", std::move(groups)}});
  }
  return {{"kind", "timeline"},
          {"id", id},
          {"title", title},
          {"beside", beside},
          {"note", note},
          {"tick_ns", tick_ns},
          {"span", span},
          {"ranks", ranks},
          {"calls", calls},
          {"complete", complete},
          {"operations", operations},
          {"classes", classes},
          {"regions", regions},
          {"functions", functions},
          {"patterns", patterns},
          {"runs", std::move(run_list)},
          {"phases", std::move(phase_list)},
          {"strips", std::move(strip_list)},
          {"groupings", std::move(grouping_list)}};
}

}  // namespace slackline
