/**
 * @module Hostile protobuf bodies, each with the class it must get: the status, and of a 200 how
 * many spans are stored and how many are rejected by `partial_success`.
 */
import { limits } from "@turnproof/semconv";

import {
  bytes,
  fixed64,
  number,
  pair,
  request,
  span,
  spanId,
  tag,
  text,
  textPair,
  traceId,
} from "./wire-writer.ts";

/** A body and its class. */
export interface HostileBody {
  readonly name: string;
  readonly body: Uint8Array | string;
  readonly status: number;
  /** Of a 200. */
  readonly stored?: number;
  readonly rejected?: number;
  readonly headers?: Record<string, string>;
}

const good = request(span());
const times = [fixed64(7, 1_790_000_000_000_000_001n), fixed64(8, 1_790_000_000_000_000_002n)];
const ids = [bytes(1, traceId), bytes(2, spanId)];
const rawSpan = (...fields: (Uint8Array | readonly number[])[]): Uint8Array => bytes(2, ...fields);

/** An array in an array in an array. */
function nested(levels: number): Uint8Array {
  let value: Uint8Array = text(1, "leaf");
  for (let level = 1; level < levels; level++) value = bytes(5, bytes(1, value));
  return value;
}

function nestedMaps(levels: number): Uint8Array {
  let value: Uint8Array = text(1, "leaf");
  for (let level = 1; level < levels; level++) value = bytes(6, pair(1, "k", value));
  return value;
}

const repeat = (count: number, part: Uint8Array): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, () => part));

function group(field: number, levels: number): number[] {
  const open = Array.from({ length: levels }, () => tag(field, 3)).flat();
  return [...open, ...Array.from({ length: levels }, () => tag(field, 4)).flat()];
}

