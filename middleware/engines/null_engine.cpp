#include "middleware/engines/null_engine.h"

#include "middleware/engines/registry.h"

namespace pmtwin::middleware {
namespace {

const Engines::Entry null_entry{{
    .name = "null",
    .description = "a store that does nothing: what the middleware itself costs",
    .keeps = Keeps::kNothing,
    .make = [](const EngineValues&) { return std::make_shared<NullEngine>(); },
}};

}  // namespace
}  // namespace pmtwin::middleware
