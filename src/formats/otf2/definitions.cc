#include "formats/otf2/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/error.h"
#include "formats/otf2/conventions.h"
#include "formats/otf2/library.h"
#include "trace/symbol_names.h"

namespace slackline::otf2 {
namespace {

// Strings may be defined after what names them, so references are resolved at the end.
struct Raw {
  struct Region {
    std::uint32_t self, name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
  };
  struct Named {
    std::uint32_t self, name;
  };
  struct Process {
    std::uint32_t self, name, node;
    bool is_process;
  };

  Definitions out;
  std::vector<Region> regions;
  std::vector<Named> comm_names, attribute_names, metric_names;
  std::vector<std::uint32_t> location_names;  // of out.locations
  std::vector<Process> processes;
  std::unordered_map<std::uint32_t, std::uint32_t> node_names;
};

Raw& raw(void* user) {
  return *static_cast<Raw*>(user);
}

Definitions::GroupKind group_kind(OTF2_GroupType type) {
  switch (type) {
    case OTF2_GROUP_TYPE_COMM_LOCATIONS:
      return Definitions::GroupKind::comm_locations;
    case OTF2_GROUP_TYPE_COMM_GROUP:
      return Definitions::GroupKind::comm_group;
    case OTF2_GROUP_TYPE_COMM_SELF:
      return Definitions::GroupKind::comm_self;
    default:
      return Definitions::GroupKind::other;
  }
}

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset,
                           std::uint64_t /*length*/, std::uint64_t realtime) {
  if (resolution > 0) raw(user).out.ticks_per_second = resolution;
  raw(user).out.clock_zero = offset;
  if (realtime != OTF2_UNDEFINED_TIMESTAMP) raw(user).out.started_ns = realtime;
  return kGoOn;
}

OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  raw(user).out.strings[self] = text;
  return kGoOn;
}

OTF2_CallbackCode on_attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name,
                               OTF2_StringRef, OTF2_Type) {
  raw(user).attribute_names.push_back({self, name});
  return kGoOn;
}

OTF2_CallbackCode on_node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                          OTF2_StringRef, OTF2_SystemTreeNodeRef) {
  raw(user).node_names[self] = name;
  return kGoOn;
}

OTF2_CallbackCode on_process(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                             OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                             OTF2_LocationGroupRef) {
  raw(user).processes.push_back({self, name, node, type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR});
  return kGoOn;
}

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef name,
                              OTF2_LocationType type, std::uint64_t events,
                              OTF2_LocationGroupRef group) {
  const bool thread = type == OTF2_LOCATION_TYPE_CPU_THREAD || type == OTF2_LOCATION_TYPE_UNKNOWN;
  raw(user).out.locations.push_back({self, group, events, thread, {}});
  raw(user).location_names.push_back(name);
  return kGoOn;
}

OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                            OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
  raw(user).regions.push_back({self, name, role, paradigm});
  return kGoOn;
}

// Those that have communicators of their own.
std::string paradigm_name(OTF2_Paradigm paradigm) {
  switch (paradigm) {
    case OTF2_PARADIGM_CUDA:
      return "CUDA";
    case OTF2_PARADIGM_HIP:
      return "HIP";
    case OTF2_PARADIGM_OPENCL:
      return "OpenCL";
    case OTF2_PARADIGM_OPENACC:
      return "OpenACC";
    case OTF2_PARADIGM_OPENMP:
      return "OpenMP";
    case OTF2_PARADIGM_PTHREAD:
      return "Pthreads";
    case OTF2_PARADIGM_SHMEM:
      return "SHMEM";
    case OTF2_PARADIGM_GASPI:
      return "GASPI";
    case OTF2_PARADIGM_UPC:
      return "UPC";
    default:
      return "another paradigm";
  }
}

OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                           const std::uint64_t* members) {
  auto kind = group_kind(type);
  // Threads and accelerators have such groups too; only those of processes are ranks.
  if (paradigm != OTF2_PARADIGM_MPI && paradigm != OTF2_PARADIGM_UNKNOWN &&
      kind == Definitions::GroupKind::comm_locations) {
    kind = Definitions::GroupKind::other;
  }
  const bool measurement = paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM;
  const bool mpi = paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_UNKNOWN ||
                   paradigm == OTF2_PARADIGM_NONE;
  raw(user).out.groups[self] = {
      kind, mpi, paradigm_name(paradigm), measurement, {members, members + count}};
  return kGoOn;
}

OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                          OTF2_CommRef, OTF2_CommFlag) {
  raw(user).out.comms[self] = {{}, group, 0, false};
  raw(user).comm_names.push_back({self, name});
  return kGoOn;
}