/** Malformed messages: the whole request is undecodable, permanently. */
const malformed: readonly HostileBody[] = [
  ["a lone byte", [0x0a]],
  ["text instead of protobuf", Buffer.from("hello, is this the collector?")],
  ["JSON under the protobuf type", Buffer.from('{"resourceSpans":[]}')],
  ["cut after the first tag", good.subarray(0, 1)],
  ["cut in the middle", good.subarray(0, good.length >> 1)],
  ["cut one byte early", good.subarray(0, -1)],
  ["a length beyond the body", [0x0a, 0xff, 0xff, 0x03, 0x00]],
  ["a length of 2^63", [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
  ["a length beyond its parent", bytes(1, [0x12, 0x20, 0x12, 0x01])],
  ["a varint of eleven bytes", [0x0a, ...Array.from({ length: 10 }, () => 0x80), 0x01]],
  ["a varint of more than 64 bits", [0x0a, ...Array.from({ length: 9 }, () => 0xff), 0x02]],
  ["field number 2^29", [0x80, 0x80, 0x80, 0x80, 0x10, 0x00]],
  ["a length of -1", [0x0a, ...Array.from({ length: 9 }, () => 0xff), 0x01]],
  ["a length of 2^32", [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10]],
  ["the frame of gRPC", Buffer.concat([Buffer.from([0, 0, 0, 0, good.length]), good])],
  ["resource spans as a group", [0x0b, 0x0c]],
  ["zeros", [0, 0, 0, 0]],
  [
    "a group that ends outside its message",
    [...tag(1, 2), 2, ...tag(15, 3), ...tag(15, 4)].slice(0, 3),
  ],
  ["spans as a varint", bytes(1, bytes(2, number(2, 7)))],
  ["resource spans as a varint", number(1, 5)],
].map(([name, body]) => ({
  name: String(name),
  body: Uint8Array.from(body as number[]),
  status: 400,
}));

/** What amplifies: many parts in few bytes. It is counted, and costs other requests nothing. */
const amplified: readonly HostileBody[] = (
  [
    ["50,001 empty spans", request(repeat(50_001, rawSpan())), 0, 50_001],
    ["two million empty spans", request(repeat(2_000_000, rawSpan()), span()), 1, 2_000_000],
    ["empty spans over many resources", repeat(50_001, request(rawSpan())), 0, 50_001],
    ["empty resources without number", repeat(200_000, bytes(1)), 0, 0],
    ["empty scopes without number", bytes(1, repeat(200_000, bytes(2))), 0, 0],
    ["1,025 attributes", request(span(repeat(1_025, bytes(9)))), 1, 0],
    ["a million empty attributes", request(span(repeat(1_000_000, bytes(9)))), 1, 0],
    ["a million empty events", request(span(repeat(1_000_000, bytes(11)))), 1, 0],
    ["a million empty links", request(span(repeat(1_000_000, bytes(13)))), 1, 0],
    [
      "a resource with too many attributes",
      bytes(1, bytes(1, repeat(1_025, bytes(1))), bytes(2, span())),
      1,
      0,
    ],
    ["a value of 33 levels", request(span(pair(9, "k", nested(limits.otlpDepthMax + 1)))), 1, 0],
    ["a value of 1,000 levels", request(span(pair(9, "k", nested(1_000)))), 1, 0],
    ["maps of 33 levels", request(span(pair(9, "k", nestedMaps(limits.otlpDepthMax + 1)))), 1, 0],
    ["deep values in an event", request(span(bytes(11, pair(3, "k", nested(100))))), 1, 0],
    ["deep values in a link", request(span(bytes(13, pair(4, "k", nested(100))))), 1, 0],
    [
      "deep values in a scope",
      bytes(1, bytes(2, bytes(1, pair(3, "k", nested(100))), span())),
      1,
      0,
    ],
    ["groups of 33 levels", request(span(group(99, 33)), span()), 1, 1],
    ["groups of 100,000 levels", request(span(group(99, 100_000)), span()), 1, 1],
  ] as const
).map(([name, body, stored, rejected]) => ({ name, body, status: 200, stored, rejected }));

/** Spans that cannot stand, beside one that can. */
const badSpans: readonly (readonly [string, Uint8Array])[] = [
  ["no ids", rawSpan(...times)],
  ["no trace id", rawSpan(bytes(2, spanId), ...times)],
  ["no span id", rawSpan(bytes(1, traceId), ...times)],
  ["a trace id of zeros", rawSpan(bytes(1, new Uint8Array(16)), bytes(2, spanId), ...times)],
  ["a span id of zeros", rawSpan(bytes(1, traceId), bytes(2, new Uint8Array(8)), ...times)],
  ["a trace id of 15 bytes", rawSpan(bytes(1, traceId.subarray(1)), bytes(2, spanId), ...times)],
  ["a trace id of 17 bytes", rawSpan(bytes(1, traceId, [1]), bytes(2, spanId), ...times)],
  ["a span id of 4 bytes", rawSpan(bytes(1, traceId), bytes(2, [1, 2, 3, 4]), ...times)],
  ["a parent id of 7 bytes", span(bytes(4, spanId.subarray(1)))],
  ["bad UTF-8 in an allowlisted text", span(pair(9, "gen_ai.tool.name", bytes(1, [0xff, 0xfe])))],
  ["a cut UTF-8 sequence", span(pair(9, "gen_ai.tool.name", bytes(1, [0x61, 0xe2, 0x82])))],
  ["an overlong UTF-8 sequence", span(pair(9, "gen_ai.tool.name", bytes(1, [0xc0, 0xaf])))],
  ["an eleven byte kind", span([0x30, ...Array.from({ length: 10 }, () => 0x80), 0x01])],
  ["a surrogate in UTF-8", span(pair(9, "gen_ai.tool.name", bytes(1, [0xed, 0xa0, 0x80])))],
];
/** Spans whose own bytes are wrong, in an envelope that is not. */
const malformedSpans: typeof badSpans = [
  ["a varint that never ends", rawSpan(...ids, [0x30, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80])],
  ["field number 0", rawSpan(...ids, [0x00, 0x01])],
  ["wire type 6", span([0x9e, 0x06])],
  ["wire type 7", span([0x9f, 0x06])],
  ["an end of a group that never began", span(tag(99, 4))],
  ["a group that never ends", span(tag(99, 3), [0x08, 0x01])],
  ["a group closed by another number", span(tag(99, 3), tag(98, 4))],
  ["a fixed64 cut short", rawSpan(...ids, [0x39, 1, 2, 3])],
  ["a fixed32 cut short", rawSpan(...ids, [...tag(16, 5), 1])],
  ["a trace id as a varint", rawSpan(number(1, 5))],
  ["a start time as a varint", rawSpan(...ids, number(7, 5))],
  ["a kind as bytes", rawSpan(...ids, text(6, "x"))],
  ["an attribute as a varint", rawSpan(...ids, number(9, 1))],
  ["a status as a fixed64", rawSpan(...ids, fixed64(15, 1n))],
  ["a key as a varint", span(bytes(9, number(1, 1)))],
  ["a text value as a varint", span(bytes(9, text(1, "k"), bytes(2, number(1, 1))))],
  ["an int value as bytes", span(pair(9, "k", text(3, "x")))],
  ["a double value as a fixed32", span(pair(9, "k", [...tag(4, 5), 1, 2, 3, 4]))],
  ["an attribute cut short, of a foreign key", span(bytes(9, text(1, "k"), [0x12, 0x7f]))],
  ["a nested value cut short", span(pair(9, "k", bytes(5, [0x0a, 0x7f])))],
  ["an event cut short", span(bytes(11, [0x12, 0x30]))],
  ["a link cut short", span(bytes(13, [0x0a, 0x10, 1]))],
];
const inWrongSurroundings = [
  ["a malformed resource", bytes(1, bytes(1, number(1, 1)), bytes(2, span()))],
  ["a malformed scope", bytes(1, bytes(2, bytes(1, number(1, 1)), span()))],
] as const;
const partly: readonly HostileBody[] = [
  ...[...badSpans, ...malformedSpans].map(([name, bad]) => [name, request(bad, span())] as const),
  ...inWrongSurroundings.map(([name, bad]) => [name, Buffer.concat([bad, good])] as const),
].map(([name, body]) => ({
  name: `a span with ${name}`,
  body,
  status: 200,
  stored: 1,
  rejected: 1,
}));

const chat = textPair(9, "gen_ai.operation.name", "chat");
const model = "gen_ai.request.model";
const counted = "gen_ai.usage.input_tokens";
const sequence = "turnproof.producer.seq";

/** Odd, and legal. */
const legal: readonly HostileBody[] = (
  [
    ["an empty body", new Uint8Array(0), 0],
    ["an empty resource", bytes(1), 0],
    ["a value of 32 levels", request(span(pair(9, "k", nested(limits.otlpDepthMax)))), 1],
    [
      "unknown fields of every wire type",
      request(span(number(500, 1), fixed64(501, 1n), text(502, "x"))),
      1,
    ],
    ["a group of an unknown field", request(span(group(99, 3))), 1],
    [
      "an overlong varint of ten bytes",
      request(span([0x30, 0x81, ...Array.from({ length: 8 }, () => 0x80), 0])),
      1,
    ],
    ["a kind that does not exist", request(span(number(6, 99))), 1],
    ["a status that does not exist", request(span(bytes(15, number(3, 77)))), 1],
    ["a name in bad UTF-8", request(span(bytes(5, [0xff, 0xff]))), 1],
    ["a refused value in bad UTF-8", request(span(pair(9, "foreign", bytes(1, [0xff])))), 1],
    ["a key in bad UTF-8", request(span(bytes(9, bytes(1, [0xff]), bytes(2, text(1, "x"))))), 1],
    [
      "a value before its key",
      request(span(bytes(9, bytes(2, text(1, "chat")), text(1, "gen_ai.operation.name")))),
      1,
    ],
    [
      "a resource after its scopes",
      bytes(1, bytes(2, span()), bytes(1, textPair(1, "service.name", "s"))),
      1,
    ],
    [
      "the same attribute twice",
      request(span(textPair(9, "gen_ai.tool.name", "a"), textPair(9, "gen_ai.tool.name", "b"))),
      1,
    ],
    [
      "a time of all ones",
      request(rawSpan(...ids, fixed64(7, 2n ** 64n - 1n), fixed64(8, 2n ** 64n - 1n))),
      1,
    ],
    [
      "an end before its start",
      request(rawSpan(...ids, fixed64(7, 2n * 10n ** 18n), fixed64(8, 10n ** 18n))),
      1,
    ],
    [
      "an int of 64 bits",
      request(span(pair(9, "gen_ai.usage.input_tokens", number(3, 2n ** 64n - 1n)))),
      1,
    ],
    [
      "a double that is no number",
      request(
        span(
          pair(9, "gen_ai.evaluation.score.value", [...tag(4, 1), 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]),
        ),
      ),
      1,
    ],
    [
      "a text of a mebibyte under our own key",
      request(span(textPair(9, "gen_ai.tool.name", "x".repeat(2 ** 20)))),
      1,
    ],
    [
      "33 entries in a list",
      request(
        span(
          pair(
            9,
            "gen_ai.response.finish_reasons",
            bytes(5, repeat(33, bytes(1, text(1, "stop")))),
          ),
        ),
      ),
      1,
    ],
    ["a map under our own key", request(span(pair(9, "gen_ai.tool.name", nestedMaps(3)))), 1],
    ["bytes under our own key", request(span(pair(9, "gen_ai.tool.name", bytes(7, [1, 2])))), 1],
    [
      "a mixed list under our own key",
      request(
        span(
          pair(
            9,
            "gen_ai.response.finish_reasons",
            bytes(5, bytes(1, text(1, "a")), bytes(1, number(3, 1))),
          ),
        ),
      ),
      1,
    ],
    [
      "a link of zeros",
      request(span(bytes(13, bytes(1, new Uint8Array(16)), bytes(2, new Uint8Array(8))))),
      1,
    ],
    ["the largest field number", request(span(number(2 ** 29 - 1, 1))), 1],
    ["an overlong length", [0x0a, 0x80, 0x80, 0x00], 0],
    ["an overlong tag", [0x8a, 0x80, 0x80, 0x00, 0x00], 0],
    ["maps of 32 levels", request(span(pair(9, "k", nestedMaps(limits.otlpDepthMax)))), 1],
    [
      "200,000 entries of a map",
      request(span(pair(9, "k", bytes(6, repeat(200_000, bytes(1)))))),
      1,
    ],
    ["no times", request(rawSpan(...ids)), 1],
    ["a time of one", request(rawSpan(...ids, fixed64(7, 1n), fixed64(8, 1n))), 1],
    ["a time of 2^63", request(rawSpan(...ids, fixed64(7, 2n ** 63n), fixed64(8, 2n ** 63n))), 1],
    ["a model's name of 240 letters", request(span(chat, textPair(9, model, "m".repeat(240)))), 1],
    ["-1 of a count", request(span(chat, pair(9, counted, number(3, 2n ** 64n - 1n)))), 1],
    ["2^53-1 of a count", request(span(chat, pair(9, counted, number(3, 2n ** 53n - 1n)))), 1],
    ["a sequence of 2^53-1", request(span(pair(9, sequence, number(3, 2n ** 53n - 1n)))), 1],
    ["100 links", request(span(repeat(100, bytes(13, ...ids)))), 1],
  ] as const
).map(([name, body, stored]) => {
  return { name, body: Uint8Array.from(body), status: 200, stored, rejected: 0 };
});

/** Every protobuf row. */
export const hostileProtobuf: readonly HostileBody[] = [
  ...malformed,
  ...amplified,
  ...partly,
  ...legal,
];
