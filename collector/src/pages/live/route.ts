/**
 * @module Live: server-sent tail of new events under the page's filters. Identity is resolved on
 * read, so the tail reads like the page. It waits for a slow client, which receives a notice of a
 * gap.
 */
import { Hono } from "hono";
import type { SSEStreamingApi } from "hono/streaming";
import { z } from "zod";
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes, isoTime, limits } from "@turnproof/semconv";
import { microsOf } from "@turnproof/store";
import type { EventSlice, SliceOptions } from "@turnproof/store";

import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { eventStream } from "../../http/event-stream.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { readTime } from "../../ui/display/time-range.ts";

const { limit: _limit, cursor: _cursor, start_time: _start, end_time: _end, ...listed } = filters;

/** Parameters of the tail: the filters of the events page that apply to a tail. */
const liveParameters = z
  .strictObject({
    ...listed,
    since: filters.start_time.describe(
      "When a list was read that this goes on from (its `as_of`); default now. Some of what the " +
        "list shows may come again, nothing that came after it is missed.",
    ),
  })
  .partial();

const pollMs = 1_000;
const heartbeatMs = 15_000;
/** Batches become readable a little out of order; events younger than this are read again. */
const overlapMs = 10_000;
const seenMax = 20_000;
const pagesMax = 8;

/** Live: what each route needs, records and answers. */
export const liveGroup: RouteGroup = {
  tag: "Traces",
  endpoints: {
    "GET /traces/live": {
      needs: "trace.read",
      lasts: true,
      audit: "live.read",
      id: "streamEvents",
      summary: "Live tail",
      text:
        "Server-sent events: `hello`, `event`, `gap`, `heartbeat`, and `end` with a code when the " +
        "session or the account ended; an account has at most 24 streams open. Resumes by " +
        "Last-Event-ID.",
      query: liveParameters,
      returns: "A stream that ends with the session it was opened in.",
      answers: "text/event-stream",
      failures: ["scope_forbidden", "streams_full"],
    },
  },
  routes: liveRoutes,
};

/** GET `/traces/live`. */
function liveRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/live", (c) => {
    const { since, ...parameters } = readParameters(c, liveParameters);
    const reading = readingFor(c, parameters);
    const principal = principalOf(c);
    // A slice is cut from whole turns, and one of them may be large.
    const page: ReadPage = (options) =>
      parts.readers === undefined
        ? parts.store.page(reading.scope, reading.query, options)
        : parts.readers.page(principal, reading.query, options);
    // A HEAD request has no body, and a tail without a reader would never end.
    if (c.req.method === "HEAD") {
      return c.body(null, 200, { "Content-Type": "text/event-stream" });
    }
    // Events in transit while the list was read are younger than this, and were not in it.
    const began = since === undefined ? parts.now() : timeMs(since, parts.now()) - overlapMs;
    const from = resumeTime(c.req.header("last-event-id")) ?? isoTime(began);
    // The audit record and the headers are sent before the first event.
    return eventStream(c, parts, (stream, signal) =>
      new Tail(parts, page, from).run(stream, signal),
    );
  });
  return app;
}

function timeMs(text: string, nowMs: number): number {
  return Date.parse(readTime(text, nowMs) ?? text);
}

/** An id is `<received_at>~<event_id>`; only the time is used, and only a well-formed one. */
function resumeTime(id: string | undefined): string | undefined {
  const time = id?.slice(0, id.indexOf("~"));
  if (time === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(time)) {
    return undefined;
  }
  return time;
}

function earlierOf(a: string, b: string): string {
  return compareTimes(a, b) <= 0 ? a : b;
}

/** Rows in transit may be stored after later ones. */
function overlapped(time: string): string {
  return isoTime(Date.parse(time) - overlapMs);
}

type ReadPage = (options: SliceOptions) => Promise<EventSlice>;

class Tail {
  readonly #parts: Parts;
  readonly #page: ReadPage;
  readonly #seen = new Set<string>();
  readonly #from: string;
  #watermark: string;
  #quietSince: number;

  constructor(parts: Parts, page: ReadPage, from: string) {
    this.#parts = parts;
    this.#page = page;
    this.#from = from;
    this.#watermark = from;
    this.#quietSince = parts.now();
  }

  async run(stream: SSEStreamingApi, signal: AbortSignal): Promise<void> {
    const { ingest, now } = this.#parts;
    await stream.writeSSE({ event: "hello", data: "{}", retry: 2_000 });
    while (!signal.aborted) {
      const before = ingest.storedBatches();
      const { events, gap } = await this.#news();
      // After a sign-out nothing more is sent.
      if (signal.aborted) return;
      if (gap) await stream.writeSSE({ event: "gap", data: "{}" });
      // Each write waits for the client, so a slow one delays only its own tail.
      for (const event of events) {
        if (signal.aborted) return;
        const id = `${event.received_at ?? ""}~${event.event_id}`;
        await stream.writeSSE({ event: "event", id, data: JSON.stringify(event) });
      }
      if (events.length > 0) this.#quietSince = now();
      if (now() - this.#quietSince >= heartbeatMs) {
        await stream.writeSSE({ event: "heartbeat", data: "{}" });
        this.#quietSince = now();
      }
      await ingest.nextStored(before, pollMs, signal);
    }
  }

  /** Newly readable events since the last check, oldest first. */
  async #news(): Promise<{ readonly events: readonly TurnEvent[]; readonly gap: boolean }> {
    // A clock that was ahead dates nothing later than now: what comes next is younger.
    const present = isoTime(this.#parts.now());
    const horizon = overlapped(earlierOf(this.#watermark, present));
    const from = compareTimes(this.#from, present) > 0 ? overlapped(present) : this.#from;
    const floor = compareTimes(horizon, from) < 0 ? from : horizon;
    const news: TurnEvent[] = [];
    let after = undefined;
    for (let page = 0; page < pagesMax; page += 1) {
      const options = {
        limit: limits.pageEventsDefault,
        receivedFrom: microsOf(floor),
        ...(after === undefined ? {} : { after }),
      };
      const slice = await this.#page(options);
      // Rows of memory come after the evidence, with no receipt or an earlier one.
      const young = slice.events.filter(
        ({ received_at }) => received_at !== undefined && compareTimes(received_at, floor) >= 0,
      );
      news.push(...young.filter((event) => !this.#seen.has(keyOf(event))));
      if (slice.next === null || young.length < slice.events.length) {
        return { events: this.#noted(news), gap: false };
      }
      after = slice.next;
    }
    return { events: this.#noted(news), gap: true };
  }

  #noted(news: readonly TurnEvent[]): readonly TurnEvent[] {
    for (const event of news) {
      this.#seen.add(keyOf(event));
      const { received_at } = event;
      if (received_at !== undefined && compareTimes(received_at, this.#watermark) > 0) {
        this.#watermark = received_at;
      }
    }
    for (const key of this.#seen) {
      if (this.#seen.size <= seenMax) break;
      this.#seen.delete(key);
    }
    return news.toReversed();
  }
}

function keyOf(event: TurnEvent): string {
  return [
    event.root_trace_id,
    event.event_id,
    event.ingest_principal,
    event.turn_id,
    event.revision,
  ].join("\n");
}
