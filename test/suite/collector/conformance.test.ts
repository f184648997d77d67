/**
 * The conformance file of `@turnproof/semconv`: each case, sent to a running collector in either
 * encoding and read back as the file's `about` describes, equals the expected events and verdict;
 * the pages for other languages write the same spans.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { sourceAttributeNames } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Listening } from "../../../collector/src/http/connections.ts";
import { listen } from "../../../collector/src/server.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";
import { openDesk, quiet } from "./desk.ts";
import type { Desk } from "./desk.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Case {
  readonly name: string;
  readonly resource: PlainAttributes;
  readonly spans: readonly PlainSpan[];
  readonly events: readonly TurnEvent[];
  readonly verdict?: string;
}

const { about, cases } = JSON.parse(read("packages/semconv/conformance.json")) as {
  readonly about: string;
  readonly cases: readonly Case[];
};

/** What the receiver adds to an event, as the file lists it. */
const added = ["received_at", "ingest_principal", "ingest_trusted", "source_store", "revision"];

function withoutAdded(event: TurnEvent): Partial<TurnEvent> {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !added.includes(name)));
}

const byId = (events: readonly Partial<TurnEvent>[]): object =>
  Object.fromEntries(events.map((event) => [event.event_id, event]));

test("the file names each field that the receiver adds", () => {
  expect(about).toContain(`the receiver adds: ${added.join(", ")}. `);
});

describe.each(["json", "protobuf"] as const)("a collector that receives %s", (encoding) => {
  let desk: Desk;
  let server: Listening;
  beforeAll(async () => {
    desk = await openDesk({}, { store: ephemeral(), judge: false });
    server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  });
  afterAll(async () => {
    await server.close(1_000);
    await desk.collector.close();
  });

  async function send({ name, spans, resource }: Case): Promise<void> {
    const request = traceRequest(spans, resource);
    const body = encoding === "json" ? JSON.stringify(request) : encodeProtobuf(request);
    const type = encoding === "json" ? "application/json" : "application/x-protobuf";
    const headers = { "content-type": type };
    const init = { method: "POST", headers, body: body as BodyInit };
    const { status } = await fetch(`${server.url}/v1/traces`, init);
    expect([status, name]).toEqual([200, name]);
  }

  async function read<T>(path: string): Promise<T> {
    const answer = await fetch(server.url + path);
    expect([answer.status, path]).toEqual([200, path]);
    return (await answer.json()) as T;
  }

  /** The events of a trace once they are readable. */
  async function readable(traceId: string): Promise<readonly TurnEvent[]> {
    for (;;) {
      const path = `/traces/events.json?root_trace_id=${traceId}&limit=100`;
      const { items } = await read<{ items: TurnEvent[] }>(path);
      if (items.length > 0) return items;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    await send(one);
    const traceId = one.spans[0]?.traceId ?? "";
    const items = await readable(traceId);
    expect(byId(items.map(withoutAdded))).toEqual(byId(one.events));
    expect(JSON.stringify(items)).not.toContain("CANARY");
    if (one.verdict === undefined) return;
    const agent = one.events[0]?.agent_id ?? "";
    const verdict = await read<{ status: string; findings: object[] }>(
      `/traces/reconcile.json?root_trace_id=${traceId}&agent_id=${agent}`,
    );
    expect([verdict.status, verdict.findings]).toEqual([
      one.verdict,
      one.verdict === "success" ? [] : expect.anything(),
    ]);
  });
});

/** Pairs of name and value in the code of a page. */
const pairs: Readonly<Record<string, RegExp>> = {
  python: /"((?:turnproof|gen_ai|user)\.[a-z_.]+)": ([^,}\n]+|\[[^\]]*\])/g,
  go: /attribute\.\w+\("((?:turnproof|gen_ai|user)\.[a-z_.]+)", (.+?)\)[,\n)]/g,
  java: /\.put\("((?:turnproof|gen_ai|user)\.[a-z_.]+)", (.+?)\)/g,
};

describe.each(Object.entries(pairs))("the page for %s", (language, pattern) => {
  test("writes the attributes of the host evidence that the file sends, and no other", () => {
    const page = read(`docs/instrument/${language}.md`);
    const code = [...page.matchAll(/```\w+\n([^]*?)```/g)].map(([, text = ""]) => text).join("\n");
    const written = new Set([...code.matchAll(pattern)].map(([, name = ""]) => name));
    const host = cases.find(({ name }) => name === "host evidence");
    const wanted = new Set(
      (host?.spans ?? []).flatMap(({ attributes = {} }) => Object.keys(attributes)),
    );
    expect([...written].toSorted()).toEqual([...wanted].toSorted());
    for (const name of written)
      expect([name, sourceAttributeNames.has(name)]).toEqual([name, true]);
    const texts = (host?.spans ?? []).flatMap(({ attributes = {} }) =>
      Object.entries(attributes).flatMap(([name, value]) =>
        typeof value === "string" &&
        name.startsWith("turnproof.") &&
        !/(agent|turn|task)\.id|span_id/.test(name)
          ? [value]
          : [],
      ),
    );
    for (const text of texts) expect([text, code.includes(`"${text}"`)]).toEqual([text, true]);
  });
});
