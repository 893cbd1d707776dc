// Stands for the importer in a build without libonnx. The commands are there all the same, so that
// an error can say what to install.
#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet {

void require_onnx(const std::string& place) {
  throw InputError(place,
                   "this poet-solve was built without ONNX; install Debian's libonnx-dev and "
                   "libprotobuf-dev and build again (scripts/solve does both)");
}

ImportedModel import_onnx(std::string_view, const std::string& place, const ImportRequest&) {
  require_onnx(place);
  return {};
}

}  // namespace poet
