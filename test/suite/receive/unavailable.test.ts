/**
 * When it does not go on: a journal that is slow, full or fails, a restart, ingest switched off.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError, increasingClock } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { Conservation } from "../../../collector/src/receive/conservation.ts";
import { silentLog } from "../../../collector/src/log.ts";
import { createBodyThreads } from "../../../collector/src/receive/otlp/body-threads.ts";
import { ByteBudget } from "../../../collector/src/receive/otlp/byte-budget.ts";
import { createIntake } from "../../../collector/src/receive/otlp/intake.ts";
import { otlpRoutes } from "../../../collector/src/receive/otlp/receive.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, identityKey, openHarness, protobuf } from "./harness.ts";

/** The routes over a journal of the test's own making. */
function bareRoutes(append: () => Promise<unknown>) {
  const conservation = new Conservation(() => ({
    recovered: 0,
    pending: 0,
    stored: 0,
    quarantined: 0,
    lost: 0,
  }));
  const intake = createIntake({
    authenticateIngest: () => ({ name: "local", trusted: true }),
    journal: { append: () => append().then(() => ({ sequence: 1 })) },
    conservation,
    processor: createBodyThreads({ settings: { identityKey }, threads: 0 }),
    budget: new ByteBudget(2 ** 20),
    clock: increasingClock(),
    log: silentLog,
  });
  return { conservation, routes: otlpRoutes(intake) };
}

describe("when it does not go on", () => {
  test("the answer waits for the journal, and a failed append is no answer of success", async () => {
    const held: PromiseWithResolvers<unknown>[] = [];
    const { conservation, routes } = bareRoutes(() => {
      const append = Promise.withResolvers<unknown>();
      held.push(append);
      return append.promise;
    });
    const send = (): Promise<Response> => {
      const body = encodeProtobuf(traceRequest([chat(1), chat(2)])) as Uint8Array<ArrayBuffer>;
      return Promise.resolve(
        routes.request("/v1/traces", { method: "POST", headers: protobuf, body }),
      );
    };
    let answered = 0;
    const [first, second] = [send(), send()].map((answer) => answer.finally(() => answered++));
    while (held.length < 2) await sleep(5);
    await sleep(50);
    expect(answered).toBe(0);
    expect(conservation.snapshot()).toMatchObject({ received: 4, in_flight: 4, balanced: true });
    held[0]?.resolve({ sequence: 1 });
    held[1]?.reject(new CodedError("journal_failed"));
    expect((await first)?.status).toBe(200);
    expect((await second)?.status).toBe(503);
    expect(conservation.snapshot()).toMatchObject({ refused_reasons: { journal_failed: 2 } });
  });

  test("a full journal is retryable, counted, and heals", async () => {
    const away = { down: true };
    const fresh = await openHarness({
      receiver: { journalBytesMax: 300_000 },
      store: {
        append: () =>
          away.down ? Promise.reject(new CodedError("store_unavailable")) : Promise.resolve(),
        // A store that is away cannot be read either, or a retry would find what was never sent.
        readBack: () =>
          away.down
            ? Promise.reject(new CodedError("store_unavailable"))
            : Promise.resolve({ rows: 1_000_000, complete: true }),
      },
    });
    const body = encodeProtobuf(
      traceRequest(Array.from({ length: 200 }, (_, index) => chat(index + 1))),
    );
    let answer = await fresh.post(body);
    for (let round = 0; answer.status === 200 && round < 50; round++)
      answer = await fresh.post(body);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const full = fresh.receiver.conservation();
    expect(full).toMatchObject({
      balanced: true,
      refused: 200,
      refused_reasons: { journal_full: 200 },
    });
    expect(full.pending).toBe(full.received - 200);
    away.down = false;
    await fresh.receiver.idle();
    expect((await fresh.post(body)).status).toBe(200);
    await fresh.close();
  });

  test("what was not drained is there after a restart, and is counted", async () => {
    const refuse = (): Promise<never> => Promise.reject(new CodedError("store_unavailable"));
    const first = await openHarness({ store: { append: refuse, readBack: refuse } });
    await first.post(encodeProtobuf(traceRequest([chat(1), chat(2)])));
    expect(first.receiver.conservation()).toMatchObject({ received: 2, pending: 2, stored: 0 });
    await first.server.close(1_000);
    await first.receiver.close(0);
    const second = await openHarness({ receiver: { directory: `${first.directory}/journal` } });
    expect(await second.events()).toHaveLength(2);
    expect(second.receiver.conservation()).toMatchObject({
      recovered: 2,
      received: 0,
      stored: 2,
      balanced: true,
    });
    await second.close();
  });

  test("switched off, it says so, and that one may come again", async () => {
    const fresh = await openHarness({ receiver: { enabled: false } });
    const answer = await fresh.post(encodeProtobuf(traceRequest([chat(1)])));
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    await fresh.close();
  });
});
