/** @module Hostile JSON bodies, each with the class it must get. */
import type { HostileBody } from "./hostile-protobuf.ts";

const ids = `"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"`;
const times = `"startTimeUnixNano":"1790000000000000001","endTimeUnixNano":"1790000000500000002"`;

/** A span with the basics and more members. */
const jsonSpan = (more: string = ""): string => `{${ids},${times}${more === "" ? "" : `,${more}`}}`;

/** A request of one resource and one scope. */
const jsonRequest = (...spans: string[]): string =>
  `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},` +
  `"scopeSpans":[{"scope":{"name":"x"},"spans":[${spans.join(",")}]}]}]}`;

const withAttributes = (...pairs: string[]): string =>
  jsonSpan(`"attributes":[${pairs.join(",")}]`);
const pairOf = (key: string, value: string): string => `{"key":"${key}","value":${value}}`;
const nullMembers = ["events", "links", "status", "name", "kind", "flags", "attributes"]
  .map((name) => `"${name}":null`)
  .join(",");
const tokens = (value: string): string =>
  withAttributes(pairOf("gen_ai.usage.input_tokens", value));
const tool = (value: string): string => withAttributes(pairOf("gen_ai.tool.name", value));

function nested(levels: number): string {
  let value = `{"stringValue":"leaf"}`;
  for (let level = 1; level < levels; level++) value = `{"arrayValue":{"values":[${value}]}}`;
  return value;
}

function nestedMaps(levels: number): string {
  let value = `{"stringValue":"leaf"}`;
  for (let level = 1; level < levels; level++) {
    value = `{"kvlistValue":{"values":[{"key":"k","value":${value}}]}}`;
  }
  return value;
}

const malformed: readonly HostileBody[] = [
  ["nothing at all", ""],
  ["white space", "  \n "],
  ["a bare word", "hello"],
  ["null", "null"],
  ["an array", "[]"],
  ["a number", "42"],
  ["an open brace", "{"],
  ["cut in the middle", jsonRequest(jsonSpan()).slice(0, 150)],
  ["cut one byte early", jsonRequest(jsonSpan()).slice(0, -1)],
  ["trailing garbage", `${jsonRequest(jsonSpan())}x`],
  ["two documents", "{}{}"],
  ["a trailing comma", '{"resourceSpans":[],}'],
  ["a missing colon", '{"resourceSpans" []}'],
  ["a missing comma", '{"a":1 "b":2}'],
  ["brackets that cross", '{"resourceSpans":[}]'],
  ["single quotes", "{'resourceSpans':[]}"],
  ["a key without quotes", "{resourceSpans:[]}"],
  ["a comment", '{"resourceSpans":[]/* x */}'],
  ["NaN", '{"x":NaN}'],
  ["a leading zero", '{"x":01}'],
  ["a lone minus", '{"x":-}'],
  ["a dot without digits", '{"x":1.}'],
  ["an exponent without digits", '{"x":1e}'],
  ["hexadecimal", '{"x":0x10}'],
  ["True", '{"x":True}'],
  ["a raw control character in a text", '{"x":"a\u0001b"}'],
  ["a raw line break in a text", '{"x":"a\nb"}'],
  ["an escape that does not exist", '{"x":"\\q"}'],
  ["a cut unicode escape", '{"x":"\\u12"}'],
  ["an open text", '{"x":"abc'],
  ["a byte order mark", "\ufeff{}"],
  ["UTF-16", Buffer.from("{}", "utf16le")],
  ["protobuf under the JSON type", Uint8Array.from([0x0a, 0x00])],
  ["resource spans as an object", '{"resourceSpans":{}}'],
  ["resource spans as a text", '{"resourceSpans":"x"}'],
  ["a form feed as white space", "\f{}"],
  ["a space without a break as white space", "\u00a0{}"],
  ["a NUL behind it", "{}\0"],
  ["one document a line", "{}\n{}"],
  ["a dot without a whole", '{"x":.5}'],
  ["a plus", '{"x":+1}'],
  ["Infinity", '{"x":Infinity}'],
  ["scope spans as an object", '{"resourceSpans":[{"scopeSpans":{}}]}'],
  ["a resource span as a number", '{"resourceSpans":[7]}'],
  ["a scope span as a list", '{"resourceSpans":[{"scopeSpans":[[]]}]}'],
  ["a million open brackets", `{"x":${"[".repeat(1_000_000)}`],
  ["brackets that cross, deep down", `{"x":${"[".repeat(100_000)}}`],
  ["spans as a number", '{"resourceSpans":[{"scopeSpans":[{"spans":7}]}]}'],
].map(([name, body]) => ({ name: String(name), body: body as string, status: 400 }));

const many = (count: number, part: string): string =>
  Array.from({ length: count }, () => part).join(",");

