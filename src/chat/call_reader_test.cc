#include "chat/call_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gem {
namespace {

const ToolSet& tools() {
  static const ToolSet set([] {
    Tool typed{.name = "typed", .description = {}, .parameters = {}};
    typed.parameters = *parse_json(R"({"type":"object","properties":{
        "s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
        "m":{"type":["string","null"]},"l":{"type":"array","items":{"type":"integer"}},
        "o":{"type":"object","properties":{"i":{"type":"integer"}}},
        "u":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}})");
    return std::vector<Tool>{typed};
  }());
  return set;
}

// `text` with string markers spelled as |" for legibility.
std::string with_markers(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_marker = text.substr(i).starts_with("|\"");
    out += is_marker ? kQuoteByte : text[i];
    if (is_marker) ++i;
  }
  return out;
}

// "name{json}", or "unreadable".
std::string read(const std::string& text, CallEnd end = CallEnd::kCloser) {
  const auto call = read_call(with_markers(text), end, tools());
  return call ? call->name + to_json(call->arguments) : "unreadable";
}

TEST(CallReader, ReadsTheNotation) {
  EXPECT_EQ(read("call:f{}"), "f{}");
  EXPECT_EQ(read(R"(call:f{a:1,b:-2.5,c:1e5,d:true,e:null,g:[1,|"x|",[],{}],h:{j:{k:|"|"}}})"),
            R"(f{"a":1,"b":-2.5,"c":1e5,"d":true,"e":null,"g":[1,"x",[],{}],"h":{"j":{"k":""}}})");
  EXPECT_EQ(read("call:f{a:|\"x\"y\\n\n}{,:[]|\"}"), R"(f{"a":"x\"y\\n\n}{,:[]"})");
}

TEST(CallReader, KeepsTheDigitsOfNumbers) {
  EXPECT_EQ(read("call:f{a:123456789012345678901234567890,b:-0,c:1.50}"),
            R"(f{"a":123456789012345678901234567890,"b":-0,"c":1.50})");
}

TEST(CallReader, TakesKeysThatAreNoIdentifiers) {
  EXPECT_EQ(read("call:f{@timestamp:1,a.b:2,$c:3,d-e:4,/x/y:5,9z:6,a b:7}"),
            R"(f{"@timestamp":1,"a.b":2,"$c":3,"d-e":4,"/x/y":5,"9z":6,"a b":7})");
}

TEST(CallReader, IgnoresWhiteSpaceBetweenTokens) {
  EXPECT_EQ(read(" call : f { a : 1 , b : [ 1 , 2 ] , c : { } } "), R"(f{"a":1,"b":[1,2],"c":{}})");
}

TEST(CallReader, TakesIncompleteFrames) {
  EXPECT_EQ(read("f{a:1}"), R"(f{"a":1})");
  EXPECT_EQ(read("call:f"), "f{}");
  EXPECT_EQ(read("call:call{a:1}"), R"(call{"a":1})");
  EXPECT_EQ(read("call{a:1}"), R"(call{"a":1})");
  EXPECT_EQ(read("call:f{a:[1,{b:2"), R"(f{"a":[1,{"b":2}]})");
  EXPECT_EQ(read("call:f{a:1}}} "), R"(f{"a":1})");
  EXPECT_EQ(read("call:f{a:1,}"), R"(f{"a":1})");
}

TEST(CallReader, WantsClosedBracesWithoutTheCloser) {
  EXPECT_EQ(read("call:f{a:1}", CallEnd::kMissing), R"(f{"a":1})");
  EXPECT_EQ(read("call:f{a:1}<tool_c", CallEnd::kMissing), R"(f{"a":1})");
  for (const char* cut :
       {"call:f", "call:f{", "call:f{a:1", "call:f{a:[1", "call:f{a:|\"x", "f(a=\"x\""}) {
    EXPECT_EQ(read(cut, CallEnd::kMissing), "unreadable") << cut;
  }
}

