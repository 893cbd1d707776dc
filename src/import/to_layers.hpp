#pragma once

#include <string>
#include <vector>

#include "import/import_request.hpp"
#include "import/onnx_graph.hpp"
#include "import/weight_numbers.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// A fused graph as layers that end in a loss, with the extents of the graph. Throws InputError,
/// without a place, that names every node that no layer stands for, and ops of `request.custom`
/// that no node has. `parameters` gets the parameters of the layers if the
/// request asks for them.
ModelSpec to_layers(OnnxGraph graph, const ImportRequest& request, std::vector<std::string>& notes,
                    std::vector<KeptArray>& parameters);

}  // namespace poet
