#include "chat/message.h"

#include <gtest/gtest.h>

#include <string>

namespace gem {
namespace {

Value parse(const std::string& json) {
  auto value = parse_json(json);
  EXPECT_TRUE(value) << json;
  return value.value_or(Value());
}

Result<Conversation> read(const std::string& messages, const std::string& tools = "null") {
  return parse_conversation(parse(messages), parse(tools));
}

// The error text of a conversation that must be refused.
std::string refusal(const std::string& messages, const std::string& tools = "null") {
  const auto conversation = read(messages, tools);
  EXPECT_FALSE(conversation) << messages << " " << tools;
  if (conversation) return "";
  EXPECT_EQ(conversation.error().code(), Code::kInvalid);
  return conversation.error().text();
}

TEST(Message, ReadsEveryRole) {
  const auto conversation =
      read(R"([{"role":"system","content":"s"},{"role":"developer","content":"d"},
      {"role":"user","content":"u"},{"role":"assistant","content":"a"},
      {"role":"tool","content":"t","tool_call_id":"c"},{"role":"function","content":"f","name":"n"}])");
  ASSERT_TRUE(conversation) << conversation.error().text();
  std::vector<Role> roles;
  for (const Message& message : conversation->messages) roles.push_back(message.role);
  EXPECT_EQ(roles, (std::vector<Role>{Role::kSystem, Role::kSystem, Role::kUser, Role::kAssistant,
                                      Role::kTool, Role::kTool}));
  EXPECT_EQ(conversation->messages[4].call_id, "c");
  EXPECT_EQ(conversation->messages[5].name, "n");
}

TEST(Message, RefusesUnknownRolesByIndexAndName) {
  EXPECT_EQ(refusal(R"([{"role":"user","content":"x"},{"role":"banana","content":"x"}])"),
            "messages[1]: role \"banana\" is unknown: expected system, developer, user, assistant "
            "or tool");
  EXPECT_EQ(refusal(R"([{"content":"x"}])"), "messages[0]: role is missing");
  EXPECT_NE(refusal(R"([{"role":7,"content":"x"}])").find("role 7 is unknown"), std::string::npos);
}

TEST(Message, JoinsPartsWithNewlines) {
  const auto conversation = read(R"([{"role":"user","content":[{"type":"text","text":""},
      {"type":"text","text":"a"},{"type":"text","text":""},{"type":"text","text":"b"}]},
      {"role":"user","content":[]},{"role":"user","content":null}])");
  ASSERT_TRUE(conversation);
  EXPECT_EQ(conversation->messages[0].content(), "a\n\nb");
  EXPECT_EQ(conversation->messages[1].content(), "");
  EXPECT_EQ(conversation->messages[2].content(), "");
}

TEST(Message, RefusesPartsThatAreNoText) {
  EXPECT_EQ(refusal(R"([{"role":"user","content":[{"type":"text","text":"x"},
                {"type":"image_url","image_url":{"url":"data:"}}]}])"),
            "messages[0]: content[1]: type 'image_url' is not supported: only text parts are");
  EXPECT_EQ(refusal(R"([{"role":"user","content":[{"text":"x"}]}])"),
            "messages[0]: content[0]: type is missing");
  EXPECT_EQ(refusal(R"([{"role":"user","content":[{"type":"text"}]}])"),
            "messages[0]: content[0]: text is missing");
  EXPECT_EQ(refusal(R"([{"role":"user","content":["x"]}])"),
            "messages[0]: content[0]: type is missing");
}

TEST(Message, RefusesOtherShapes) {
  EXPECT_EQ(refusal("[]"), "messages is empty: send at least one message");
  EXPECT_EQ(refusal("{}"), "messages must be an array, not an object");
  EXPECT_EQ(refusal("[3]"), "messages[0]: must be an object, not a number");
  EXPECT_EQ(refusal(R"([{"role":"user"}])"), "messages[0]: content is missing");
  EXPECT_EQ(refusal(R"([{"role":"user","content":5}])"),
            "messages[0]: content must be a string, an array of parts or null, not a number");
  EXPECT_EQ(refusal(R"([{"role":"user","content":{}}])"),
            "messages[0]: content must be a string, an array of parts or null, not an object");
  EXPECT_EQ(refusal(R"([{"role":"assistant"}])"),
            "messages[0]: an assistant message needs content or tool_calls");
  EXPECT_EQ(refusal(R"([{"role":"assistant","content":"x","reasoning_content":[]}])"),
            "messages[0]: reasoning_content must be a string, not an array");
  EXPECT_EQ(refusal(R"([{"role":"assistant","tool_calls":{}}])"),
            "messages[0]: tool_calls must be an array, not an object");
}

TEST(Message, AcceptsNullContentBesideCallsInEveryForm) {
  const std::string calls =
      R"("tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]})";
  for (const char* content : {R"("content":null,)", R"("content":"",)", "", R"("content":[],)"}) {
    const auto conversation = read(std::string(R"([{"role":"assistant",)") + content + calls + "]");
    ASSERT_TRUE(conversation) << content << conversation.error().text();
    EXPECT_EQ(conversation->messages[0].content(), "");
    EXPECT_EQ(conversation->messages[0].calls.size(), 1u);
  }
}

