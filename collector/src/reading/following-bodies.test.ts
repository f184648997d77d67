/** Bodies that follow their answer: order, failure, an ended thread, a client that leaves. */
import { MessageChannel } from "node:worker_threads";

import { expect, test } from "vitest";

import { connectCalls } from "./calls.ts";
import type { Port } from "./calls.ts";
import { createFollowingBodies, followingBody } from "./following-bodies.ts";

/** Both ends of a port: bodies on one, calls on the other. */
function connected() {
  const { port1, port2 } = new MessageChannel();
  const bodies = createFollowingBodies();
  connectCalls(port1 as unknown as Port, bodies.handlers);
  const calls = connectCalls(port2 as unknown as Port, {});
  return { bodies, calls, [Symbol.dispose]: () => port1.close() };
}

/** A body of numbered pieces, which records what was made and whether it was left. */
function counted(pieces: number, failsAt = Infinity, bytes = 1) {
  const seen = { made: 0, left: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (seen.made === pieces) return controller.close();
        if (seen.made === failsAt) throw new TypeError("a writer failed");
        seen.made += 1;
        controller.enqueue(new Uint8Array(bytes).fill(seen.made));
      },
      cancel: () => void (seen.left = true),
    },
    { highWaterMark: 0 },
  );
  return { seen, reader: body.getReader() };
}

test("a body arrives piece by piece, after its answer", async () => {
  using ends = connected();
  const { seen, reader } = counted(3);
  const id = ends.bodies.hold(reader);
  expect(seen.made).toBe(0);
  const body = new Response(followingBody(ends.calls, id));
  expect([...(await body.bytes())]).toEqual([1, 2, 3]);
});

test("small pieces arrive together, in their order", async () => {
  using ends = connected();
  const requests: string[] = [];
  const request: typeof ends.calls.request = (name, argument) => {
    requests.push(name);
    return ends.calls.request(name, argument);
  };
  const body = followingBody({ request }, ends.bodies.hold(counted(200, Infinity, 64).reader));
  const bytes = await new Response(body).bytes();
  expect([...bytes]).toEqual(Array.from({ length: 200 * 64 }, (_, at) => Math.floor(at / 64) + 1));
  expect(requests.length).toBeLessThan(100);
});

test("a body that fails breaks the transfer", async () => {
  using ends = connected();
  const id = ends.bodies.hold(counted(3, 1).reader);
  await expect(new Response(followingBody(ends.calls, id)).bytes()).rejects.toThrow();
});

test("a body of a thread that was started again never looks whole", async () => {
  using before = connected();
  using after = connected();
  const id = before.bodies.hold(counted(1).reader);
  after.bodies.hold(counted(1).reader);
  await expect(new Response(followingBody(after.calls, id)).bytes()).rejects.toThrow();
});

test("a body that its client leaves is made no further", async () => {
  using ends = connected();
  const { seen, reader } = counted(100, Infinity, 2 ** 20);
  const body = followingBody(ends.calls, ends.bodies.hold(reader)).getReader();
  await body.read();
  await body.cancel();
  await expect.poll(() => seen.left).toBe(true);
  expect(seen.made).toBeLessThan(5);
});
