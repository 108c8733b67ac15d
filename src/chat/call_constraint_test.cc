#include "chat/call_constraint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "chat/parser.h"
#include "tests/support/chat_output.h"
#include "tests/support/goldens.h"
#include "tests/support/small_vocabulary.h"
#include "tests/support/vocabulary.h"

namespace gem {
namespace {

using testing::marked_ids;
using testing::small_tokenizer;
using Kind = ToolChoice::Kind;

const ConstraintVocabulary& small_vocabulary() {
  static const ConstraintVocabulary vocabulary(small_tokenizer());
  return vocabulary;
}

Tool tool(const std::string& name, const std::string& parameters) {
  auto value = parse_json(parameters);
  EXPECT_TRUE(value) << parameters;
  return {.name = name, .description = {}, .parameters = value.value_or(Value())};
}

const std::vector<Tool>& offered() {
  static const std::vector<Tool> tools = {
      tool("read",
           R"({"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},
           "ratio":{"type":"number"}},"required":["path"]})"),
      tool("re", R"({"type":"object","properties":{"mode":{"enum":["fast","slow","faster"]},
           "level":{"enum":[1,12,true,null,"1"]},"on":{"type":"boolean"}}})"),
      tool("nest",
           R"({"type":"object","properties":{"rows":{"type":"array","items":{"type":"object",
           "properties":{"id":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},
           "required":["id"]}},"next":{"$ref":"#"},"any":{},"maybe":{"type":["string","null"]}}})"),
      tool("open", R"({"type":"object"})"),
  };
  return tools;
}

bool allows(std::span<const uint32_t> mask, TokenId id) {
  return mask.empty() || (mask[static_cast<size_t>(id) / 32] >> (id % 32) & 1) != 0;
}

// Whether every token of `text` is allowed where it stands; the text after it is what was not.
std::string first_refused(CallConstraint& constraint, const std::string& text) {
  const std::vector<TokenId> ids = marked_ids(small_tokenizer(), text);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!allows(constraint.mask(), ids[i]))
      return small_tokenizer().decode(std::span(ids).subspan(i), true);
    constraint.accept(ids[i]);
  }
  return "";
}

// What is refused of a call with this inner text, under tool_choice auto; "" if nothing.
std::string refused(const std::string& call) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools, {});
  return first_refused(constraint, "<|tool_call>" + call + "<tool_call|>");
}

TEST(CallConstraint, AllowsWellFormedCallsOfOfferedTools) {
  for (const char* call :
       {"call:read{path:<|\"|>a b<|\"|>}", "call:read{limit:-12,path:<|\"|><|\"|>,ratio:0.5e-3}",
        "call:re{}", "call:re{mode:<|\"|>faster<|\"|>,level:12,on:false}", "call:re{level:1}",
        "call:re{level:<|\"|>1<|\"|>}", "call:re{level:null}",
        "call:nest{rows:[{id:1,tags:[<|\"|>x<|\"|>,<|\"|>y<|\"|>]},{tags:[],id:2}]}",
        "call:nest{next:{next:{}},maybe:null}",
        "call:nest{any:[1,true,null,<|\"|>s<|\"|>,{k:[[]]},2.5]}",
        "call:open{free_key:{a.b:1},@x:<|\"|>y<|\"|>}", "call:open{}"}) {
    EXPECT_EQ(refused(call), "") << call;
  }
}

TEST(CallConstraint, RefusesEverythingElseAtItsFirstToken) {
  EXPECT_EQ(refused("read{}"), "read{}<tool_call|>");
  EXPECT_EQ(refused("call:write{}"), "write{}<tool_call|>");
  EXPECT_EQ(refused("call:read(path)"), "(path)<tool_call|>");
  EXPECT_EQ(refused("call:read{path:a}"), "a}<tool_call|>");
  EXPECT_EQ(refused("call:read{path:\"a\"}"), "\"a\"}<tool_call|>");
  EXPECT_EQ(refused("call:read{name:1}"), "name:1}<tool_call|>");
  EXPECT_EQ(refused("call:read{limit:1.5,path:<|\"|><|\"|>}"), ".5,path:<|\"|><|\"|>}<tool_call|>");
  EXPECT_EQ(refused("call:read{limit:<|\"|>1<|\"|>}"), "<|\"|>1<|\"|>}<tool_call|>");
  EXPECT_EQ(refused("call:read{limit:01}"), "1}<tool_call|>");
  EXPECT_EQ(refused("call:re{mode:<|\"|>fasted<|\"|>}"), "d<|\"|>}<tool_call|>");
  EXPECT_EQ(refused("call:re{level:2}"), "2}<tool_call|>");
  EXPECT_EQ(refused("call:re{on:True}"), "True}<tool_call|>");
  EXPECT_EQ(refused("call:re{on: true}"), " true}<tool_call|>");
  EXPECT_EQ(refused("call:nest{rows:{}}"), "{}}<tool_call|>");
  EXPECT_EQ(refused("call:open{a}"), "}<tool_call|>");
}