TEST(CallReader, TakesQuotesOfOtherLanguages) {
  EXPECT_EQ(read(R"(call:f{"a":"x","b":['y',"z"],o:{"m": "n"}})"),
            R"(f{"a":"x","b":["y","z"],"o":{"m":"n"}})");
  EXPECT_EQ(read(R"(call:f{a:"q \"r\" \\ \n \u00e9 \ud83d\ude00 \x"})"),
            "f{\"a\":\"q \\\"r\\\" \\\\ \\n \xC3\xA9 \xF0\x9F\x98\x80 \\\\x\"}");
  EXPECT_EQ(read(R"(call:f{a:"\ud83d"})"), "f{\"a\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(read("call:f{a:'don't stop'}"), R"(f{"a":"don't stop"})");
  EXPECT_EQ(read("call:f{|\"a|\":1,'b':2}"), R"(f{"a":1,"b":2})");
}

TEST(CallReader, TakesBacktickedText) {
  EXPECT_EQ(read("call:f{path:|\"a.css|\",new:`p { color: red; }\nb { top: 0 }`}"),
            R"(f{"path":"a.css","new":"p { color: red; }\nb { top: 0 }"})");
}

TEST(CallReader, TakesPythonsWords) {
  EXPECT_EQ(read("call:f{a:True,b:False,c:None,d:NULL}"),
            R"(f{"a":true,"b":false,"c":null,"d":null})");
}

TEST(CallReader, TakesBareWordsAsStrings) {
  EXPECT_EQ(read("call:f{a:Paris,b:New York ,c:01,d:+1,e:NaN,g:1_000}"),
            R"(f{"a":"Paris","b":"New York","c":"01","d":"+1","e":"NaN","g":"1_000"})");
}

TEST(CallReader, FindsAStringWithoutItsOpener) {
  EXPECT_EQ(read("call:f{q:weather in Tokyo|\"}"), R"(f{"q":"weather in Tokyo"})");
  EXPECT_EQ(read("call:f{q:Paris, France|\",limit:5}"), R"(f{"q":"Paris, France","limit":5})");
  EXPECT_EQ(read("call:f{a:1,q:x|\"}"), R"(f{"a":1,"q":"x"})");
  EXPECT_EQ(read("call:f{a:x|\",b:|\"y|\"}"), R"(f{"a":"x","b":"y"})");
  EXPECT_EQ(read("call:f{a:x,b:|\"y|\"}"), R"(f{"a":"x","b":"y"})");
}

TEST(CallReader, FindsAStringWithoutItsCloser) {
  EXPECT_EQ(read("call:f{text:|\"code with }],path:|\"file.txt|\"}"),
            R"(f{"text":"code with }]","path":"file.txt"})");
  EXPECT_EQ(read("call:f{a:|\"x , b : |\"y|\"}"), R"(f{"a":"x ","b":"y"})");
}

TEST(CallReader, KeepsMarkersInsideAString) {
  EXPECT_EQ(read("call:f{a:|\"say |\"hi|\" now|\"}"), R"(f{"a":"say <|\"|>hi<|\"|> now"})");
}

TEST(CallReader, TakesEqualsBeforeAQuote) {
  EXPECT_EQ(read("call:f{a:1,b='r.docx',c = |\"d|\"}"), R"(f{"a":1,"b":"r.docx","c":"d"})");
  EXPECT_EQ(read("call:f{x=1:2}"), R"(f{"x=1":2})");
}

TEST(CallReader, TakesKeywordArgumentsThatAreQuoted) {
  EXPECT_EQ(read(R"(call:move(card="A-7", column='done'))"),
            R"(move{"card":"A-7","column":"done"})");
  EXPECT_EQ(read("call:f()"), "f{}");
  EXPECT_EQ(read(R"(call:typed(i="3",s="x"))"), R"(typed{"i":3,"s":"x"})");
  EXPECT_EQ(read("call:f(a=1)"), "unreadable");
  EXPECT_EQ(read(R"(call:f(city: "Paris"))"), "unreadable");
}

TEST(CallReader, TakesTheLastOfDuplicateKeys) {
  EXPECT_EQ(read("call:f{a:1,b:2,a:3}"), R"(f{"a":3,"b":2})");
}

