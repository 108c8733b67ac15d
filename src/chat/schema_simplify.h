// Rewrites a JSON schema so that the declaration's notation, which knows only plain types, can say
// more of it.
#pragma once
#include "chat/value.h"

namespace gem {

// Local references are resolved, `anyOf` or `oneOf` with one alternative beside null becomes that
// alternative with `nullable`, and a missing type is inferred from enum, const, properties or
// items; an object's parameters without any type are an object. References that are recursive,
// foreign or too many (the result would grow without bound) stay as they are. Null and empty
// schemas are returned unchanged.
Value simplify_schema(const Value& parameters);

// The schema that a local reference ("#/$defs/Node") points to, or nullptr.
const Value* resolve_pointer(const Value& root, std::string_view reference);

}  // namespace gem
