#include "page/drawn_timeline.h"

#include <array>

#include "report/object.h"
#include "report/unit.h"

namespace slackline {
namespace {

auto level_object(const Timeline::Level& level, BlobList& blobs) {
  return Object{"width"_key = level.width, "buckets"_key = level.buckets,
                "blobs"_key = list_of(level.slices, [&](const Timeline::Slice& slice) {
                  return Object{blob_reference(slice.blob, blobs), "from"_key = slice.from,
                                "count"_key = slice.count};
                })};
}

auto chunk_object(const Timeline::Chunk& chunk, BlobList& blobs) {
  return Object{blob_reference(chunk.blob, blobs), "from"_key = chunk.from, "to"_key = chunk.to,
                "calls"_key = chunk.calls};
}

auto run_object(const Timeline::Run& run, BlobList& blobs) {
  const auto events = [&](const Timeline::Events& all) {
    return Object{blob_reference(all.blob, blobs), "count"_key = all.count};
  };
  return Object{
      "id"_key = run.id,
      "name"_key = run.name,
      "span"_key = run.span,
      "begins"_key = run.begins,
      "ends"_key = run.ends,
      "levels"_key = list_of(
          run.levels, [&](const Timeline::Level& level) { return level_object(level, blobs); }),
      "chunks"_key = list_of(
          run.chunks, [&](const Timeline::Chunk& chunk) { return chunk_object(chunk, blobs); }),
      "path"_key = optional_of(run.path, events),
      "waits"_key = optional_of(run.waits, events)};
}

auto phase_object(const Timeline::Phase& p, double tick) {
  return Object{"from"_key = p.from_ns / tick, "to"_key = p.to_ns / tick,
                "name"_key = p.name,           "kind"_key = p.kind,
                "phase"_key = p.phase,         "explanation"_key = p.explanation};
}

auto strip_object(const Timeline::Strip& s, double tick) {
  return Object{"name"_key = s.name,
                "unit"_key = name_of(Unit::ratio),
                "from"_key = s.from_ns / tick,
                "width"_key = s.width_ns / tick,
                "values"_key = s.values,
                "explanation"_key = s.explanation,
                "run"_key = s.run,
                "known"_key = list_of(s.known, [&](const Timeline::Known& k) {
                  return Object{"from"_key = k.from_ns / tick, "to"_key = k.to_ns / tick,
                                "value"_key = k.value};
                })};
}

auto measure_object(const Timeline::Measure& m, double tick, BlobList& blobs) {
  return Object{"name"_key = m.name,
                "unit"_key = name_of(m.unit),
                "explanation"_key = m.explanation,
                "from"_key = m.from_ns / tick,
                "width"_key = m.width_ns / tick,
                "windows"_key = m.windows,
                blob_reference(m.blob, blobs)};
}

auto group_object(const Timeline::Group& group) {
  return Object{"name"_key = group.name, "ranks"_key = list_of(group.ranks, [](const auto& extent) {
                                           return std::array{extent.first, extent.second};
                                         })};
}

auto grouping_object(const Timeline::Grouping& grouping) {
  return Object{"name"_key = grouping.name, "groups"_key = list_of(grouping.groups, group_object)};
}

auto row_object(const Timeline::Row& row) {
  return Object{"name"_key = row.name, "rank"_key = row.rank, "stream"_key = row.stream};
}

}  // namespace

Json Timeline::json(BlobList& blobs) const {
  const auto tick = static_cast<double>(tick_ns);
  const auto named = rows.empty() ? std::nullopt : std::optional(list_of(rows, row_object));
  const auto run = [&](const Run& r) { return run_object(r, blobs); };
  const auto phase = [&](const Phase& p) { return phase_object(p, tick); };
  const auto strip = [&](const Strip& s) { return strip_object(s, tick); };
  const auto measure = [&](const Measure& m) { return measure_object(m, tick, blobs); };
  return Object{"kind"_key = "timeline",
                "id"_key = id,
                "title"_key = title,
                "beside"_key = beside,
                "note"_key = note,
                "tick_ns"_key = tick_ns,
                "span"_key = span,
                "ranks"_key = ranks,
                "rows"_key.when(named),
                "calls"_key = calls,
                "complete"_key = complete,
                "operations"_key = operations,
                "classes"_key = classes,
                "regions"_key = regions,
                "functions"_key = functions,
                "patterns"_key = patterns,
                "runs"_key = list_of(runs, run),
                "phases"_key = list_of(phases, phase),
                "strips"_key = list_of(strips, strip),
                "measures"_key = list_of(measures, measure),
                "ipc"_key = ipc,
                "pauses"_key = pauses,
                "threads"_key = threads,
                "groupings"_key = list_of(groupings, grouping_object)};
}

}  // namespace slackline