TEST(CallConstraint, WantsRequiredKeysAndEachKeyOnce) {
  EXPECT_EQ(refused("call:read{}"), "{}<tool_call|>");
  EXPECT_EQ(refused("call:read{limit:1}"), "}<tool_call|>");
  EXPECT_EQ(refused("call:nest{rows:[{tags:[]}]}"), "]}]}<tool_call|>");
  EXPECT_EQ(refused("call:read{limit:1,limit:2,path:<|\"|><|\"|>}"),
            "limit:2,path:<|\"|><|\"|>}<tool_call|>");
  // With all keys used no comma can follow.
  EXPECT_EQ(refused("call:read{limit:1,path:<|\"|><|\"|>,ratio:1,"), ",<tool_call|>");
}

TEST(CallConstraint, LeavesTextFreeUnderAuto) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools, {});
  EXPECT_TRUE(constraint.mask().empty());
  EXPECT_EQ(first_refused(constraint, "Hi<|channel>thought\n<channel|>"), "");
  EXPECT_TRUE(constraint.mask().empty());
}

TEST(CallConstraint, AllowsOnlyCallsAndTheEndAfterACall) {
  const ToolSet tools(offered());
  const SpecialIds& special = small_tokenizer().special();
  for (const bool one_call : {false, true}) {
    CallConstraint constraint(small_vocabulary(), tools, {.one_call = one_call});
    EXPECT_EQ(first_refused(constraint, "<|tool_call>call:re{}<tool_call|>"), "");
    EXPECT_EQ(allows(constraint.mask(), special.tool_call_open), !one_call);
    EXPECT_TRUE(allows(constraint.mask(), special.tool_response_open));
    EXPECT_TRUE(allows(constraint.mask(), special.turn_close));
    EXPECT_FALSE(allows(constraint.mask(), small_tokenizer().find("x")));
  }
}

TEST(CallConstraint, DemandsARequiredCallAfterAThoughtAtMost) {
  const ToolSet tools(offered());
  const auto made = [&](CallConstraint::Options options) {
    options.choice.kind = Kind::kRequired;
    return CallConstraint(small_vocabulary(), tools, options);
  };
  const std::string call = "<|tool_call>call:re{}<tool_call|>";
  const std::string thought = "<|channel>thought\nhm\n<channel|>";
  CallConstraint plain = made({});
  EXPECT_EQ(first_refused(plain, "Hi" + call), "Hi" + call);
  EXPECT_EQ(first_refused(plain, call + call + "<turn|>"), "");
  CallConstraint unthinking = made({});
  EXPECT_EQ(first_refused(unthinking, thought + call), thought + call);
  CallConstraint thinking = made({.may_think = true});
  EXPECT_EQ(first_refused(thinking, thought + thought), thought);
  EXPECT_EQ(first_refused(thinking, call), "");
  CallConstraint within = made({.in_thought = true});
  EXPECT_EQ(first_refused(within, "hm<turn|>"), "<turn|>");
  EXPECT_EQ(first_refused(within, "\n<channel|>" + call), "");
}

TEST(CallConstraint, AllowsOneCallOfANamedTool) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools,
                            {.choice = {.kind = Kind::kNamed, .name = "re"}});
  EXPECT_EQ(first_refused(constraint, "<|tool_call>call:read{"), "ad{");
  CallConstraint other(small_vocabulary(), tools, {.choice = {.kind = Kind::kNamed, .name = "re"}});
  EXPECT_EQ(first_refused(other, "<|tool_call>call:re{}<tool_call|><|tool_call>"), "<|tool_call>");
}

TEST(CallConstraint, AllowsNoSpecialTokenInsideAString) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools, {});
  EXPECT_EQ(first_refused(constraint, "<|tool_call>call:read{path:<|\"|>x"), "");
  const auto mask = constraint.mask();
  for (TokenId id = 0; id < small_tokenizer().vocabulary_size(); ++id) {
    const TokenClass kind = small_tokenizer().token_class(id);
    const bool is_text = kind == TokenClass::kText || kind == TokenClass::kByte;
    EXPECT_EQ(allows(mask, id), is_text || id == small_tokenizer().special().quote) << id;
  }
}

