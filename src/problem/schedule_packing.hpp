#pragma once

#include "base/process/packer.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// Writes a schedule into a message between processes: the number of stages, then the four lists of
/// each. The process that branches on counts sends what it finds, and its parent replays it.
inline void pack_schedule(Packer& packer, const Schedule& schedule) {
  packer.put_size(schedule.stages);
  for (const Stage& stage : schedule.stages) {
    for (const auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
      packer.put_all(*list);
    }
  }
}

/// Reads it back. Throws MalformedMessage for a message that does not hold a schedule; whether the
/// schedule is valid is for simulate() to decide.
inline Schedule unpack_schedule(Unpacker& unpacker) {
  Schedule schedule;
  schedule.stages.resize(unpacker.get_size());
  for (Stage& stage : schedule.stages) {
    for (auto* list : {&stage.resident, &stage.compute, &stage.page_out, &stage.page_in}) {
      *list = unpacker.get_all<int>();
    }
  }
  return schedule;
}

}  // namespace poet
