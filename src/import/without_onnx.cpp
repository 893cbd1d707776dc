// Stands for the importer in a build without libonnx.
#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet {

bool reads_onnx() {
  return false;
}

ImportedModel import_onnx(std::string_view, const std::string& place, const ImportRequest&) {
  throw InputError(place,
                   "this poet-solve was built without ONNX; install Debian's libonnx-dev and "
                   "libprotobuf-dev and build again (scripts/import does both)");
}

}  // namespace poet