TEST(CallConstraint, LetsGoAfterATokenItDidNotAllow) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools, {});
  constraint.accept(small_tokenizer().special().tool_call_open);
  EXPECT_FALSE(constraint.mask().empty());
  constraint.accept(small_tokenizer().find("x"));
  EXPECT_TRUE(constraint.mask().empty());
  constraint.accept(-5);
  // The next call is constrained again.
  EXPECT_EQ(first_refused(constraint, "<|tool_call>call:x"), "x");
}

TokenId random_allowed(std::span<const uint32_t> mask, std::mt19937& random) {
  size_t count = 0;
  for (const uint32_t word : mask) count += static_cast<size_t>(std::popcount(word));
  EXPECT_GT(count, 0u);
  size_t skip = count > 0 ? random() % count : 0;
  for (size_t i = 0; i < mask.size(); ++i) {
    uint32_t word = mask[i];
    const auto here = static_cast<size_t>(std::popcount(word));
    if (skip >= here) {
      skip -= here;
      continue;
    }
    for (; skip > 0; --skip) word &= word - 1;
    return static_cast<TokenId>(i * 32 + static_cast<size_t>(std::countr_zero(word)));
  }
  return -1;
}

// What a parser reads from one call whose tokens are drawn at random from what is allowed; strings
// end half of the time. No calls if it does not end in time.
testing::CollectedOutput random_call(const ConstraintVocabulary& vocabulary, const ToolSet& tools,
                                     std::mt19937& random, size_t max_tokens) {
  const Tokenizer& tokenizer = vocabulary.tokenizer();
  const SpecialIds& special = tokenizer.special();
  CallConstraint constraint(vocabulary, tools, {.choice = {.kind = Kind::kRequired, .name = {}}});
  OutputParser parser(tokenizer, {}, {.tools = &tools});
  testing::CollectedOutput output;
  for (size_t i = 0; i < max_tokens; ++i) {
    const auto mask = constraint.mask();
    EXPECT_FALSE(mask.empty());
    if (mask.empty()) return output;
    TokenId id = random_allowed(mask, random);
    if (allows(mask, special.quote) && random() % 2 == 0) id = special.quote;
    constraint.accept(id);
    output.add(parser.push(id));
    if (id == special.tool_call_close) break;
  }
  output.add(parser.finish());
  return output;
}

// A strict check of what the constraint promises.
bool fits(const Value& value, const Schema& schema, Schema::Index node) {
  for (const Schema::Index index : schema.forms_of(node)) {
    const Schema::Form& form = schema.form(index);
    TypeSet type = 0;
    switch (value.kind) {
      case Value::Kind::kNull:
        type = kNullType;
        break;
      case Value::Kind::kBoolean:
        type = kBooleanType;
        break;
      case Value::Kind::kNumber:
        type = is_integer_text(value.text) ? kIntegerType : kFractionType;
        break;
      case Value::Kind::kString:
        type = kStringType;
        break;
      case Value::Kind::kArray:
        type = kArrayType;
        break;
      case Value::Kind::kObject:
        type = kObjectType;
        break;
    }
    bool good = (form.types & type) != 0;
    if (good && !form.choices.empty() && type < kArrayType) {
      good = std::ranges::find(form.choices, value) != form.choices.end();
    }
    for (const Value& item : value.items) good = good && fits(item, schema, form.items);
    for (const Value::Member& member : value.members) {
      const auto property = std::ranges::find(form.properties, member.key, &Schema::Property::name);
      if (property != form.properties.end()) {
        good = good && fits(member.value, schema, property->value);
      } else {
        good = good && form.other_properties != Schema::kNone &&
               fits(member.value, schema, form.other_properties);
      }
    }
    for (const Schema::Property& property : form.properties) {
      good = good &&
             (!value.is_object() || !property.is_required || value.find(property.name) != nullptr);
    }
    if (good) return true;
  }
  return false;
}

int check_random_calls(const ConstraintVocabulary& vocabulary, const std::vector<Tool>& tools,
                       int count) {
  const ToolSet tool_set(tools);
  std::mt19937 random(7);
  int complete = 0;
  for (int i = 0; i < count; ++i) {
    const testing::CollectedOutput output = random_call(vocabulary, tool_set, random, 200);
    EXPECT_EQ(output.text, "");
    if (output.calls.empty()) continue;
    ++complete;
    const auto& [name, json] = output.calls.front();
    const Schema* schema = tool_set.find(name);
    const auto arguments = parse_json(json);
    EXPECT_TRUE(schema != nullptr && arguments) << name << json;
    if (schema == nullptr || !arguments) continue;
    // The arguments are an object whatever their schema says.
    if ((schema->types_of(schema->root()) & kObjectType) == 0) continue;
    EXPECT_TRUE(fits(*arguments, *schema, schema->root())) << name << json;
  }
  return complete;
}

