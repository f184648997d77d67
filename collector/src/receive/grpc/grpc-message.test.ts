/** A call that is read later than it ended is answered as one that is read at once. */
import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { ByteBudget } from "../otlp/byte-budget.ts";
import { framed, readMessage } from "./grpc-message.ts";

const budget = new ByteBudget(1_000);
const server = createServer();
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

/** Reads a call with this body some time after it has come whole. */
async function readLate(body: Uint8Array): Promise<Uint8Array> {
  const arrived = once(server, "stream") as Promise<[ServerHttp2Stream]>;
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const sent = session.request({ ":method": "POST", ":path": "/" });
  sent.on("error", () => {});
  sent.end(body);
  const [stream] = await arrived;
  await sleep(50);
  try {
    return (await readMessage(stream, "identity", (bytes) => budget.take("", bytes))).bytes;
  } finally {
    session.destroy();
  }
}

test("without a message", async () => {
  await expect(readLate(Buffer.alloc(0))).rejects.toMatchObject({ code: "bad_request" });
});

test("with a message", async () => {
  expect(Buffer.from(await readLate(framed(Buffer.from("abc")))).toString()).toBe("abc");
});
