/**
 * Forward to another OTLP endpoint: a strict receiver finds no fault and no content, and what it
 * never gets is counted.
 */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { TurnEvent } from "@turnproof/evidence";
import type { StoredFrames } from "@turnproof/journal";
import { expect, test, vi } from "vitest";

import { forwardHeaders, forwardUrl } from "../../../collector/src/config/forward-target.ts";
import { startForward } from "../../../collector/src/receive/forward/forward.ts";
import type { Forward } from "../../../collector/src/receive/forward/forward.ts";
import { openForwardQueue } from "../../../collector/src/receive/forward/forward-queue.ts";
import { rejectedSpans, retryAfter } from "../../../collector/src/receive/forward/send-request.ts";
import { encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { sendRecordings } from "../../apps/recorded.ts";
import { quiet, turnEvents } from "../collector/desk.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openForwarding, wait } from "./forwarding.ts";
import { openStrictReceiver } from "./strict-receiver.ts";

/** Events of spans; those of `lame` have an id of a trace that is none. */
const eventsOf = (good: number, lame: number): readonly TurnEvent[] =>
  Array.from({ length: good + lame }, (_, index) => {
    const root = index < good ? "a".repeat(32) : "none";
    const span_id = (index + 1).toString(16).padStart(16, "0");
    const event_id = `${span_id}:result`;
    return { ...(turnEvents({ root })[0] as TurnEvent), span_id, event_id };
  });

/** A frame of the receiver's journal. */
const framesOf = (events: readonly TurnEvent[], sequence = 1): object => ({
  payload: encodeFrame(events),
  spans: events.length,
  sequence,
  appendedAtMs: 1_000 + sequence,
});

/** A forward that gets these events as one frame. */
async function forwardOf(
  url: string,
  events: readonly TurnEvent[],
  timeoutMs = 5_000,
): Promise<{ readonly forward: Forward; close(): Promise<void> }> {
  const directories = temporaryDirectories();
  const forward = await startForward({
    directory: await directories.make(),
    target: { url, headers: {} },
    bytesMax: 1 << 26,
    log: quiet,
    retryMs: 5,
    timeoutMs,
  });
  const frames = [framesOf(events)];
  await forward.stored({ frames, refused: new Map() } as unknown as StoredFrames);
  await vi.waitFor(() => expect(forward.state().pending_spans).toBe(0), wait);
  return {
    forward,
    close: async () => {
      await forward.close();
      await directories.remove();
    },
  };
}

test("a strict receiver finds spans of the protocol, its header and no content", async () => {
  const strict = await openStrictReceiver();
  const first = await openForwarding(strict.url);
  const sent = await sendRecordings(first.harness.server.url, { endMs: Date.now(), salt: "b" });
  await vi.waitFor(() => expect(strict.spans).toHaveLength(sent), wait);
  expect(strict.faults).toEqual([]);
  expect(strict.bodies.join("")).not.toMatch(/canary/i);
  expect(strict.headers[0]).toMatchObject({ "x-key": "k", "user-agent": "turnproof" });
  await first.close();
  await strict.close();
});

test("an endpoint that is away or slow delays nothing, and gets all of it later", async () => {
  const strict = await openStrictReceiver();
  const statuses = [503, 429, 401];
  strict.answer = () => ({ status: statuses.shift() ?? 200, headers: { "retry-after": "0" } });
  const first = await openForwarding(strict.url);
  const sent = await sendRecordings(first.harness.server.url, { endMs: Date.now(), salt: "c" });
  expect(await first.harness.events()).toHaveLength(sent);
  await vi.waitFor(() => expect(strict.spans).toHaveLength(sent), wait);
  expect(first.forward.state()).toMatchObject({ failures: 3, failing: false });
  await first.close();
  await strict.close();
});

test("what waits is sent after a restart", async () => {
  const directories = temporaryDirectories();
  const directory = await directories.make();
  const away = await openForwarding("http://127.0.0.1:9/v1/traces", { directory });
  const sent = await sendRecordings(away.harness.server.url, { endMs: Date.now(), salt: "d" });
  await away.harness.events();
  expect(away.forward.state().pending_spans).toBe(sent);
  await away.close();
  const strict = await openStrictReceiver();
  const again = await openForwarding(strict.url, { directory });
  await vi.waitFor(() => expect(strict.spans).toHaveLength(sent), wait);
  await again.close();
  await strict.close();
  await directories.remove();
});

test("refused and rejected spans are counted, and keep no other back", async () => {
  const strict = await openStrictReceiver();
  strict.answer = (spans) => ({
    status: spans.some(({ name }) => name.startsWith("execute_tool")) ? 400 : 200,
  });
  const first = await openForwarding(strict.url);
  const sent = await sendRecordings(first.harness.server.url, { endMs: Date.now(), salt: "e" });
  const events = await first.harness.events();
  const tools = events.filter(({ event_kind: kind }) => kind === "tool_call").length;
  expect(tools).toBeGreaterThan(0);
  await vi.waitFor(() => expect(first.forward.state().pending_spans).toBe(0), wait);
  const { lost_spans: lost, sent_spans: taken } = first.forward.state();
  expect([lost.refused, taken]).toEqual([tools, sent - tools]);
  await first.close();
  await strict.close();
  // partial_success { rejected_spans: 300, error_message: "no" }
  const answer = Uint8Array.from([0x0a, 0x07, 0x08, 0xac, 0x02, 0x12, 0x02, 0x6e, 0x6f]);
  expect([rejectedSpans(answer), rejectedSpans(new Uint8Array())]).toEqual([300, 0]);
  // A page of a proxy, a message that is cut, a varint without an end.
  for (const bad of [Buffer.from("<html>"), answer.subarray(0, 5), Uint8Array.from([8, 255])]) {
    expect(rejectedSpans(bad)).toBeUndefined();
  }
});

test("each span is counted once, where requests are divided, rejected in part or cut off", async () => {
  const strict = await openStrictReceiver();
  const counts = ({ forward }: { readonly forward: Forward }): readonly number[] => {
    const { sent_spans: taken, lost_spans: lost } = forward.state();
    return [taken, lost.refused, lost.unmapped];
  };
  // Divided down to the refused span, with three events that are no spans.
  const bad = "0000000000000005";
  strict.answer = (spans) => ({ status: spans.some(({ spanId }) => spanId === bad) ? 400 : 200 });
  const divided = await forwardOf(strict.url, eventsOf(13, 3));
  expect(counts(divided)).toEqual([12, 1, 3]);
  await divided.close();
  const json = { "content-type": "application/json" };
  const partial = (count: string): Buffer =>
    Buffer.from(JSON.stringify({ partialSuccess: { rejectedSpans: count } }));
  const tooMany = Uint8Array.from([0x0a, 0x03, 0x08, 0xac, 0x02]);
  const belowZero = Uint8Array.from([0x0a, 0x0b, 0x08, ...Array<number>(9).fill(255), 1]);
  for (const [answer, expected] of [
    [{ body: Uint8Array.from([0x0a, 0x02, 0x08, 0x04]) }, [6, 4, 1]],
    [{ body: tooMany }, [0, 10, 1]],
    [{ body: belowZero }, [10, 0, 1]],
    [{ headers: json, body: partial("4") }, [6, 4, 1]],
    [{ headers: json, body: partial("-4") }, [10, 0, 1]],
    [{ headers: json, body: Buffer.from("{}") }, [10, 0, 1]],
  ] as const) {
    strict.answer = () => ({ status: 200, ...answer });
    const one = await forwardOf(strict.url, eventsOf(10, 1));
    expect([answer, counts(one)]).toEqual([answer, expected]);
    await one.close();
  }
  await strict.close();
});

test("an endpoint that hangs is cut off, and gets the same spans again", async () => {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (held.push(response) > 2) response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const hung = await forwardOf(`http://127.0.0.1:${port}/v1/traces`, eventsOf(10, 0), 200);
  expect(hung.forward.state()).toMatchObject({ sent_spans: 10, failures: 2, failing: false });
  await hung.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("a full queue gives spans up, counts them over a restart, and stores them here", async () => {
  const directories = temporaryDirectories();
  const directory = await directories.make();
  const away = await openForwarding("http://127.0.0.1:9/v1/traces", {
    directory,
    bytesMax: 65_536,
  });
  let sent = 0;
  await vi.waitFor(async () => {
    sent += await sendRecordings(away.harness.server.url, { endMs: Date.now(), salt: `f${sent}` });
    await away.harness.receiver.idle();
    expect(away.forward.state().lost_spans.queue_full).toBeGreaterThan(0);
  }, wait);
  expect(await away.harness.events()).toHaveLength(sent);
  const { lost_spans: lost, pending_spans: pending } = away.forward.state();
  expect(lost.queue_full + pending).toBe(sent);
  await away.close();
  const again = await openForwarding("http://127.0.0.1:9/v1/traces", { directory });
  expect(again.forward.state()).toMatchObject({ pending_spans: pending, lost_spans: lost });
  await again.close();
  await directories.remove();
});

test("a queue without room is logged at once, and then once a minute with its counts", async () => {
  const directories = temporaryDirectories();
  const lines: unknown[] = [];
  let now = 0;
  const queue = await openForwardQueue({
    directory: await directories.make(),
    bytesMax: 4_096,
    log: { ...quiet, warn: (...line) => void lines.push(line) },
    clock: () => now,
  });
  const frame = { payload: new Uint8Array(8_192), spans: 3, sequence: 1, appendedAtMs: 0 };
  const store = async (frames: readonly object[]): Promise<void> =>
    queue.stored({ frames, refused: new Map() } as unknown as StoredFrames);
  const line = (frames: number, spans: number): readonly unknown[] => [
    "not_forwarded",
    { code: expect.any(String) as string, frames, spans },
  ];
  await store([frame, frame]);
  for (let sequence = 2; sequence < 52; sequence += 1) await store([{ ...frame, sequence }]);
  expect(lines).toEqual([line(2, 6)]);
  now += 60_000;
  await store([]);
  expect(lines).toEqual([line(2, 6), line(50, 150)]);
  now += 60_000;
  await store([]);
  expect(lines).toHaveLength(2);
  expect(queue.account.counts.lost.queue_full).toBe(156);
  await queue.close();
  await directories.remove();
});

test("a request that was accepted is not sent again, whatever answer follows", async () => {
  const strict = await openStrictReceiver();
  strict.answer = () => ({ status: 200, body: new Uint8Array(70_000) });
  const large = await forwardOf(strict.url, eventsOf(10, 0));
  expect(strict.spans).toHaveLength(10);
  expect(large.forward.state()).toMatchObject({
    sent_spans: 10,
    unconfirmed_spans: 10,
    failures: 0,
    lost_spans: { refused: 0 },
  });
  await large.close();
  strict.answer = () => ({ status: 200, headers: { "content-length": "900" } });
  const broken = await forwardOf(strict.url, eventsOf(5, 0), 300);
  const json = { "content-type": "application/json" };
  expect(strict.spans).toHaveLength(15);
  expect(broken.forward.state()).toMatchObject({ unconfirmed_spans: 5, failures: 0 });
  await broken.close();
  for (const body of [Buffer.from("<html>"), Uint8Array.from([0x0a, 0x07, 0x08])]) {
    strict.answer = () => ({ status: 200, body });
    const unread = await forwardOf(strict.url, eventsOf(3, 0));
    expect(unread.forward.state()).toMatchObject({ sent_spans: 3, unconfirmed_spans: 3 });
    await unread.close();
  }
  strict.answer = () => ({ status: 200, headers: json, body: Buffer.from("no JSON") });
  const text = await forwardOf(strict.url, eventsOf(3, 0));
  expect(text.forward.state()).toMatchObject({ sent_spans: 3, unconfirmed_spans: 3 });
  await text.close();
  strict.answer = () => ({ status: 200 });
  const plain = await forwardOf(strict.url, eventsOf(2, 0));
  expect(plain.forward.state()).toMatchObject({ sent_spans: 2, unconfirmed_spans: 0 });
  await plain.close();
  await strict.close();
});

test("a delay is read in seconds and as a date, and is bounded", () => {
  const now = Date.parse("2026-11-21T10:00:00Z");
  const of = (header: string, date?: string): number | undefined =>
    retryAfter(
      new Headers({ "retry-after": header, ...(date === undefined ? {} : { date }) }),
      now,
    );
  expect([of("7"), of("999999"), of("0"), of("soon"), retryAfter(new Headers(), now)]).toEqual([
    7_000,
    300_000,
    undefined,
    undefined,
    undefined,
  ]);
  expect(of("Sat, 21 Nov 2026 10:00:30 GMT")).toBe(30_000);
  expect(of("Sat, 21 Nov 2026 12:00:00 GMT")).toBe(300_000);
  expect(of("Sat, 21 Nov 2026 09:00:00 GMT")).toBeUndefined();
  // By its own clock, which is an hour behind.
  expect(of("Sat, 21 Nov 2026 09:00:20 GMT", "Sat, 21 Nov 2026 09:00:00 GMT")).toBe(20_000);
  for (const bad of ["Sat, 99 Xyz 2026 10:00:30 GMT", "2026-11-21T10:00:30Z", "-5", "1e3"]) {
    expect([bad, of(bad)]).toEqual([bad, undefined]);
  }
});

test("the endpoint's address and headers are read strictly", () => {
  expect(forwardUrl.parse("http://tempo:4318")).toBe("http://tempo:4318/v1/traces");
  expect(forwardUrl.parse("https://x.example/api/otel/v1/traces")).toBe(
    "https://x.example/api/otel/v1/traces",
  );
  for (const bad of ["tempo:4318", "ftp://x", "https://u:p@x", "https://x/#a"]) {
    expect([bad, forwardUrl.safeParse(bad).success]).toEqual([bad, false]);
  }
  expect(forwardHeaders.parse("Authorization=Basic%20abc%3D, x-a=1")).toEqual({
    authorization: "Basic abc=",
    "x-a": "1",
  });
  expect(forwardHeaders.safeParse("a=b%0d%0ac").success).toBe(false);
});
