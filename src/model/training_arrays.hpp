#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/units.hpp"

namespace poet {

inline constexpr std::array kTrainingArrays{TrainingArray::parameters, TrainingArray::gradients,
                                            TrainingArray::optimizer};

/// Whether parameters are in the flash of a platform, which may be null.
bool is_in_flash(const Parameters& parameters, const Platform* platform);

/// The bytes of a group of parameters, wherever they are, and what training keeps for it in RAM.
struct KeptSizes {
  Bytes parameters = 0;
  Bytes gradients = 0;  ///< 0 unless they are summed over several steps
  Bytes optimizer = 0;
};

/// `platform` may be null. Throws InputError for sizes that leave 64 bits.
KeptSizes kept_sizes(const Parameters& parameters, const Model& model, const Platform* platform);

/// What is read and written in each array.
struct KeptTraffic {
  std::array<Bytes, kTrainingArrays.size()> read{};
  std::array<Bytes, kTrainingArrays.size()> written{};
};

/// Which bytes of what training keeps in RAM a computation reads and writes: parameters that it
/// reads once; those that it updates, and the gradients and moments for that, once in both
/// directions. Parameters in flash are in none of the arrays.
class KeptReader {
 public:
  /// `platform` may be null. Throws InputError as kept_sizes().
  KeptReader(const Model& model, const Platform* platform);

  KeptTraffic of(const ModelNode& node) const;

 private:
  /// By name, which belongs to the model. Parameters in flash have 0 bytes.
  std::map<std::string_view, KeptSizes> sizes_;
};

/// The bank in which the platform keeps the arrays, so that computations pay its costs; a null
/// pointer without such a bank.
const MemoryBank* keeping_bank(const Platform& platform);

}  // namespace poet