const amplified: readonly HostileBody[] = (
  [
    ["50,001 empty spans", jsonRequest(many(50_001, "{}")), 0, 50_001],
    ["a million empty spans", jsonRequest(many(1_000_000, "{}"), jsonSpan()), 1, 1_000_000],
    ["empty resources without number", `{"resourceSpans":[${many(60_000, "{}")}]}`, 0, 0],
    ["1,025 attributes", jsonRequest(withAttributes(many(1_025, "{}"))), 1, 0],
    ["a million empty events", jsonRequest(jsonSpan(`"events":[${many(1_000_000, "{}")}]`)), 1, 0],
    ["a value of 33 levels", jsonRequest(withAttributes(pairOf("k", nested(33)))), 1, 0],
    ["maps of 1,000 levels", jsonRequest(withAttributes(pairOf("k", nestedMaps(1_000)))), 1, 0],
    ["a million brackets", `{"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`, 0, 0],
    ["a million braces", `{"x":${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}}`, 0, 0],
    [
      "a million brackets under a known key",
      jsonRequest(
        withAttributes(pairOf("gen_ai.tool.name", "[".repeat(1_000_000) + "]".repeat(1_000_000))),
        jsonSpan(),
      ),
      1,
      1,
    ],
  ] as const
).map(([name, body, stored, rejected]) => ({ name, body, status: 200, stored, rejected }));

const spanOf = (members: string): string => `{${members}}`;
const partly: readonly HostileBody[] = [
  ["no ids", spanOf(times)],
  ["no trace id", spanOf(`"spanId":"b7ad6b7169203331",${times}`)],
  [
    "a trace id of 31 digits",
    spanOf(`"traceId":"0af7651916cd43dd8448eb211c80319","spanId":"b7ad6b7169203331",${times}`),
  ],
  [
    "a trace id in base64",
    spanOf(`"traceId":"CvdlGRbNQ92ESOshHIAxnA==","spanId":"b7ad6b7169203331",${times}`),
  ],
  [
    "a trace id of zeros",
    spanOf(`"traceId":"00000000000000000000000000000000","spanId":"b7ad6b7169203331",${times}`),
  ],
  ["a trace id as a number", spanOf(`"traceId":7,"spanId":"b7ad6b7169203331",${times}`)],
  [
    "a letter that is no digit",
    spanOf(`"traceId":"0af7651916cd43dd8448eb211c80319g","spanId":"b7ad6b7169203331",${times}`),
  ],
  ["a parent that is no id", jsonSpan('"parentSpanId":"xyz"')],
  ["a time in words", spanOf(`${ids},"startTimeUnixNano":"yesterday"`)],
  ["a time with a fraction", spanOf(`${ids},"startTimeUnixNano":1790000000000000001.5`)],
  ["a time as an exponent", spanOf(`${ids},"startTimeUnixNano":1.79e18`)],
  ["a negative time", spanOf(`${ids},"startTimeUnixNano":-1`)],
  ["a time of 65 bits", spanOf(`${ids},"startTimeUnixNano":"18446744073709551616"`)],
  ["a surrogate pair in the wrong order", tool('{"stringValue":"\\ude00\\ud83d"}')],
  [
    "a digit of another script",
    spanOf(`"traceId":"0af7651916cd43dd8448eb211c8031\u0669","spanId":"b7ad6b7169203331",${times}`),
  ],
  [
    "a trace id of 33 digits",
    spanOf(`"traceId":"0af7651916cd43dd8448eb211c80319c0","spanId":"b7ad6b7169203331",${times}`),
  ],
  ["a span id of zeros", spanOf(`${ids.slice(0, -17)}0000000000000000",${times}`)],
  ["nothing but a number", "7"],
  ["nothing but a list", "[]"],
  ["attributes as an object", jsonSpan('"attributes":{"a":1}')],
  ["an attribute as a text", jsonSpan('"attributes":["a"]')],
  ["events as a number", jsonSpan('"events":7')],
  ["a link as a text", jsonSpan('"links":["x"]')],
  ["a status as a number", jsonSpan('"status":2')],
  ["a value as a text", withAttributes(pairOf("gen_ai.tool.name", '"x"'))],
  ["a lone surrogate in an allowlisted text", tool('{"stringValue":"a\\ud800b"}')],
].map(([name, bad]) => ({
  name: `a span with ${name}`,
  body: jsonRequest(String(bad), jsonSpan()),
  status: 200,
  stored: 1,
  rejected: 1,
}));

const badUtf8 = Buffer.from(jsonRequest(tool('{"stringValue":"a\u00ffb"}'), jsonSpan()), "latin1");

