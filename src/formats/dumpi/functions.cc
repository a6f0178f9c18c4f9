// The functions of MPI in the order of their numbers, and what their records consist of. Source:
// the documentation of the format and the names and types of arguments in its text form
// (doc/formats/dumpi.md). A record has no length of its own, so all arguments of all functions must
// be known to find the next one.

#include "formats/dumpi/functions.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"

namespace slackline::dumpi {
namespace {

struct Row {
  std::string_view name;
  // Arguments in order. A word is a Scalar, with [] an Array; a digit is a number of this many
  // bytes, with * an array of such numbers; ? stands before what only the root's record has.
  std::string_view layout;
};

constexpr std::array kRows = std::to_array<Row>(
    {{"MPI_Send", "count datatype dest tag comm"},
     {"MPI_Recv", "count datatype source tag comm status"},
     {"MPI_Get_count", "status datatype 4"},
     {"MPI_Bsend", "count datatype dest tag comm"},
     {"MPI_Ssend", "count datatype dest tag comm"},
     {"MPI_Rsend", "count datatype dest tag comm"},
     {"MPI_Buffer_attach", "4"},
     {"MPI_Buffer_detach", "4"},
     {"MPI_Isend", "count datatype dest tag comm request"},
     {"MPI_Ibsend", "count datatype dest tag comm request"},
     {"MPI_Issend", "count datatype dest tag comm request"},
     {"MPI_Irsend", "count datatype dest tag comm request"},
     {"MPI_Irecv", "count datatype source tag comm request"},
     {"MPI_Wait", "request status"},
     {"MPI_Test", "request flag status"},
     {"MPI_Request_free", "request"},
     {"MPI_Waitany", "count requests[] index status"},
     {"MPI_Testany", "count requests[] index flag status"},
     {"MPI_Waitall", "count requests[] status"},
     {"MPI_Testall", "count requests[] flag status"},
     {"MPI_Waitsome", "count requests[] 4 indices[] status"},
     {"MPI_Testsome", "count requests[] 4 indices[] status"},
     {"MPI_Iprobe", "source tag comm flag status"},
     {"MPI_Probe", "source tag comm status"},
     {"MPI_Cancel", "request"},
     {"MPI_Test_cancelled", "status 4"},
     {"MPI_Send_init", "count datatype dest tag comm request"},
     {"MPI_Bsend_init", "count datatype dest tag comm request"},
     {"MPI_Ssend_init", "count datatype dest tag comm request"},
     {"MPI_Rsend_init", "count datatype dest tag comm request"},
     {"MPI_Recv_init", "count datatype source tag comm request"},
     {"MPI_Start", "request"},
     {"MPI_Startall", "count requests[]"},
     {"MPI_Sendrecv",
      "sendcount sendtype dest sendtag recvcount recvtype source recvtag comm status"},
     {"MPI_Sendrecv_replace", "count datatype dest sendtag source recvtag comm status"},
     {"MPI_Type_contiguous", "4 2 2"},
     {"MPI_Type_vector", "4 4 4 2 2"},
     {"MPI_Type_hvector", "4 4 4 2 2"},
     {"MPI_Type_indexed", "4 4* 4* 2 2"},
     {"MPI_Type_hindexed", "4 4* 4* 2 2"},
     {"MPI_Type_struct", "4 4* 4* 2* 2"},
     {"MPI_Address", "4"},
     {"MPI_Type_extent", "datatype 4"},
     {"MPI_Type_size", "datatype 4"},
     {"MPI_Type_lb", "datatype 4"},
     {"MPI_Type_ub", "datatype 4"},
     {"MPI_Type_commit", "datatype"},
     {"MPI_Type_free", "datatype"},
     {"MPI_Get_elements", "status datatype 4"},
     {"MPI_Pack", "4 datatype 4 4 4 comm"},
     {"MPI_Unpack", "4 4 4 4 datatype comm"},
     {"MPI_Pack_size", "4 datatype comm 4"},
     {"MPI_Barrier", "comm"},
     {"MPI_Bcast", "count datatype root comm"},
     {"MPI_Gather", "commrank sendcount sendtype root comm ?recvcount ?recvtype"},
     {"MPI_Gatherv", "commrank 4 sendcount sendtype root comm ?recvcounts[] ?4* recvtype"},
     {"MPI_Scatter", "commrank recvcount recvtype root comm ?sendcount ?sendtype"},
     {"MPI_Scatterv", "commrank 4 sendtype recvcount recvtype root comm ?sendcounts[] ?4*"},
     {"MPI_Allgather", "sendcount sendtype recvcount recvtype comm"},
     {"MPI_Allgatherv", "4 sendcount sendtype recvcounts[] 4* recvtype comm"},
     {"MPI_Alltoall", "sendcount sendtype recvcount recvtype comm"},
     {"MPI_Alltoallv", "4 sendcounts[] 4* sendtype recvcounts[] 4* recvtype comm"},
     {"MPI_Reduce", "count datatype 1 root comm"},
     {"MPI_Op_create", "4 1"},
     {"MPI_Op_free", "1"},
     {"MPI_Allreduce", "count datatype 1 comm"},
     {"MPI_Reduce_scatter", "4 recvcounts[] datatype 1 comm"},
     {"MPI_Scan", "count datatype 1 comm"},
     {"MPI_Group_size", "group 4"},
     {"MPI_Group_rank", "group 4"},
     {"MPI_Group_translate_ranks", "group1 4 4* group2 4*"},
     {"MPI_Group_compare", "group1 group2 1"},
     {"MPI_Comm_group", "comm group"},
     {"MPI_Group_union", "group1 group2 newgroup"},
     {"MPI_Group_intersection", "group1 group2 newgroup"},
     {"MPI_Group_difference", "group1 group2 newgroup"},
     {"MPI_Group_incl", "group 4 ranks[] newgroup"},
     {"MPI_Group_excl", "group 4 ranks[] newgroup"},
     {"MPI_Group_range_incl", "group 4 ranges newgroup"},
     {"MPI_Group_range_excl", "group 4 ranges newgroup"},
     {"MPI_Group_free", "group"},
     {"MPI_Comm_size", "comm size"},
     {"MPI_Comm_rank", "comm 4"},
     {"MPI_Comm_compare", "2 2 1"},
     {"MPI_Comm_dup", "comm newcomm"},
     {"MPI_Comm_create", "comm group newcomm"},
     {"MPI_Comm_split", "comm color key newcomm"},
     {"MPI_Comm_free", "comm"},
     {"MPI_Comm_test_inter", "comm 4"},
     {"MPI_Comm_remote_size", "comm 4"},
     {"MPI_Comm_remote_group", "comm group"},
     {"MPI_Intercomm_create", "comm 4 2 4 tag newcomm"},
     {"MPI_Intercomm_merge", "comm 4 newcomm"},
     {"MPI_Keyval_create", "2"},
     {"MPI_Keyval_free", "2"},
     {"MPI_Attr_put", "comm 4"},
     {"MPI_Attr_get", "comm 4 4"},
     {"MPI_Attr_delete", "comm 4"},
     {"MPI_Topo_test", "comm 1"},
     {"MPI_Cart_create", "comm 4 dims[] 4* 4 newcomm"},
     {"MPI_Dims_create", "4 4 4* 4*"},
     {"MPI_Graph_create", "4 comm 4 4* 4* 4 newcomm"},
     {"MPI_Graphdims_get", "comm 4 4"},
     {"MPI_Graph_get", "4 4 comm 4 4 4* 4*"},
     {"MPI_Cartdim_get", "comm 4"},
     {"MPI_Cart_get", "4 comm 4 4* 4* 4*"},
     {"MPI_Cart_rank", "4 comm 4* 4"},
     {"MPI_Cart_coords", "4 comm 4 4 4*"},
     {"MPI_Graph_neighbors_count", "comm 4 4"},
     {"MPI_Graph_neighbors", "4 comm 4 4 4*"},
     {"MPI_Cart_shift", "comm 4 4 source dest"},
     {"MPI_Cart_sub", "4 comm remain_dims[] newcomm"},
     {"MPI_Cart_map", "comm 4 4* 4* 4"},
     {"MPI_Graph_map", "4 comm 4 4* 4* 4"},
     {"MPI_Get_processor_name", "text 4"},
     {"MPI_Get_version", "4 4"},
     {"MPI_Errhandler_create", "2"},
     {"MPI_Errhandler_set", "comm 2"},
     {"MPI_Errhandler_get", "comm 2"},
     {"MPI_Errhandler_free", "2"},
     {"MPI_Error_string", "4 text 4"},
     {"MPI_Error_class", "4 4"},
     {"MPI_Wtime", ""},
     {"MPI_Wtick", ""},
     {"MPI_Init", "texts"},
     {"MPI_Finalize", ""},
     {"MPI_Initialized", "4"},
     {"MPI_Abort", "comm 4"},
     {"MPI_Pcontrol", ""},
     {"MPI_Close_port", "text"},
     {"MPI_Comm_accept", "text 2 root comm newcomm"},
     {"MPI_Comm_connect", "text 2 root comm newcomm"},
     {"MPI_Comm_disconnect", "comm"},
     {"MPI_Comm_get_parent", "newcomm"},
     {"MPI_Comm_join", "4 comm"},
     {"MPI_Comm_spawn", "commrank root comm newcomm ?text ?texts ?4 ?2 ?4*"},
     {"MPI_Comm_spawn_multiple", "4 commrank root comm newcomm ?4 ?texts ?texts* ?4* ?2* ?4*"},
     {"MPI_Lookup_name", "text 2 text"},
     {"MPI_Open_port", "2 text"},
     {"MPI_Publish_name", "text 2 text"},
     {"MPI_Unpublish_name", "text 2 text"},
     {"MPI_Accumulate", "origincount origintype targetrank 4 4 2 1 win"},
     {"MPI_Get", "origincount origintype targetrank 4 4 2 win"},
     {"MPI_Put", "origincount origintype targetrank 4 4 2 win"},
     {"MPI_Win_complete", "win"},
     {"MPI_Win_create", "4 4 2 comm win"},
     {"MPI_Win_fence", "1 win"},
     {"MPI_Win_free", "win"},
     {"MPI_Win_get_group", "win group"},
     {"MPI_Win_lock", "locktype targetrank 1 win"},
     {"MPI_Win_post", "group 1 win"},
     {"MPI_Win_start", "group 1 win"},
     {"MPI_Win_test", "win flag"},
     {"MPI_Win_unlock", "targetrank win"},
     {"MPI_Win_wait", "win"},
     {"MPI_Alltoallw", "4 sendcounts[] 4* sendtypes[] recvcounts[] 4* recvtypes[] comm"},
     {"MPI_Exscan", "count datatype 1 comm"},
     {"MPI_Add_error_class", "4"},
     {"MPI_Add_error_code", "4 4"},
     {"MPI_Add_error_string", "4 text"},
     {"MPI_Comm_call_errhandler", "comm 4"},
     {"MPI_Comm_create_keyval", "2"},
     {"MPI_Comm_delete_attr", "comm 2"},
     {"MPI_Comm_free_keyval", "2"},
     {"MPI_Comm_get_attr", "comm 2 4"},
     {"MPI_Comm_get_name", "comm text 4"},
     {"MPI_Comm_set_attr", "comm 2"},
     {"MPI_Comm_set_name", "comm text"},
     {"MPI_File_call_errhandler", "file 4"},
     {"MPI_Grequest_complete", "request"},
     {"MPI_Grequest_start", "request"},
     {"MPI_Init_thread", "texts 1 1"},
     {"MPI_Is_thread_main", "4"},
     {"MPI_Query_thread", "1"},
     {"MPI_Status_set_cancelled", "status 4"},
     {"MPI_Status_set_elements", "status datatype 4"},
     {"MPI_Type_create_keyval", "2"},
     {"MPI_Type_delete_attr", "datatype 2"},
     {"MPI_Type_dup", "2 2"},
     {"MPI_Type_free_keyval", "2"},
     {"MPI_Type_get_attr", "datatype 2 4"},
     {"MPI_Type_get_contents", "4 4 4 datatype 4 4 4 4* 4* 2*"},
     {"MPI_Type_get_envelope", "datatype 4 4 4 1"},
     {"MPI_Type_get_name", "datatype text 4"},
     {"MPI_Type_set_attr", "datatype 2"},
     {"MPI_Type_set_name", "datatype text"},
     {"MPI_Type_match_size", "1 4 datatype"},
     {"MPI_Win_call_errhandler", "win 4"},
     {"MPI_Win_create_keyval", "2"},
     {"MPI_Win_delete_attr", "win 2"},
     {"MPI_Win_free_keyval", "2"},
     {"MPI_Win_get_attr", "win 2 4"},
     {"MPI_Win_get_name", "win text 4"},
     {"MPI_Win_set_attr", "win 2"},
     {"MPI_Win_set_name", "win text"},
     {"MPI_Alloc_mem", "4 2"},
     {"MPI_Comm_create_errhandler", "2"},
     {"MPI_Comm_get_errhandler", "comm 2"},
     {"MPI_Comm_set_errhandler", "comm 2"},
     {"MPI_File_create_errhandler", "2"},
     {"MPI_File_get_errhandler", "file 2"},
     {"MPI_File_set_errhandler", "file 2"},
     {"MPI_Finalized", "4"},
     {"MPI_Free_mem", ""},
     {"MPI_Get_address", "4"},
     {"MPI_Info_create", "2"},
     {"MPI_Info_delete", "2 text"},
     {"MPI_Info_dup", "2 2"},
     {"MPI_Info_free", "2"},
     {"MPI_Info_get", "2 text 4 text 4"},
     {"MPI_Info_get_nkeys", "2 4"},
     {"MPI_Info_get_nthkey", "2 4 text"},
     {"MPI_Info_get_valuelen", "2 text 4 4"},
     {"MPI_Info_set", "2 text text"},
     {"MPI_Pack_external", "text 4 2 4 4 4"},
     {"MPI_Pack_external_size", "text 4 datatype 4"},
     {"MPI_Request_get_status", "request 4 status"},
     {"MPI_Type_create_darray", "4 4 4 4* 1* 4* 4* 1 2 2"},
     {"MPI_Type_create_hindexed", "4 4* 4* 2 2"},
     {"MPI_Type_create_hvector", "4 4 4 2 2"},
     {"MPI_Type_create_indexed_block", "4 4 4* 2 2"},
     {"MPI_Type_create_resized", "2 4 4 2"},
     {"MPI_Type_create_struct", "4 4* 4* 2* 2"},
     {"MPI_Type_create_subarray", "4 4* 4* 4* 1 2 2"},
     {"MPI_Type_get_extent", "datatype 4 4"},
     {"MPI_Type_get_true_extent", "datatype 4 4"},
     {"MPI_Unpack_external", "text 4 4 4 4 datatype"},
     {"MPI_Win_create_errhandler", "2"},
     {"MPI_Win_get_errhandler", "win 2"},
     {"MPI_Win_set_errhandler", "win 2"},
     {"MPI_File_open", "comm text 1 2 file"},
     {"MPI_File_close", "file"},
     {"MPI_File_delete", "text 2"},
     {"MPI_File_set_size", "file 8"},
     {"MPI_File_preallocate", "file 8"},
     {"MPI_File_get_size", "file 8"},
     {"MPI_File_get_group", "file group"},
     {"MPI_File_get_amode", "file 1"},
     {"MPI_File_set_info", "file 2"},
     {"MPI_File_get_info", "file 2"},
     {"MPI_File_set_view", "file 8 2 2 text 2"},
     {"MPI_File_get_view", "file 8 2 2 text"},
     {"MPI_File_read_at", "file 8 count datatype status"},
     {"MPI_File_read_at_all", "file 8 count datatype status"},
     {"MPI_File_write_at", "file 8 count datatype status"},
     {"MPI_File_write_at_all", "file 8 count datatype status"},
     {"MPI_File_iread_at", "file 8 count datatype request"},
     {"MPI_File_iwrite_at", "file 8 count datatype request"},
     {"MPI_File_read", "file count datatype status"},
     {"MPI_File_read_all", "file count datatype status"},
     {"MPI_File_write", "file count datatype status"},
     {"MPI_File_write_all", "file count datatype status"},
     {"MPI_File_iread", "file count datatype request"},
     {"MPI_File_iwrite", "file count datatype request"},
     {"MPI_File_seek", "file 8 1"},
     {"MPI_File_get_position", "file 8"},
     {"MPI_File_get_byte_offset", "file 8 8"},
     {"MPI_File_read_shared", "file count datatype status"},
     {"MPI_File_write_shared", "file count datatype status"},
     {"MPI_File_iread_shared", "file count datatype request"},
     {"MPI_File_iwrite_shared", "file count datatype request"},
     {"MPI_File_read_ordered", "file count datatype status"},
     {"MPI_File_write_ordered", "file count datatype status"},
     {"MPI_File_seek_shared", "file 8 1"},
     {"MPI_File_get_position_shared", "file 8"},
     {"MPI_File_read_at_all_begin", "file 8 count datatype"},
     {"MPI_File_read_at_all_end", "file status"},
     {"MPI_File_write_at_all_begin", "file 8 count datatype"},
     {"MPI_File_write_at_all_end", "file status"},
     {"MPI_File_read_all_begin", "file count datatype"},
     {"MPI_File_read_all_end", "file status"},
     {"MPI_File_write_all_begin", "file count datatype"},
     {"MPI_File_write_all_end", "file status"},
     {"MPI_File_read_ordered_begin", "file count datatype"},
     {"MPI_File_read_ordered_end", "file status"},
     {"MPI_File_write_ordered_begin", "file count datatype"},
     {"MPI_File_write_ordered_end", "file status"},
     {"MPI_File_get_type_extent", "file datatype 4"},
     {"MPI_Register_datarep", "text"},
     {"MPI_File_set_atomicity", "file 4"},
     {"MPI_File_get_atomicity", "file 4"},
     {"MPI_File_sync", "file"},
     {"MPIO_Test", "4 4 status"},
     {"MPIO_Wait", "4 status"},
     {"MPIO_Testall", "4 4* 4 status"},
     {"MPIO_Waitall", "4 4* status"},
     {"MPIO_Testany", "4 4* 4 4 status"},
     {"MPIO_Waitany", "4 4* 4 status"},
     {"MPIO_Waitsome", "4 4* 4 4* status"},
     {"MPIO_Testsome", "4 4* 4 4* status"}});
static_assert(kRows.size() == kAllFunctions);

struct ScalarName {
  std::string_view name;
  std::uint8_t width;
};

// In the order of Scalar.
constexpr std::array<ScalarName, kScalars> kScalarNames{
    {{"count", 4},    {"sendcount", 4}, {"recvcount", 4},  {"origincount", 4}, {"datatype", 2},
     {"sendtype", 2}, {"recvtype", 2},  {"origintype", 2}, {"dest", 4},        {"source", 4},
     {"tag", 4},      {"sendtag", 4},   {"recvtag", 4},    {"root", 4},        {"comm", 2},
     {"newcomm", 2},  {"request", 4},   {"index", 4},      {"flag", 4},        {"commrank", 4},
     {"color", 4},    {"key", 4},       {"group", 2},      {"newgroup", 2},    {"group1", 2},
     {"group2", 2},   {"win", 2},       {"targetrank", 4}, {"locktype", 1},    {"file", 2},
     {"size", 4}}};

// In the order of Array.
constexpr std::array<ScalarName, kArrays> kArrayNames{{{"requests", 4},
                                                       {"indices", 4},
                                                       {"sendcounts", 4},
                                                       {"recvcounts", 4},
                                                       {"sendtypes", 2},
                                                       {"recvtypes", 2},
                                                       {"ranks", 4},
                                                       {"dims", 4},
                                                       {"remain_dims", 4}}};

template <class Names>
std::optional<std::uint8_t> place_of(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &ScalarName::name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - names.begin());
}

Item item_of(std::string_view word) {
  Item item{Item::Kind::unused};
  if (word.front() == '?') {
    item.at_root = true;
    word.remove_prefix(1);
  }
  if (word == "status") {
    item.kind = Item::Kind::statuses;
  } else if (word == "text") {
    item.kind = Item::Kind::text;
  } else if (word == "texts") {
    item.kind = Item::Kind::texts;
  } else if (word == "texts*") {
    item.kind = Item::Kind::lists_of_texts;
  } else if (word == "ranges") {
    item.kind = Item::Kind::ranges;
  } else if (word.front() >= '1' && word.front() <= '8') {
    item.kind = word.ends_with('*') ? Item::Kind::unused_array : Item::Kind::unused;
    item.width = static_cast<std::uint8_t>(word.front() - '0');
  } else if (word.ends_with("[]")) {
    const auto place = place_of(kArrayNames, word.substr(0, word.size() - 2));
    expects(place.has_value(), "a layout names a known argument");
    item = {Item::Kind::array, kArrayNames[*place].width, *place, item.at_root};
  } else {
    const auto place = place_of(kScalarNames, word);
    expects(place.has_value(), "a layout names a known argument");
    item = {Item::Kind::scalar, kScalarNames[*place].width, *place, item.at_root};
  }
  return item;
}

class Functions {
 public:
  Functions() {
    std::unordered_map<std::string_view, Operation> operations;
    for (std::size_t i = 1; i < kOperationCount; ++i) {
      operations.emplace(mpi_name(static_cast<Operation>(i)), static_cast<Operation>(i));
    }
    for (const Row& row : kRows) {
      items_.push_back(items_of(row.layout));
      const auto operation = operations.find(row.name);
      functions_.push_back({row.name,
                            operation == operations.end() ? Operation::none : operation->second,
                            items_.back()});
    }
    for (const Function& function : functions_) by_name_.emplace(function.name, &function);
  }

