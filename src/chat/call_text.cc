#include "chat/call_text.h"

#include "chat/markers.h"
#include "chat/python_text.h"

namespace gem {

void write_value(Prompt& prompt, const Value& value, const CallNotation& notation) {
  switch (value.kind) {
    case Value::Kind::kNull:
      prompt.trusted(notation.null);
      return;
    case Value::Kind::kBoolean:
      prompt.trusted(value.boolean ? "true" : "false");
      return;
    case Value::Kind::kNumber:
      prompt.untrusted(python_number(value.text));
      return;
    case Value::Kind::kString:
      prompt.quoted(value.text);
      return;
    case Value::Kind::kArray:
      prompt.trusted("[");
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) prompt.trusted(",");
        write_value(prompt, value.items[i], notation);
      }
      prompt.trusted("]");
      return;
    case Value::Kind::kObject:
      write_arguments(prompt, value, notation);
      return;
  }
}

void write_arguments(Prompt& prompt, const Value& arguments, const CallNotation& notation) {
  prompt.trusted("{");
  bool first = true;
  for (const Value::Member* member : dictsort(arguments)) {
    if (!first) prompt.trusted(",");
    first = false;
    if (notation.quotes_keys) {
      prompt.quoted(member->key);
    } else {
      prompt.untrusted(member->key);
    }
    prompt.trusted(":");
    write_value(prompt, member->value, notation);
  }
  prompt.trusted("}");
}

}  // namespace gem