TEST(Message, ReadsReasoningUnderBothNames) {
  const auto conversation = read(R"([{"role":"assistant","content":null,"reasoning_content":"a"},
                                     {"role":"assistant","content":"x","reasoning":"b"},
                                     {"role":"assistant","reasoning_content":"c"}])");
  ASSERT_TRUE(conversation) << conversation.error().text();
  EXPECT_EQ(conversation->messages[0].reasoning, "a");
  EXPECT_EQ(conversation->messages[1].reasoning, "b");
  EXPECT_EQ(conversation->messages[2].reasoning, "c");
}

TEST(Message, KeepsArgumentsAsTheyWereSent) {
  const auto conversation = read(R"([{"role":"assistant","tool_calls":[
      {"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\": 12345678901234567890123}"}},
      {"id":"b","type":"function","function":{"name":"f","arguments":"{\"broken"}},
      {"type":"function","function":{"name":"f","arguments":{"k":[1]}}},
      {"type":"function","function":{"name":"f"}}]}])");
  ASSERT_TRUE(conversation) << conversation.error().text();
  const auto& calls = conversation->messages[0].calls;
  EXPECT_EQ(to_json(*calls[0].decoded), R"({"n":12345678901234567890123})");
  EXPECT_EQ(calls[1].arguments, "{\"broken");
  EXPECT_FALSE(calls[1].decoded);
  EXPECT_EQ(to_json(*calls[2].decoded), R"({"k":[1]})");
  EXPECT_EQ(calls[2].id, "");
  EXPECT_FALSE(calls[3].decoded);
}

TEST(Message, RefusesCallsWithoutTypeOrUsableName) {
  const auto call = [](const std::string& inner) {
    return R"([{"role":"user","content":"x"},{"role":"assistant","tool_calls":[)" + inner + "]}]";
  };
  EXPECT_EQ(refusal(call(R"({"function":{"name":"f","arguments":"{}"}})")),
            "messages[1]: tool_calls[0]: type is missing: expected \"function\"");
  EXPECT_EQ(refusal(call(R"({"type":"function","function":{"arguments":"{}"}})")),
            "messages[1]: tool_calls[0]: function.name is missing");
  EXPECT_EQ(
      refusal(call(R"({"type":"function","function":{"name":"f{}","arguments":"{}"}})")),
      "messages[1]: tool_calls[0]: function name 'f{}' must be 1 to 64 of letters, digits, _ . -");
  EXPECT_EQ(refusal(call(R"({"type":"function","function":{"name":"f","arguments":7}})")),
            "messages[1]: tool_calls[0]: arguments must be JSON text or an object, not a number");
}

TEST(Message, TakesAToolsObjectAsItsJsonText) {
  const auto conversation = read(R"([{"role":"tool","tool_call_id":"c","content":{"t":20}}])");
  ASSERT_TRUE(conversation) << conversation.error().text();
  EXPECT_EQ(conversation->messages[0].content(), R"({"t":20})");
}

TEST(Message, ReadsTools) {
  const auto conversation =
      read(R"([{"role":"user","content":"x"}])",
           R"([{"type":"function","function":{"name":"a.b-c_9","description":null}},
      {"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},
       "strict":true}}])");
  ASSERT_TRUE(conversation) << conversation.error().text();
  EXPECT_EQ(conversation->tools[0].name, "a.b-c_9");
  EXPECT_EQ(conversation->tools[0].description, "");
  EXPECT_TRUE(conversation->tools[0].parameters.is(Value::Kind::kNull));
  EXPECT_EQ(to_json(conversation->tools[1].parameters), R"({"type":"object"})");
}

TEST(Message, RefusesOtherTools) {
  const std::string user = R"([{"role":"user","content":"x"}])";
  EXPECT_EQ(refusal(user, R"([{"type":"web_search"}])"),
            "tools[0]: type \"web_search\" is not supported: expected \"function\"");
  EXPECT_EQ(refusal(user, R"([{"name":"f","parameters":{}}])"),
            "tools[0]: type is missing: expected \"function\"");
  EXPECT_EQ(refusal(user, R"([{"type":"function","function":{"name":"f"}},
                              {"type":"function","function":{"description":"d"}}])"),
            "tools[1]: function.name is missing");
  EXPECT_EQ(refusal(user, R"([{"type":"function","function":{"name":"f","parameters":[]}}])"),
            "tools[0]: parameters must be an object, not an array");
  EXPECT_EQ(refusal(user, R"("f")"), "tools must be an array, not a string");
}

TEST(Message, LimitsFunctionNames) {
  EXPECT_TRUE(is_function_name(std::string(64, 'a')));
  EXPECT_FALSE(is_function_name(std::string(65, 'a')));
  EXPECT_FALSE(is_function_name(""));
  EXPECT_FALSE(is_function_name("a b"));
  EXPECT_FALSE(is_function_name("\xC3\xA9"));
}

}  // namespace
}  // namespace gem