OTF2_CallbackCode on_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
  raw(user).out.comms[self] = {{}, a, b, true};
  raw(user).comm_names.push_back({self, name});
  return kGoOn;
}

OTF2_CallbackCode on_metric(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                            OTF2_StringRef, OTF2_MetricType, OTF2_MetricMode mode, OTF2_Type type,
                            OTF2_Base, std::int64_t, OTF2_StringRef) {
  const bool whole = type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64;
  const bool total = (mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED;
  raw(user).out.metrics[self].accumulates = whole && total;
  raw(user).metric_names.push_back({self, name});
  return kGoOn;
}

OTF2_CallbackCode on_metric_class(void* user, OTF2_MetricRef self, std::uint8_t count,
                                  const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence,
                                  OTF2_RecorderKind) {
  raw(user).out.metric_classes[self].assign(members, members + count);
  return kGoOn;
}

struct DefinitionCallbacksDelete {
  void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  }
};

void read_global(OTF2_Reader* reader, Raw& into) {
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  if (definitions == nullptr) return;
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, DefinitionCallbacksDelete> owner(
      OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks* c = owner.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_metric);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_metric_class);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, c, &into);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

bool is_artificial(const Raw::Region& region) {
  return region.role == OTF2_REGION_ROLE_ARTIFICIAL ||
         region.paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM;
}

Definitions::Region resolve(const Raw::Region& region, const std::string& name, std::uint32_t order,
                            bool own) {
  Definitions::Region out;
  out.name = own ? name : readable_symbol(name);
  out.order = order;
  if (own && region.paradigm == OTF2_PARADIGM_USER) return out;
  out.operation = operation_of_region(name);
  if (out.operation != Operation::none || region.paradigm == OTF2_PARADIGM_MPI) {
    out.kind = Definitions::RegionKind::mpi;
  } else if (is_artificial(region)) {
    out.kind = Definitions::RegionKind::artificial;
  }
  return out;
}

void resolve_names(Raw& r) {
  Definitions& out = r.out;
  const bool own = out.properties.contains(std::string(kVersionProperty));
  for (std::uint32_t i = 0; i < r.regions.size(); ++i) {
    const Raw::Region& region = r.regions[i];
    out.regions[region.self] = resolve(region, out.strings[region.name], i, own);
  }
  for (std::size_t i = 0; i < out.locations.size(); ++i) {
    out.locations[i].name = out.strings[r.location_names[i]];
  }
  for (const auto& [self, name] : r.comm_names) out.comms[self].name = out.strings[name];
  for (const auto& [self, name] : r.metric_names) out.metrics[self].name = out.strings[name];
  for (const auto& [self, name] : r.attribute_names) out.attributes[self] = out.strings[name];
  for (const Raw::Process& p : r.processes) {
    const auto node = r.node_names.find(p.node);
    out.processes.push_back({p.self, out.strings[p.name],
                             node == r.node_names.end() ? "" : out.strings[node->second],
                             p.is_process});
  }
}

std::string taken(char* text) {
  std::string copy = text == nullptr ? "" : text;
  std::free(text);
  return copy;
}

void read_anchor_facts(OTF2_Reader* reader, Definitions& out) {
  char* text = nullptr;
  const auto fact = [&](auto get) {
    text = nullptr;
    return get(reader, &text) == OTF2_SUCCESS ? taken(text) : std::string();
  };
  out.creator = fact(OTF2_Reader_GetCreator);
  out.description = fact(OTF2_Reader_GetDescription);
  out.machine = fact(OTF2_Reader_GetMachineName);
  std::uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    text = nullptr;
    if (OTF2_Reader_GetProperty(reader, names[i], &text) == OTF2_SUCCESS) {
      out.properties[names[i]] = taken(text);
    }
  }
  std::free(names);  // the names lie in the same block
}

}  // namespace

Operation operation_of_region(std::string_view name) {
  if (name.size() > 1 && (name[0] == 'P' || name[0] == 'p')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  constexpr std::string_view kPrefix = "mpi_";
  std::string word(name);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!word.starts_with(kPrefix)) return Operation::none;
  return operation_from_identifier(std::string_view(word).substr(kPrefix.size()))
      .value_or(Operation::none);
}

Definitions read_definitions(const std::filesystem::path& anchor) {
  const Reader reader = open_archive(anchor);
  Raw r;
  read_anchor_facts(reader.get(), r.out);
  read_global(reader.get(), r);
  resolve_names(r);
  return std::move(r.out);
}

}  // namespace slackline::otf2