TEST(CallReader, FollowsDeclaredTypes) {
  EXPECT_EQ(read("call:typed{s:42,i:|\"30|\",n:|\"2.5|\",b:|\"true|\"}"),
            R"(typed{"s":"42","i":30,"n":2.5,"b":true})");
  EXPECT_EQ(read("call:typed{i:30.0,n:30.0,s:True}"), R"(typed{"i":30,"n":30.0,"s":"True"})");
  EXPECT_EQ(read("call:typed{l:|\"[1,2]|\",o:|\"{\"i\":1}|\"}"), R"(typed{"l":[1,2],"o":{"i":1}})");
  EXPECT_EQ(read("call:typed{l:[|\"1|\",2],o:{i:|\"7|\"}}"), R"(typed{"l":[1,2],"o":{"i":7}})");
  EXPECT_EQ(read("call:typed{u:|\"7|\",m:None}"), R"(typed{"u":7,"m":null})");
  // What does not fit stays what it is: the client can tell the model.
  EXPECT_EQ(read("call:typed{i:|\"thirty|\",b:|\"maybe|\",l:|\"x|\"}"),
            R"(typed{"i":"thirty","b":"maybe","l":"x"})");
}

TEST(CallReader, GivesUpOnEverythingElse) {
  for (const char* text :
       {"", "{}", "call:", "call:{}", "call:f{:1}", "call:f{a}", "call:f{a:}", "call:f{a:,b:1}",
        "call:f{{a:1}}", "call:f{a:1 b:2}x", "call:f{a:1}x", "call:f[1]", "call:f{a:foo{b}}",
        "call:f{a:[1}", "call:f{a:|\"x}", "call:f{a:\"x}", "BEGIN_ARG: x"}) {
    EXPECT_EQ(read(text), "unreadable") << text;
  }
  EXPECT_EQ(read("call:" + std::string(65, 'a') + "{}"), "unreadable");
}

TEST(CallReader, LimitsNesting) {
  const auto nested = [](int depth) {
    return "call:f{a:" + std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']') + "}";
  };
  EXPECT_NE(read(nested(63)), "unreadable");
  EXPECT_EQ(read(nested(64)), "unreadable");
  EXPECT_EQ(read("call:f{a:" + std::string(100000, '[')), "unreadable");
}

// The searches for markers and quotes must not start over at every value.
TEST(CallReader, TakesLongCallsInLinearTime) {
  std::string numbers = "call:f{a:[";
  for (int i = 0; i < 200000; ++i) numbers += "1,";
  EXPECT_NE(read(numbers + "1],b:|\"x|\"}"), "unreadable");
  EXPECT_NE(read(numbers + "1]}"), "unreadable");
  std::string strings = "call:f{";
  for (int i = 0; i < 100000; ++i) strings += fmt::format("k{}:|\"v|\",", i);
  EXPECT_NE(read(strings + "}"), "unreadable");
}

TEST(CallReader, KnowsTheNameBeforeTheArguments) {
  EXPECT_EQ(read_call_name("call:read{"), "read");
  EXPECT_EQ(read_call_name("f("), "f");
  EXPECT_EQ(read_call_name("call:read"), std::nullopt);
  EXPECT_EQ(read_call_name("call:{"), std::nullopt);
  EXPECT_EQ(read_call_name("{"), std::nullopt);
}

bool is_inside_after(const std::string& text) {
  StringTracker tracker;
  for (const char byte : with_markers(text)) tracker.push(byte);
  return tracker.is_inside();
}

TEST(StringTracker, KnowsWhetherAStringIsOpen) {
  EXPECT_FALSE(is_inside_after("call:f{a:1"));
  EXPECT_TRUE(is_inside_after("call:f{a:|\"x"));
  EXPECT_FALSE(is_inside_after("call:f{a:|\"x|\""));
  EXPECT_FALSE(is_inside_after("call:f{a:|\"x|\"}"));
  EXPECT_TRUE(is_inside_after("call:f{a:|\"x|\" y"));
  EXPECT_FALSE(is_inside_after("call:f{q:no opener|\"}"));
  EXPECT_TRUE(is_inside_after("call:f{a:|\"no closer,b:|\"y"));
  EXPECT_FALSE(is_inside_after("call:f{a:|\"no closer,b:|\"y|\"}"));
  EXPECT_TRUE(is_inside_after("call:f{a:[|\"x|\",|\""));
}

}  // namespace
}  // namespace gem