TEST(CallConstraint, RandomCallsAreReadableAndFitTheirSchemas) {
  EXPECT_GT(check_random_calls(small_vocabulary(), offered(), 400), 200);
}

TEST(CallConstraint, TakesSchemasOfAnyOddness) {
  const std::vector<Tool> odd = {
      tool("tree",
           R"({"type":"object","properties":{"left":{"anyOf":[{"type":"string"},{"$ref":"#"}]},
           "all":{"allOf":[{"type":"object","properties":{"a":{"const":"x"}}},{"required":["a"]}]},
           "one":{"oneOf":[{"type":"integer"},{"type":"boolean"}]},"extra":{"type":"object",
           "additionalProperties":{"type":"integer"}}}})"),
      tool("regex",
           R"({"type":"object","properties":{"a":{"type":"string","pattern":"\\d{4}(?=.*a)b",
           "minLength":1,"maxLength":65536},"b":{"type":"array","maxItems":10000,"items":{"format":"date-time"}}}})"),
      tool("strange",
           R"({"type":"strange","properties":{"a:b":{},"":{"type":"string"},"c d":false,"e{":1},
           "required":["a:b","missing",7],"enum":[]})"),
      tool("list", R"({"type":"array","items":{"type":"string"}})"),
      tool("empty", R"({"properties":{"x":{"enum":[]},"y":{"type":[]},"z":{"anyOf":[]}}})"),
      tool("choice", R"({"properties":{"x":{"enum":["","a","ab",1,1.5,true,null,{"k":1},[2]]}}})"),
  };
  EXPECT_GT(check_random_calls(small_vocabulary(), odd, 300), 150);
}

TEST(CallConstraint, GivesUpOnWhatCannotBeWritten) {
  // Every node requires a node.
  const ToolSet endless(
      {tool("f", R"({"type":"object","properties":{"n":{"$ref":"#"}},"required":["n"]})")});
  CallConstraint constraint(small_vocabulary(), endless, {});
  constraint.accept(small_tokenizer().special().tool_call_open);
  for (int i = 0; i < 1000 && !constraint.mask().empty(); ++i) {
    const auto mask = constraint.mask();
    for (TokenId id = 0; id < small_tokenizer().vocabulary_size(); ++id) {
      if (!allows(mask, id)) continue;
      constraint.accept(id);
      break;
    }
  }
  EXPECT_TRUE(constraint.mask().empty());
}

TEST(CallConstraint, EndsNumbersThatGoOnForEver) {
  const ToolSet tools(offered());
  CallConstraint constraint(small_vocabulary(), tools, {});
  const std::string digits(100, '3');
  const std::string rest = first_refused(constraint, "<|tool_call>call:read{limit:" + digits);
  EXPECT_GT(rest.size(), 50u);
  EXPECT_EQ(first_refused(constraint, ",path:<|\"|><|\"|>}<tool_call|>"), "");
}

TEST(CallConstraintGolden, AuthenticVocabularyMakesReadableCalls) {
  GEM_SHARED_OR_SKIP(path, testing::kAuthenticVocabulary);
  const ConstraintVocabulary vocabulary(testing::tokenizer_of_file(path));
  EXPECT_GT(check_random_calls(vocabulary, offered(), 20), 10);
}

TEST(VocabularyTrie, HoldsEveryTextOnce) {
  const VocabularyTrie trie(small_tokenizer());
  std::vector<std::string> texts;
  std::string path;
  const auto nodes = trie.nodes();
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    path.resize(nodes[i].depth);
    path += static_cast<char>(nodes[i].byte);
    EXPECT_LE(path.size(), trie.max_depth());
    EXPECT_GT(nodes[i].end, i);
    EXPECT_LE(nodes[i].end, nodes.size());
    if (nodes[i].token < 0) continue;
    EXPECT_EQ(small_tokenizer().piece(nodes[i].token), path);
    texts.push_back(path);
  }
  EXPECT_TRUE(std::ranges::is_sorted(texts));
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
  // Every byte can be written, so no grammar gets stuck for want of a token.
  EXPECT_EQ(std::ranges::count_if(texts, [](const std::string& text) { return text.size() == 1; }),
            256);
}

}  // namespace
}  // namespace gem
