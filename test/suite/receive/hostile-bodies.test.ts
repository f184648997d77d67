/**
 * Every hostile body gets its class, plain and in each compression; afterwards the receiver
 * answers others as before, and what was acknowledged is stored (faults H1 to H7; OTLP: permanent
 * and retryable).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

import { clickhouse } from "@turnproof/store";
import { decodeProtobuf } from "../../otlp/encode.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { json, openHarness, protobuf } from "./harness.ts";
import type { Answer, Harness } from "./harness.ts";
import { hostileJson } from "./hostile-json.ts";
import { hostileProtobuf } from "./hostile-protobuf.ts";
import type { HostileBody } from "./hostile-protobuf.ts";
import { bytes, request, span } from "./wire-writer.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const codings = {
  identity: (body: Uint8Array) => body,
  gzip: (body: Uint8Array) => gzipSync(body),
  deflate: (body: Uint8Array) => deflateSync(body),
  zstd: (body: Uint8Array) => zstdCompressSync(body),
};

/** Rejected count of a partial success, in either encoding. */
function rejectedOf(answer: Answer): number {
  if (answer.type === "application/json") {
    const parsed = JSON.parse(answer.body.toString()) as {
      partialSuccess?: { rejectedSpans: string };
    };
    return Number(parsed.partialSuccess?.rejectedSpans ?? 0);
  }
  // PartialSuccess { rejected_spans = 1 } in field 1: a tag, a length, a tag, the count.
  if (answer.body.length === 0) return 0;
  let at = answer.body[1]! < 0x80 ? 2 : 3;
  let count = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = answer.body[++at]!;
    count += (byte & 0x7f) * factor;
    if (byte < 0x80) return count;
  }
}

async function check(row: HostileBody, headers: Record<string, string>): Promise<void> {
  const plain = typeof row.body === "string" ? Buffer.from(row.body) : row.body;
  for (const [coding, compress] of Object.entries(codings)) {
    // A compressed repetition may be refused by its growth alone, which is as permanent.
    const body = compress(plain);
    const bomb = coding !== "identity" && plain.length > Math.max(2 ** 20, body.length * 200);
    const before = harness.receiver.conservation();
    const answer = await harness.post(body, { ...headers, "content-encoding": coding });
    expect(answer.status, `${row.name} in ${coding}`).toBe(bomb ? 413 : row.status);
    expect(answer.type).toBe(headers["content-type"]);
    if (answer.status !== 200) {
      expect(answer.headers.get("retry-after")).toBeNull();
      continue;
    }
    expect(rejectedOf(answer), `${row.name} in ${coding}`).toBe(row.rejected);
    const after = harness.receiver.conservation();
    const kept = after.stored + after.pending - before.stored - before.pending;
    expect(kept, `${row.name} in ${coding}`).toBe(row.stored);
    expect(after.rejected - before.rejected).toBe(row.rejected);
    expect(after.balanced).toBe(true);
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
}

describe("a hostile protobuf body", () => {
  test.each(hostileProtobuf)("$name → $status", (row) => check(row, protobuf));
});

describe("a hostile JSON body", () => {
  test.each(hostileJson)("$name → $status", (row) => check(row, json));
});

describe("a hostile compression", () => {
  const good = request(span());
  const gzip = gzipSync(good);
  const damaged = (source: Uint8Array, at: number): Uint8Array => {
    const copy = Buffer.from(source);
    copy[at < 0 ? copy.length + at : at]! ^= 0xff;
    return copy;
  };
  const zeros = Buffer.alloc(100 * 2 ** 20);
  const rows: readonly (readonly [string, string, Uint8Array, number])[] = [
    ["a gzip bomb of 100 MiB", "gzip", gzipSync(zeros), 413],
    ["a zstd bomb of 100 MiB", "zstd", zstdCompressSync(zeros), 413],
    ["a deflate bomb of 100 MiB", "deflate", deflateSync(zeros), 413],
    ["gzip in gzip", "gzip", gzipSync(gzip), 400],
    ["plain under gzip", "gzip", good, 400],
    ["plain under zstd", "zstd", good, 400],
    ["gzip under deflate", "deflate", gzip, 400],
    ["gzip under zstd", "zstd", gzip, 400],
    ["a bad checksum", "gzip", damaged(gzip, -6), 400],
    ["a bad length at the end", "gzip", damaged(gzip, -1), 400],
    ["a bad header", "gzip", damaged(gzip, 0), 400],
    ["a cut stream", "gzip", gzip.subarray(0, -5), 400],
    ["a cut zstd stream", "zstd", zstdCompressSync(good).subarray(0, -2), 400],
    ["bytes after the stream", "gzip", Buffer.concat([gzip, Buffer.from("more")]), 400],
    ["zeros after the stream", "gzip", Buffer.concat([gzip, Buffer.alloc(8)]), 400],
    ["bytes after deflate", "deflate", Buffer.concat([deflateSync(good), Buffer.from("x")]), 400],
    ["bytes after zstd", "zstd", Buffer.concat([zstdCompressSync(good), Buffer.from("x")]), 400],
    ["two members, which together are one body", "gzip", Buffer.concat([gzip, gzip]), 200],
    ["nothing, compressed", "gzip", gzipSync(Buffer.alloc(0)), 200],
    [
      "two frames, which together are one body",
      "zstd",
      Buffer.concat([zstdCompressSync(good), zstdCompressSync(good)]),
      200,
    ],
    ["nothing, compressed by zstd", "zstd", zstdCompressSync(Buffer.alloc(0)), 200],
    ["deflate without its header", "deflate", deflateRawSync(good), 400],
    ["upper case", "GZIP", gzip, 200],
    ["an old name", "x-gzip", gzip, 200],
    ["brotli", "br", good, 415],
    ["two codings", "gzip, gzip", gzip, 415],
    ["a coding nobody knows", "x-unknown", good, 415],
  ];
  test.each(rows)("%s (%s)", async (_name, coding, body, status) => {
    const answer = await harness.post(body, { ...protobuf, "content-encoding": coding });
    expect(answer.status).toBe(status);
  });
});

test("the engine takes every row of what was let in: nothing is set aside", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hostile-"));
  const engine = await clickhouse({ connection: { dataDir: directory } });
  const fresh = await openHarness({ store: engine });
  const rows = [
    ...hostileProtobuf.map((row) => ({ ...row, headers: protobuf })),
    ...hostileJson.map((row) => ({ ...row, headers: json })),
  ].filter(({ stored }) => stored !== undefined && stored > 0);
  for (const { name, body, headers } of rows) {
    expect((await fresh.post(body, headers)).status, name).toBe(200);
  }
  await fresh.receiver.idle();
  const { stored, quarantined, pending } = fresh.receiver.conservation();
  expect({ stored, quarantined, pending }).toEqual({
    stored: rows.reduce((sum, row) => sum + (row.stored ?? 0), 0),
    quarantined: 0,
    pending: 0,
  });
  await fresh.close();
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

test("the table holds at least 80 bodies, and the reference can read what ours accepts", () => {
  expect(hostileJson.length + hostileProtobuf.length).toBeGreaterThanOrEqual(80);
  expect(decodeProtobuf(Buffer.concat([bytes(1), request(span())]))["resourceSpans"]).toHaveLength(
    2,
  );
});
