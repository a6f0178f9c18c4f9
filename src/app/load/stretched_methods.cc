#include "app/load/stretched_methods.h"

#include <algorithm>

#include "base/keyed_rows.h"
#include "calls/causal_order.h"

namespace slackline {

bool StretchedMethods::add(const LoadedStretch& stretch) {
  const CausalOrder order(stretch.trace(), stretch.matching());
  const Activities run(stretch.trace(), stretch.matching(), order, stretch.part());
  const std::vector<MethodCost> costs = compare_methods(run, delta_ns_, threshold_ns_);
  own_.insert(own_.end(), costs.begin(), costs.end());
  return order.released() == 0;
}

void StretchedMethods::finish(ProcessGroup& group) {
  add_up_rows(own_);
  const std::vector<MethodCost> of_processes = gather_all(group, own_);
  std::vector<MethodCost> all = of_processes;
  add_up_rows(all);
  for (MethodCost& sum : all) {
    sum.elapsed_ns = 0;
    for (const MethodCost& of_one : of_processes) {
      if (of_one.method == sum.method) sum.elapsed_ns = std::max(sum.elapsed_ns, of_one.elapsed_ns);
    }
  }
  comparison_ = {std::move(all), run_.span.whole.length_ns(), group.size()};
}

}  // namespace slackline
