#include "solver/bounds/count_messages.hpp"

namespace poet {
namespace {

Packer tagged(CountMessage tag) {
  Packer packer;
  packer.put(static_cast<int>(tag));
  return packer;
}

}  // namespace

Message progress_message(double bound, std::int64_t nodes) {
  Packer packer = tagged(CountMessage::progress);
  packer.put(bound);
  packer.put(nodes);
  return packer.message();
}

Message schedule_message(const Schedule& schedule) {
  Packer packer = tagged(CountMessage::schedule);
  packer.put_size(schedule.stages);
  for (const Stage& stage : schedule.stages) {
    for (const auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
      packer.put_all(*list);
    }
  }
  return packer.message();
}

Message result_message(const CountSearchResult& result) {
  Packer packer = tagged(CountMessage::result);
  packer.put(static_cast<int>(result.status));
  packer.put(result.bound);
  packer.put(result.nodes);
  packer.put_size(result.parts);
  for (const Part& part : result.parts) {
    packer.put(part.bound);
    packer.put_size(part.ranges);
    for (const CountRange& range : part.ranges) {
      packer.put(range.count);
      packer.put(range.lower);
      packer.put(range.upper);
    }
  }
  return packer.message();
}

Schedule get_schedule(Unpacker& unpacker) {
  Schedule schedule;
  schedule.stages.resize(unpacker.get_as<std::size_t>());
  for (Stage& stage : schedule.stages) {
    for (auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
      *list = unpacker.get_all<int>();
    }
  }
  return schedule;
}

CountSearchResult get_result(Unpacker& unpacker) {
  CountSearchResult result;
  result.status = static_cast<CountSearchResult::Status>(unpacker.get_as<int>());
  result.bound = unpacker.get();
  result.nodes = unpacker.get_as<std::int64_t>();
  result.parts.resize(unpacker.get_as<std::size_t>());
  for (Part& part : result.parts) {
    part.bound = unpacker.get();
    part.ranges.resize(unpacker.get_as<std::size_t>());
    for (CountRange& range : part.ranges) {
      range.count = unpacker.get_as<int>();
      range.lower = unpacker.get();
      range.upper = unpacker.get();
    }
  }
  return result;
}

}  // namespace poet