const legal: readonly HostileBody[] = (
  [
    ["an empty object", "{}", 0],
    ["null for a list", '{"resourceSpans":null}', 0],
    ["white space everywhere", ` { "resourceSpans" : [ ] } `, 0],
    ["unknown members", jsonRequest(jsonSpan('"x":{"y":[1,2,{"z":null}]}')), 1],
    ["snake case, which is unknown", '{"resource_spans":[{"x":1}]}', 0],
    [
      "upper case ids",
      jsonRequest(
        jsonSpan()
          .toUpperCase()
          .replaceAll(
            /[A-Z]+ID|[A-Z]+NANO/g,
            (name) =>
              ({
                TRACEID: "traceId",
                SPANID: "spanId",
                STARTTIMEUNIXNANO: "startTimeUnixNano",
                ENDTIMEUNIXNANO: "endTimeUnixNano",
              })[name] ?? name,
          ),
      ),
      1,
    ],
    [
      "times as numbers",
      jsonRequest(
        spanOf(
          `${ids},"startTimeUnixNano":1790000000000000001,"endTimeUnixNano":1790000000000000002`,
        ),
      ),
      1,
    ],
    [
      "an enum by name",
      jsonRequest(jsonSpan('"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}')),
      1,
    ],
    [
      "an enum that does not exist",
      jsonRequest(jsonSpan('"kind":"SPAN_KIND_X","status":{"code":99}')),
      1,
    ],
    ["the same member twice", jsonRequest(jsonSpan('"kind":1,"kind":3')), 1],
    [
      "an escaped digit in an id",
      jsonRequest(
        spanOf(
          `"traceId":"\\u0030af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",${times}`,
        ),
      ),
      1,
    ],
    ["an escaped key", jsonRequest(jsonSpan('"\\u006bind":3')), 1],
    ["__proto__ as a member", jsonRequest(jsonSpan('"__proto__":{"polluted":true}')), 1],
    [
      "constructor as a member",
      jsonRequest(jsonSpan('"constructor":{"prototype":{"polluted":true}}')),
      1,
    ],
    [
      "__proto__ as an attribute",
      jsonRequest(withAttributes(pairOf("__proto__", '{"stringValue":"polluted"}'))),
      1,
    ],
    [
      "a.__proto__.b as an attribute",
      jsonRequest(withAttributes(pairOf("a.__proto__.b", '{"stringValue":"polluted"}'))),
      1,
    ],
    [
      "constructor as an attribute",
      jsonRequest(withAttributes(pairOf("constructor", '{"stringValue":"polluted"}'))),
      1,
    ],
    ["a value of 32 levels", jsonRequest(withAttributes(pairOf("k", nested(32)))), 1],
    [
      "an int as a text",
      jsonRequest(withAttributes(pairOf("gen_ai.usage.input_tokens", '{"intValue":"12"}'))),
      1,
    ],
    [
      "an int beyond 2^53",
      jsonRequest(
        withAttributes(pairOf("gen_ai.usage.input_tokens", '{"intValue":"9223372036854775807"}')),
      ),
      1,
    ],
    [
      "a double in words",
      jsonRequest(withAttributes(pairOf("gen_ai.evaluation.score.value", '{"doubleValue":"NaN"}'))),
      1,
    ],
    [
      "a double of 1e400",
      jsonRequest(withAttributes(pairOf("gen_ai.evaluation.score.value", '{"doubleValue":1e400}'))),
      1,
    ],
    ["a text as a number", jsonRequest(tool('{"stringValue":7}')), 1],
    [
      "a flag as a text",
      jsonRequest(withAttributes(pairOf("turnproof.verified", '{"boolValue":"true"}'))),
      1,
    ],
    ["bytes under our own key", jsonRequest(tool('{"bytesValue":"aGVsbG8="}')), 1],
    ["NUL in an allowlisted text", jsonRequest(tool('{"stringValue":"a\\u0000b"}')), 1],
    ["an attribute without a value", jsonRequest(withAttributes('{"key":"gen_ai.tool.name"}')), 1],
    ["an attribute without a key", jsonRequest(withAttributes('{"value":{"stringValue":"x"}}')), 1],
    ["a value of no known member", jsonRequest(tool('{"wordValue":"x"}')), 1],
    ["null for every member", jsonRequest(jsonSpan(nullMembers)), 1],
    ["null for a resource", `{"resourceSpans":[{"resource":null,"scopeSpans":null}]}`, 0],
    ["an int beyond 64 bits", jsonRequest(tokens('{"intValue":"9223372036854775808"}')), 1],
    ["an int of 400 digits", jsonRequest(tokens(`{"intValue":${"9".repeat(400)}}`)), 1],
    ["an int as a fraction", jsonRequest(tokens('{"intValue":1.5}')), 1],
    ["an int in words", jsonRequest(tokens('{"intValue":"many"}')), 1],
    ["two members of a value", jsonRequest(tokens('{"intValue":"5","stringValue":"x"}')), 1],
    ["a list of nothing", jsonRequest(tokens('{"arrayValue":{"values":[null,null]}}')), 1],
    ["a negative kind", jsonRequest(jsonSpan('"kind":-1')), 1],
    ["a kind of 1e30", jsonRequest(jsonSpan('"kind":1e30')), 1],
    ["a lone surrogate in a foreign key", jsonRequest(withAttributes(pairOf("\\udfff", "{}"))), 1],
    ["an escaped pair in a name", jsonRequest(tool('{"stringValue":"\\ud83d\\ude00"}')), 1],
    ["a number of 100,000 digits", `{"x":${"1".repeat(100_000)}}`, 0],
  ] as const
).map(([name, body, stored]) => ({ name, body, status: 200, stored, rejected: 0 }));

/** Every JSON row. */
export const hostileJson: readonly HostileBody[] = [
  ...malformed,
  ...amplified,
  ...partly,
  { name: "a span with bad UTF-8", body: badUtf8, status: 200, stored: 1, rejected: 1 },
  ...legal,
];
