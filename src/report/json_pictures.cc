#include "report/report_json.h"

// Timelines and matrices as JSON: what describes them, and the numbers of the blobs that hold their
// values (doc/formats/page.md). web/ reads it.

namespace slackline {
namespace {

JsonTree reference(const Blob& blob, BlobList& blobs) {
  blobs.push_back(&blob);
  return {{"blob", blobs.size() - 1}, {"bytes", blob.bytes}};
}

JsonTree level_json(const Timeline::Level& level, BlobList& blobs) {
  JsonTree slices = JsonTree::array();
  for (const Timeline::Slice& slice : level.slices) {
    JsonTree json = reference(slice.blob, blobs);
    json["from"] = slice.from;
    json["count"] = slice.count;
    slices.push_back(std::move(json));
  }
  return {{"width", level.width}, {"buckets", level.buckets}, {"blobs", std::move(slices)}};
}

JsonTree chunk_json(const Timeline::Chunk& chunk, BlobList& blobs) {
  JsonTree json = reference(chunk.blob, blobs);
  json["from"] = chunk.from;
  json["to"] = chunk.to;
  json["calls"] = chunk.calls;
  return json;
}

JsonTree events_json(const std::optional<Timeline::Events>& events, BlobList& blobs) {
  if (!events) return nullptr;
  JsonTree json = reference(events->blob, blobs);
  json["count"] = events->count;
  return json;
}

JsonTree run_json(const Timeline::Run& run, BlobList& blobs) {
  JsonTree levels = JsonTree::array();
  for (const Timeline::Level& level : run.levels) levels.push_back(level_json(level, blobs));
  JsonTree chunks = JsonTree::array();
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

JsonTree timeline_json(const Timeline& t, BlobList& blobs) {
  const auto tick = static_cast<double>(t.tick_ns);
  JsonTree runs = JsonTree::array();
  for (const Timeline::Run& run : t.runs) runs.push_back(run_json(run, blobs));
  JsonTree phases = JsonTree::array();
  for (const Timeline::Phase& p : t.phases) {
    phases.push_back({{"from", p.from_ns / tick},
                      {"to", p.to_ns / tick},
                      {"name", p.name},
                      {"kind", p.kind},
                      {"phase", p.phase},
                      {"explanation", p.explanation}});
  }
  JsonTree strips = JsonTree::array();
  for (const Timeline::Strip& s : t.strips) {
    strips.push_back({{"name", s.name},
                      {"unit", name_of(Unit::ratio)},
                      {"from", s.from_ns / tick},
                      {"width", s.width_ns / tick},
                      {"values", s.values},
                      {"explanation", s.explanation},
                      {"run", s.run}});
  }
  return {{"kind", "timeline"},
          {"id", t.id},
          {"title", t.title},
          {"beside", t.beside},
          {"note", t.note},
          {"tick_ns", t.tick_ns},
          {"span", t.span},
          {"ranks", t.ranks},
          {"calls", t.calls},
          {"complete", t.complete},
          {"operations", t.operations},
          {"classes", t.classes},
          {"regions", t.regions},
          {"patterns", t.patterns},
          {"runs", std::move(runs)},
          {"phases", std::move(phases)},
          {"strips", std::move(strips)}};
}

JsonTree matrix_json(const Matrix& m, BlobList& blobs) {
  return {{"kind", "matrix"},
          {"id", m.id},
          {"title", m.title},
          {"explanation", m.explanation},
          {"rows", m.rows},
          {"columns", m.columns},
          {"unit", name_of(m.unit)},
          {"ranks", m.ranks},
          {"block", m.block},
          {"size", m.size},
          {"total", m.total},
          {"maximum", m.maximum},
          {"cells", reference(m.cells, blobs)}};
}

}  // namespace slackline
