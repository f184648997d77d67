/**
 * @module Long names: however long a name is, it is keyed and never dropped, the same in both
 * encodings; two long names stay two.
 */
import { spanRecordOf } from "@turnproof/exporter";
import { nameSources } from "@turnproof/semconv";
import { createIdentityKey, nameDigest } from "@turnproof/semconv/name-key";
import { afterEach, beforeEach, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, identityKey, json, openHarness, protobuf } from "./harness.ts";
import type { Harness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const key = createIdentityKey(identityKey);
const row = { keyed: "name" } as Parameters<typeof key>[1];
const lengths = [200, 240, 241, 1_024, 1_025, 5_000, 200_000];
const nameOf = (length: number, end: string): string =>
  "ab ".repeat(length).slice(0, length - 1) + end;

test.each(lengths)("names of %i characters of an agent, a tool and a service", async (length) => {
  const turn = (end: string) =>
    chat(end === "x" ? 1 : 2, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.agent.name": nameOf(length, end),
      "gen_ai.tool.name": nameOf(length, `t${end}`),
    });
  const resource = { "service.name": nameOf(length, "s") };
  const body = traceRequest([turn("x"), turn("y")], resource);
  for (const [sent, type] of [
    [encodeProtobuf(body), protobuf],
    [JSON.stringify(body), json],
  ] as const) {
    expect(await harness.post(sent, type)).toMatchObject({ status: 200 });
  }
  const events = await harness.events();
  const stated = events.map(({ application_id, agent_id, attributes }) => [
    application_id,
    agent_id,
    attributes.tool_name,
  ]);
  const wanted = (end: string): readonly string[] => [
    key(nameOf(length, "s"), row),
    key(nameOf(length, end), row),
    key(nameOf(length, `t${end}`), row),
  ];
  expect([...new Set(stated.map((each) => each.join(" ")))].toSorted()).toEqual(
    [wanted("x").join(" "), wanted("y").join(" ")].toSorted(),
  );
});

test("in this process a long name is its digest, and a long text that is no name is counted", () => {
  const long = nameOf(1_025, "x");
  const { attributes, dropped } = spanRecordOf({
    name: long,
    kind: 0,
    spanContext: () => ({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }),
    startTime: [1, 0],
    endTime: [2, 0],
    status: { code: 0 },
    attributes: { "gen_ai.tool.name": long, "gen_ai.request.model": long },
    links: [],
    events: [],
    resource: { attributes: {} },
    instrumentationScope: { name: "app" },
  } as unknown as Parameters<typeof spanRecordOf>[0]);
  expect(attributes).toEqual({ "gen_ai.tool.name": nameDigest(long) });
  expect(dropped).toEqual({ name_keyed: 1, attribute_too_long: 1 });
});

test("the sources of names are names of agents, tools, workflows, services and hosts", () => {
  const some = ["gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.workflow.name", "service.name"];
  for (const name of some) expect(nameSources).toContain(name);
  for (const name of ["gen_ai.request.model", "user.id", "gen_ai.input.messages"]) {
    expect(nameSources).not.toContain(name);
  }
});