  const Function* at(std::size_t number) const {
    return number < functions_.size() ? &functions_[number] : nullptr;
  }
  const Function* named(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  static std::vector<Item> items_of(std::string_view layout) {
    std::vector<Item> items;
    while (!layout.empty()) {
      const std::size_t end = std::min(layout.find(' '), layout.size());
      items.push_back(item_of(layout.substr(0, end)));
      layout.remove_prefix(std::min(end + 1, layout.size()));
    }
    return items;
  }

  std::vector<std::vector<Item>> items_;  // what the functions' spans are of
  std::vector<Function> functions_;
  std::unordered_map<std::string_view, const Function*> by_name_;
};

const Functions& functions() {
  static const Functions all;
  return all;
}

}  // namespace

const Function* function(std::uint16_t number) {
  return functions().at(number);
}

const Function* function_named(std::string_view name) {
  return functions().named(name);
}

std::optional<Scalar> scalar_named(std::string_view name) {
  // Names of what is one thing to a trace.
  if (name == "oldcomm" || name == "localcomm") name = "comm";
  if (name == "winrank") name = "targetrank";
  if (name == "parent") name = "newcomm";
  const auto place = place_of(kScalarNames, name);
  return place ? std::optional(static_cast<Scalar>(*place)) : std::nullopt;
}

std::optional<Array> array_named(std::string_view name) {
  const auto place = place_of(kArrayNames, name);
  return place ? std::optional(static_cast<Array>(*place)) : std::nullopt;
}

void Record::clear() {
  function = nullptr;
  enters = false;
  address = 0;
  thread = 0;
  has_counters = false;
  wall = {};
  cpu = {};
  scalars.fill(0);
  for (auto& array : arrays) array.clear();
  statuses.clear();
  ranges.clear();
  texts.clear();
}

}  // namespace slackline::dumpi
