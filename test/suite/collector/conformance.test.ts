/**
 * The conformance file of `@turnproof/semconv`: what ports in other languages send becomes the
 * expected events and verdicts, in both encodings, and is what the pages for these languages write.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import type { TurnEvent } from "@turnproof/evidence";
import { registryRows, sourceAttributeNames } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";
import { openDesk } from "./desk.ts";
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

const { cases } = JSON.parse(read("packages/semconv/conformance.json")) as {
  readonly cases: readonly Case[];
};

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { store: ephemeral(), judge: false });
});
afterAll(() => desk.collector.close());

const added = ["received_at", "ingest_principal", "ingest_trusted", "source_store", "revision"];

/** What the file has of an event: identity is inherited on a page, so it is compared as sent. */
function plain(event: TurnEvent): object {
  const { identity_derived: _derived, ...rest } = event as TurnEvent & Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !added.includes(name)));
}

async function sent(of: Case, encoding: "json" | "protobuf", traceId: string): Promise<void> {
  const request = traceRequest(
    of.spans.map((span) => ({ ...span, traceId })),
    of.resource,
  );
  const body = encoding === "json" ? JSON.stringify(request) : encodeProtobuf(request);
  const type = encoding === "json" ? "application/json" : "application/x-protobuf";
  const answer = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": type },
    body: body as BodyInit,
  });
  expect([answer.status, of.name]).toEqual([200, of.name]);
}

describe.each(cases.map((one) => [one.name, one] as const))("%s", (_name, one) => {
  test.each(["json", "protobuf"] as const)(
    "as %s it becomes the expected events",
    async (encoding) => {
      const traceId = (one.spans[0]?.traceId ?? "").replace(/^./, encoding === "json" ? "1" : "2");
      await sent(one, encoding, traceId);
      const page = await settledEvents(traceId, one.events.length);
      const expected = one.events.map((event) => ({ ...event, root_trace_id: traceId }));
      for (const event of expected) {
        const found = page.find(({ event_id: id }) => id === event.event_id);
        expect(found, event.event_id).toBeDefined();
        expect(plain(found as TurnEvent)).toMatchObject(plain(event));
        expect((found as TurnEvent).attributes).toEqual(event.attributes);
      }
      expect(JSON.stringify(page)).not.toContain("CANARY");
      if (one.verdict === undefined) return;
      const agent = one.events[0]?.agent_id ?? "";
      const query = `agent_id=${agent}&root_trace_id=${traceId}`;
      const verdict = await desk.json<{ status: string; findings: object[] }>(
        `/traces/reconcile.json?${query}`,
      );
      expect([verdict.status, verdict.findings]).toEqual([
        one.verdict,
        one.verdict === "success" ? [] : expect.anything(),
      ]);
    },
  );
});

/** The events of a trace once all of them are readable. */
async function settledEvents(traceId: string, count: number): Promise<readonly TurnEvent[]> {
  const path = `/traces/events.json?root_trace_id=${traceId}&limit=100`;
  for (;;) {
    const page = await desk.json<{ items: TurnEvent[] }>(path);
    if (page.items.length >= count) return page.items;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the schema of attributes", () => {
  const ajv = new Ajv2020({ strict: true });
  ajv.addVocabulary(["x-event-name", "x-shape", "x-stability", "x-kinds"]);
  const valid = ajv.compile(JSON.parse(read("packages/semconv/attributes.schema.json")) as object);

  test("admits every example of the registry, and the attributes that the file sends", () => {
    for (const { span, type, examples } of registryRows) {
      const values = type.endsWith("[]") ? [examples] : examples;
      for (const value of values)
        expect([span, value, valid({ [span]: value })]).toEqual([span, value, true]);
    }
    const host = cases.find(({ name }) => name === "host evidence");
    for (const { attributes = {} } of host?.spans ?? []) {
      const own = Object.entries(attributes).filter(([name]) => name !== "user.id");
      expect(valid(Object.fromEntries(own))).toBe(true);
    }
  });

  test("refuses an unknown name, another type and an open value of a closed attribute", () => {
    for (const bad of [
      { "app.note": "x" },
      { "gen_ai.usage.input_tokens": "12" },
      { "turnproof.event.kind": "party" },
      { "turnproof.input.refs": "doc-1" },
    ]) {
      expect([bad, valid(bad)]).toEqual([bad, false]);
    }
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
