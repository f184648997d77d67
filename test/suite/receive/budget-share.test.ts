/**
 * What one producer leaves of the byte budget to the others (faults R15): bodies that it declares
 * and does not send fill its share, not the budget; and the largest body fits into a share.
 */
import type { Socket } from "node:net";

import { limits } from "@turnproof/semconv";
import { expect, test, vi } from "vitest";

import { budgetBytesDefault, budgetShare } from "../../../collector/src/receive/otlp/intake.ts";
import { batches } from "../../bench/receive/payloads.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness, protobuf } from "./harness.ts";
import { open } from "./raw-socket.ts";

const tokens = [
  { name: "greedy", token: "g".repeat(20) },
  { name: "modest", token: "m".repeat(20) },
];
const headersOf = (letter: string): Record<string, string> => ({
  ...protobuf,
  authorization: `Bearer ${letter.repeat(20)}`,
});
const body = encodeProtobuf(traceRequest([chat(1)]));

/** A request whose body has begun and does not go on. */
async function begin(port: number, length: number): Promise<Socket> {
  const socket = await open(port);
  const headers = Object.entries({ host: "localhost", ...headersOf("g") });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /v1/traces HTTP/1.1\r\n${lines}content-length: ${length}\r\n\r\n\n`);
  return socket;
}

test("one principal fills its share of the budget, and another is still accepted", async () => {
  const harness = await openHarness({ tokens });
  const largest = limits.otlpBodyBytesMax;
  const rest = budgetBytesDefault * budgetShare - largest;
  const sockets: Socket[] = [];
  try {
    // More than its share, and no more than the budget.
    for (const length of [largest, rest, budgetBytesDefault - largest - rest]) {
      sockets.push(await begin(harness.server.port, length));
    }
    await vi.waitFor(async () => {
      const own = await harness.post(body, headersOf("g"));
      expect(own.status).toBe(503);
      expect(Number(own.headers.get("retry-after"))).toBeGreaterThan(0);
    });
    expect((await harness.post(body, headersOf("m"))).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await harness.close();
  }
});

test("the largest body fits into a share, with each part of its events", async () => {
  const rows = new Map<string, number>();
  const harness = await openHarness({
    tokens,
    store: {
      append: async ({ batchId, events }) => void rows.set(batchId, events.length),
      readBack: async (id) => ({ rows: rows.get(id) ?? 0, complete: rows.has(id) }),
    },
  });
  const [small] = batches("small", 1, false, "identity").bodies as [Uint8Array];
  const [large] = batches("large", 1, true, "identity").bodies as [Uint8Array];
  // More events than a part takes, then mostly content, which takes no time.
  const bodies = Array.from({ length: 33 }, () => small);
  let left = limits.otlpBodyBytesMax - bodies.length * small.byteLength;
  for (const batch of [large, small]) {
    for (; left >= batch.byteLength; left -= batch.byteLength) bodies.push(batch);
  }
  expect((await harness.post(Buffer.concat(bodies), headersOf("g"))).status).toBe(200);
  await harness.close();
}, 60_000);
