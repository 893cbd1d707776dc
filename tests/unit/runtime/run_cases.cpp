#include "unit/runtime/kernel_case.hpp"

namespace poet::test::POET_PRECISION {

std::vector<CaseValues> values_of_all_cases() {
  std::vector<CaseValues> all;
  for (const Case& item : all_cases()) {
    CaseValues values{.name = item.name, .tensors = {}};
    for (const Tensor& tensor : run(item))
      values.tensors.emplace_back(tensor.begin(), tensor.end());
    all.push_back(std::move(values));
  }
  return all;
}

}  // namespace poet::test::POET_PRECISION
