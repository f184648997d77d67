/** A read of one root waits for its own frames: those of others on their way cost it nothing. */
import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness } from "./harness.ts";

test.each([0, 1])("a read waits for the frames of its root alone, %i threads", async (threads) => {
  const first = "1".repeat(32);
  const other = "2".repeat(32);
  const sound = ephemeral();
  const held = Promise.withResolvers<undefined>();
  const harness = await openHarness({
    receiver: {
      threads,
      store: {
        capabilities: [],
        appendPrepared: async (batch) => {
          await held.promise;
          return sound.appendPrepared(batch);
        },
        append: async (batch) => {
          await held.promise;
          return sound.append(batch);
        },
        readBack: (...requested) => sound.readBack(...requested),
      },
    },
  });
  const { receiver } = harness;
  const body = encodeProtobuf(traceRequest([{ ...chat(1), traceId: first }]));
  expect((await harness.post(body)).status).toBe(200);
  expect(await receiver.settled(0)).toBe(1);
  expect(await receiver.settled(50, [first])).toBe(1);
  expect(await receiver.settled(50, [other, first])).toBe(1);
  const began = performance.now();
  expect(await receiver.settled(60_000, [other])).toBe(0);
  expect(performance.now() - began).toBeLessThan(30_000);
  held.resolve(undefined);
  expect(await receiver.settled(30_000, [first])).toBe(0);
  await harness.close();
});
