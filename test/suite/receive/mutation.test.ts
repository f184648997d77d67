/**
 * Random damage to valid bodies: the decoders never fail but with a code of theirs, and where the
 * reference and ours both accept, they return the same (faults H4).
 */
import { readFileSync, readdirSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import type { SpanRecord } from "@turnproof/exporter";
import { CodedError } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { decodeJsonSpans } from "../../../collector/src/receive/otlp/decode-json.ts";
import { decodeProtobufSpans } from "../../../collector/src/receive/otlp/decode-protobuf.ts";
import { scanJson } from "../../../collector/src/receive/otlp/scan-json.ts";
import { scanProtobuf } from "../../../collector/src/receive/otlp/scan-protobuf.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import type { Decoded } from "../../../collector/src/receive/otlp/span-builder.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { hostileJson } from "./hostile-json.ts";
import { hostileProtobuf } from "./hostile-protobuf.ts";
import { referenceJson, referenceProtobuf } from "./reference.ts";
import type { ReferenceResult, ReferenceSpan } from "./reference.ts";

const rounds = Number(process.env["TURNPROOF_TEST_MUTATIONS"] ?? 30_000);
const tables = compileSourceTables();
const fixtures = new URL("../../fixtures/dialects/", import.meta.url);

/** A generator of 32 bits that repeats with its seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One to four small injuries; `kinds` of 6 leaves out doubling, which repeats members of JSON. */
function mutate(source: Uint8Array, next: (below: number) => number, kinds: number): Buffer {
  let body = Buffer.from(source);
  for (let injury = next(4); injury >= 0; injury--) {
    const at = next(body.length + 1);
    switch (next(kinds)) {
      case 0:
        if (at < body.length) body[at] = next(256);
        break;
      case 1:
        if (at < body.length) body[at]! ^= 1 << next(8);
        break;
      case 2:
        body = Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + next(8))]);
        break;
      case 3:
        body = Buffer.concat([body.subarray(0, at), Buffer.from([next(256)]), body.subarray(at)]);
        break;
      case 4:
        body = body.subarray(0, at);
        break;
      case 6: {
        const piece = body.subarray(at, at + next(40));
        const to = next(body.length + 1);
        body = Buffer.concat([body.subarray(0, to), piece, body.subarray(to)]);
        break;
      }
      default:
        if (at < body.length) body[at] = [0x00, 0x7f, 0x80, 0xff, 0x22, 0x5c][next(6)]!;
    }
  }
  return body;
}

/** Ours, or undefined when it refuses; anything but a code of ours is a failure. */
function ours(body: Buffer, decode: () => Decoded): Decoded | undefined {
  const copy = Buffer.from(body);
  try {
    const decoded = decode();
    const rejected = Object.values(decoded.rejected).reduce((sum, count) => sum + count, 0);
    expect(decoded.spans.length + rejected).toBe(decoded.items);
    return decoded;
  } catch (error) {
    if (CodedError.is(error)) return undefined;
    throw new Error(`not a coded error for ${copy.toString("base64")}`, { cause: error });
  }
}

function asReference(span: SpanRecord): ReferenceSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    kind: span.kind,
    start: span.startTimeUnixNano,
    end: span.endTimeUnixNano ?? "0",
    statusCode: span.statusCode,
    name: span.name,
    attributes: { ...span.attributes },
    resource: { ...span.resource },
    exceptionType: span.exceptionType,
  };
}

/** protobufjs reads some spans that are not the wire format; ours rejects those, and them alone. */
function agree(body: Buffer, decoded: Decoded, reference: ReferenceResult): void {
  const stated = decoded.spans.map(asReference);
  const refused = decoded.rejected.span_malformed ?? 0;
  let at = 0;
  const theirs = reference.spans.filter((span) => {
    const same = refused === 0 || isDeepStrictEqual(stated[at], span);
    if (same) at++;
    return same;
  });
  expect(stated, body.toString("base64")).toEqual(theirs);
  expect(reference.spans.length - theirs.length).toBeLessThanOrEqual(refused);
  expect(decoded.items).toBe(reference.items);
}

const requests = readdirSync(fixtures)
  .filter((name) => name.endsWith(".json") && !name.endsWith(".events.json"))
  .map((name) => {
    const fixture = JSON.parse(readFileSync(new URL(name, fixtures), "utf8")) as {
      spans: readonly PlainSpan[];
      resource: Record<string, string>;
    };
    return traceRequest(fixture.spans.slice(0, 6), fixture.resource);
  });

interface Tally {
  both: number;
  oursOnly: number;
  referenceOnly: number;
}

function run(
  seeds: readonly Uint8Array[],
  decode: (body: Buffer) => Decoded,
  refer: (body: Buffer) => ReferenceResult | undefined,
  kinds: number,
): Tally {
  const next = random(20_261_121);
  const tally: Tally = { both: 0, oursOnly: 0, referenceOnly: 0 };
  for (let round = 0; round < rounds; round++) {
    const body = mutate(seeds[next(seeds.length)] as Uint8Array, next, kinds);
    const decoded = ours(body, () => decode(body));
    const reference = refer(body);
    if (decoded !== undefined && reference !== undefined) {
      tally.both++;
      agree(body, decoded, reference);
    } else if (decoded !== undefined) tally.oursOnly++;
    else if (reference !== undefined) tally.referenceOnly++;
  }
  return tally;
}

describe("damaged bodies", () => {
  const limit = 60_000 + rounds * 5;

  test("protobuf", { timeout: limit }, () => {
    const small = hostileProtobuf.filter((row) => row.status === 200 && row.body.length < 5_000);
    const seeds = [...requests.map(encodeProtobuf), ...small.map((row) => row.body as Uint8Array)];
    const tally = run(
      seeds,
      (body) => {
        scanProtobuf(body, "traces");
        return decodeProtobufSpans(body, tables);
      },
      referenceProtobuf,
      7,
    );
    expect(tally.both).toBeGreaterThan(rounds / 20);
  });

  test("JSON", { timeout: limit }, () => {
    const small = hostileJson.filter((row) => row.status === 200 && row.body.length < 5_000);
    const seeds = [
      ...requests.map((request) => Buffer.from(JSON.stringify(request))),
      ...small.map((row) => Buffer.from(row.body as string)),
    ];
    const tally = run(
      seeds,
      (body) => {
        scanJson(body, "traces");
        return decodeJsonSpans(body, tables);
      },
      referenceJson,
      6,
    );
    expect(tally.both).toBeGreaterThan(rounds / 20);
  });
});
