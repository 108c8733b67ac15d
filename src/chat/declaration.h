// The declaration of a tool in the system turn: a JSON schema in the chat format's own notation.
#pragma once
#include "chat/message.h"
#include "chat/prompt.h"

namespace gem {

// As the published template prints it, with everything it loses: properties named like a keyword,
// anyOf, $ref, most keywords, and the braces of a schema without a type.
void write_declaration_official(Prompt& prompt, const Tool& tool);

// The same notation for a schema that went through simplify_schema, without losing a property.
void write_declaration(Prompt& prompt, const Tool& tool);

}  // namespace gem
