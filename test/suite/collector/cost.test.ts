/**
 * @module Cost over HTTP: responses of real providers in their own form become spans, and each
 * costs what its tokens at the written prices come to, by every division. What has no price is
 * counted.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { extractUsage, findProvider } from "@pydantic/genai-prices";
import type { Provider } from "@pydantic/genai-prices";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainAttributes } from "../../otlp/encode.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Recorded {
  readonly about: string;
  readonly provider: string;
  readonly listed_as: string;
  readonly flavor: string;
  readonly at: string;
  readonly response: { readonly model?: string; readonly modelVersion?: string };
  /** Tokens and their price in US dollars for a million, from the providers' pages. */
  readonly parts_usd_per_mtok: readonly (readonly [tokens: number, usd: number])[];
}

interface Row {
  readonly value: string | null;
  readonly provider?: string | null;
  readonly calls: number;
  readonly priced_calls: number;
  readonly ranged_calls: number;
  readonly unpriced_calls: Readonly<Record<string, number>>;
  readonly low_usd: number | null;
  readonly high_usd: number | null;
}

interface Tokens {
  readonly calls_without: Readonly<Record<string, number>>;
}

interface Slice {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly turns: number;
  readonly calls: number;
  readonly unpriced: number;
  readonly low_usd: number | null;
  readonly high_usd: number | null;
}

interface Costs {
  readonly slices: readonly Slice[];
  readonly turns_counted: number;
  readonly total: Row;
  readonly items: readonly Row[];
  readonly price_list: { readonly version: string; readonly own: object | null };
}

const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/provider-responses.json", import.meta.url), "utf8"),
) as readonly Recorded[];
const usdOf = ({ parts_usd_per_mtok: parts }: Recorded): number =>
  parts.reduce((sum, [tokens, usd]) => sum + tokens * usd, 0) / 1e6;

/** Attributes of the span that an instrumentation makes of a response. */
function attributesOf({ provider, listed_as, flavor, response }: Recorded): PlainAttributes {
  const listed = findProvider({ providerId: listed_as }) as Provider;
  const { usage } = extractUsage(listed, { ...response, model: response.model ?? "" }, flavor);
  const attributes: Record<string, string | number> = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.response.model": response.model ?? response.modelVersion ?? "",
  };
  for (const [name, key] of [
    ["input_tokens", "gen_ai.usage.input_tokens"],
    ["output_tokens", "gen_ai.usage.output_tokens"],
    ["cache_read_tokens", "gen_ai.usage.cache_read.input_tokens"],
    ["cache_write_tokens", "gen_ai.usage.cache_creation.input_tokens"],
    ["output_reasoning_tokens", "gen_ai.usage.reasoning.output_tokens"],
  ] as const) {
    if (usage[name] !== undefined) attributes[key] = usage[name];
  }
  return attributes;
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

interface Sent {
  readonly at: string;
  readonly attributes: PlainAttributes;
  readonly agent?: string;
  readonly user?: string;
}

let serial = 0;
/** One turn of one model call, as OTLP. */
async function send(desk: Desk, { at, attributes, agent = "desk", user = "alice" }: Sent) {
  serial += 1;
  const nano = (ms: number): string => `${Date.parse(at) + ms}000000`;
  const traceId = hex(serial, 32);
  const turn = `turn-${serial}`;
  const identity = {
    "gen_ai.agent.id": agent,
    "gen_ai.conversation.id": `thread-${user}`,
    "user.id": user,
    "turnproof.turn.id": turn,
  };
  const spans = [
    {
      traceId,
      spanId: hex(serial * 2, 16),
      name: "invoke_agent",
      startTimeUnixNano: nano(0),
      endTimeUnixNano: nano(900),
      attributes: { "gen_ai.operation.name": "invoke_agent", ...identity },
    },
    {
      traceId,
      spanId: hex(serial * 2 + 1, 16),
      parentSpanId: hex(serial * 2, 16),
      name: "chat",
      startTimeUnixNano: nano(100),
      endTimeUnixNano: nano(800),
      attributes: { ...attributes, ...identity },
    },
  ];
  const response = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: new Uint8Array(encodeProtobuf(traceRequest(spans, { "service.name": "shop" }))),
  });
  expect(response.status).toBe(200);
}

async function allThere(desk: Desk, turns: number): Promise<void> {
  await vi.waitFor(async () => {
    const costs = await desk.json<Costs>("/cost.json");
    expect([costs.turns_counted, costs.total.calls]).toEqual([turns, turns]);
  }, 60_000);
}

const calls = (attributes: PlainAttributes): PlainAttributes => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.response.model": "gpt-4o",
  ...attributes,
});
const tokens = (input: number, output: number): PlainAttributes => ({
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
});
const at = "2026-11-20T12:00:00Z";

describe("responses of providers", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
    for (const [nth, one] of recorded.entries()) {
      const attributes = attributesOf(one);
      // Each twice: a group's sum is priced as one, and must not leave a call's tier.
      for (const agent of [`agent-${nth}`, "twice"]) {
        await send(desk, { at: one.at, attributes, agent, user: `user-${nth % 3}` });
      }
    }
    await allThere(desk, recorded.length * 2);
  });
  afterAll(() => desk.collector.close());

  test.each(recorded.map((one, nth) => [one.about, nth, one] as const))(
    "%s",
    async (_about, nth, one) => {
      const { total } = await desk.json<Costs>(`/cost.json?agent_id=agent-${nth}`);
      expect(total).toMatchObject({ calls: 1, priced_calls: 1, unpriced_calls: {} });
      expect(total.low_usd).toBeCloseTo(usdOf(one), 12);
      expect(total.high_usd).toBe(total.low_usd);
    },
  );

  test("every division has the same sum", async () => {
    const wanted = recorded.reduce((sum, one) => sum + 2 * usdOf(one), 0);
    for (const by of ["model", "agent", "tenant", "release", "thread", "turn"]) {
      const { total, items } = await desk.json<Costs>(`/cost.json?by=${by}`);
      const sum = items.reduce((all, { high_usd: usd }) => all + (usd ?? 0), 0);
      expect([by, total.calls, items.reduce((all, one) => all + one.calls, 0)]).toEqual([
        by,
        recorded.length * 2,
        recorded.length * 2,
      ]);
      expect(total.high_usd).toBeCloseTo(wanted, 9);
      expect(sum).toBeCloseTo(wanted, 9);
    }
    const { items } = await desk.json<Costs>("/cost.json?by=agent");
    expect(items[0]?.value).toBe("twice");
    expect(items[0]?.low_usd).toBeCloseTo(wanted / 2, 9);
  });

  test("the intervals have the same sum, each what its turns cost", async () => {
    // A range draws turns of years ago as well.
    const range = "start_time=2020-01-01&end_time=2027-01-01";
    const { slices, total } = await desk.json<Costs>(`/cost.json?${range}`);
    expect(slices.reduce((sum, { calls: own }) => sum + own, 0)).toBe(total.calls);
    const sum = slices.reduce((all, { high_usd: usd }) => all + (usd ?? 0), 0);
    expect(sum).toBeCloseTo(total.high_usd ?? Number.NaN, 9);
    for (const { from_ms: from, to_ms: to, high_usd: usd, turns } of slices) {
      const own = recorded.filter((one) => {
        const endedMs = Date.parse(one.at) + 900;
        return endedMs >= from && endedMs < to;
      });
      expect(turns).toBe(own.length * 2);
      const wanted = own.reduce((all, one) => all + 2 * usdOf(one), 0);
      expect(usd ?? 0).toBeCloseTo(wanted, 9);
      expect(usd === null).toBe(own.length === 0);
    }
  });

  test("a tenant's cost is that of its turns", async () => {
    const own = recorded.filter((_, nth) => nth % 3 === 1);
    const { total } = await desk.json<Costs>("/cost.json?user_id=user-1");
    expect(total.calls).toBe(own.length * 2);
    expect(total.low_usd).toBeCloseTo(
      own.reduce((sum, one) => sum + 2 * usdOf(one), 0),
      10,
    );
  });

  test("the answer says which prices it used", async () => {
    const { price_list: list } = await desk.json<Costs>("/cost.json");
    expect(list).toEqual({ version: "@pydantic/genai-prices 0.1.8", own: null });
  });
});

test("what has no price is counted by its reason, and adds nothing", async () => {
  const desk = await openDesk();
  const known = { ...calls(tokens(1_000, 100)), "gen_ai.usage.cache_read.input_tokens": 0 };
  const sent: readonly (readonly [string, PlainAttributes])[] = [
    ["priced", known],
    ["model_unknown", { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" }],
    ["provider_unknown", { "gen_ai.operation.name": "chat", "gen_ai.response.model": "gpt-4o" }],
    ["not_listed", calls({ ...tokens(9, 9), "gen_ai.response.model": "house-model-1" })],
    ["service_tier", { ...known, "openai.response.service_tier": "priority" }],
    ["tokens_unknown", calls({})],
    ["tokens_unknown", calls({ "gen_ai.usage.input_tokens": 5 })],
    ["tokens_contradict", { ...known, "gen_ai.usage.cache_read.input_tokens": 1_001 }],
    ["priced", { ...known, "openai.response.service_tier": "default" }],
  ];
  for (const [agent, attributes] of sent) await send(desk, { at, attributes, agent });
  await allThere(desk, sent.length);
  const { total, items } = await desk.json<Costs>("/cost.json?by=agent");
  expect(total).toMatchObject({ calls: 9, priced_calls: 2, ranged_calls: 0 });
  expect(total.unpriced_calls).toEqual({
    model_unknown: 1,
    provider_unknown: 1,
    not_listed: 1,
    service_tier: 1,
    tokens_unknown: 2,
    tokens_contradict: 1,
  });
  expect(total.low_usd).toBeCloseTo(2 * 0.0035, 12);
  // Over time the calls without a price are counted beside the cost, in the same intervals.
  const { slices } = await desk.json<Costs>("/cost.json");
  expect(slices.reduce((sum, { unpriced }) => sum + unpriced, 0)).toBe(7);
  const { slices: unknown } = await desk.json<Costs>("/cost.json?agent_id=not_listed");
  expect(unknown).toMatchObject([{ turns: 1, calls: 1, unpriced: 1, low_usd: null }]);
  for (const { value, low_usd: usd, unpriced_calls: unpriced } of items) {
    if (value === "priced") continue;
    expect([usd, Object.keys(unpriced)]).toEqual([null, [value]]);
  }
  await tokensAreCounted(desk);
  await desk.collector.close();
});

/** Each sum has beside it how many calls lack it, whatever the division; none known is unknown. */
async function tokensAreCounted(desk: Desk): Promise<void> {
  const wanted = {
    input_tokens: 4_014,
    output_tokens: 409,
    cached_tokens: 1_001,
    cache_write_tokens: null,
    reasoning_tokens: null,
    tokens_unknown: 4,
    calls_without: {
      input_tokens: 3,
      output_tokens: 4,
      cached_tokens: 5,
      cache_write_tokens: 9,
      reasoning_tokens: 9,
    },
  };
  for (const by of ["model", "agent", "turn"]) {
    const { total, items } = await desk.json<{ total: Tokens; items: Tokens[] }>(
      `/cost.json?by=${by}`,
    );
    expect(total).toMatchObject(wanted);
    for (const [field, calls] of Object.entries(wanted.calls_without)) {
      const sum = items.reduce((all, row) => all + (row.calls_without[field] ?? 0), 0);
      expect([by, field, sum]).toEqual([by, field, calls]);
    }
  }
  const page = await (await desk.get("/cost?by=agent&agent_id=tokens_unknown")).text();
  const cells = [...page.matchAll(/<td[^>]* class="num"[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) =>
    cell
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );
  // Cost, calls, calls without a price; input, cache read, cache write, output, reasoning.
  expect(cells).toEqual(["?", "2", "2 in 2 turns", "5 + 1 unknown", "?", "?", "?", "?"]);
  expect(page).toContain("not recorded for 1 of 2 calls");
}

test("cached tokens that are not recorded give a range", async () => {
  const desk = await openDesk();
  const sonnet = {
    "gen_ai.provider.name": "anthropic",
    "gen_ai.response.model": "claude-sonnet-4-5",
  };
  await send(desk, { at, attributes: calls(tokens(1_000, 100)), agent: "read" });
  await send(desk, { at, attributes: { ...calls(tokens(1_000, 100)), ...sonnet }, agent: "both" });
  const read = { "gen_ai.usage.cache_read.input_tokens": 400 };
  await send(desk, {
    at,
    attributes: { ...calls(tokens(1_000, 100)), ...sonnet, ...read },
    agent: "written",
  });
  await allThere(desk, 3);
  const page = await (await desk.get("/cost", { accept: "text/html" })).text();
  expect(page).toMatch(/As a range[\s\S]{0,200}2 calls: cache reads not recorded/);
  expect(page).toMatch(/As a range[\s\S]{0,400}2 calls: cache writes not recorded/);
  const one = await (await desk.get("/cost?agent_id=written", { accept: "text/html" })).text();
  expect(one).toMatch(/As a range[\s\S]{0,200}>cache writes not recorded</);
  expect(one).not.toContain("cache reads not recorded");
  expect(page).not.toMatch(/cache use not recorded|Of the dearest/);
  const { items } = await desk.json<Costs>("/cost.json?by=agent");
  const range = (agent: string): readonly number[] => {
    const row = items.find(({ value }) => value === agent);
    expect(row).toMatchObject({ calls: 1, ranged_calls: 1, priced_calls: 0 });
    return [row?.low_usd ?? NaN, row?.high_usd ?? NaN].map((usd) => Number(usd.toFixed(9)));
  };
  // Read from a cache at half the price; or at a tenth, or written to it at five quarters.
  expect(range("read")).toEqual([0.00225, 0.0035]);
  expect(range("both")).toEqual([0.0018, 0.00525]);
  expect(range("written")).toEqual([0.00342, 0.00387]);
  await desk.collector.close();
});

test("a file's prices come before those of the list, from their date on", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-prices-")), "prices.json");
  const flat = (usd: number): object => ({ input_mtok: usd, output_mtok: usd });
  const prices = [
    { provider: "openai", model: "gpt-4o", prices: flat(1) },
    { provider: "openai", model: "gpt-4o", from: "2026-11-20", prices: flat(2) },
    { model: "house-model-1", prices: flat(3) },
    { model: "gpt-4o", service_tier: "priority", prices: flat(5) },
  ];
  writeFileSync(file, JSON.stringify(prices));
  const desk = await openDesk({ TURNPROOF_PRICES: file });
  const own = calls(tokens(900_000, 100_000));
  await send(desk, { at: "2026-11-19T12:00:00Z", attributes: own, agent: "before" });
  await send(desk, { at, attributes: own, agent: "after" });
  const house = { "gen_ai.response.model": "house-model-1", "gen_ai.provider.name": "house" };
  await send(desk, { at, attributes: { ...own, ...house }, agent: "house" });
  const fast = { "openai.response.service_tier": "priority" };
  await send(desk, { at, attributes: { ...own, ...fast }, agent: "fast" });
  await allThere(desk, 4);
  const { items, price_list: list } = await desk.json<Costs>("/cost.json?by=agent");
  const costs = Object.fromEntries(items.map(({ value, low_usd: usd }) => [value, usd]));
  expect(costs).toEqual({ before: 1, after: 2, house: 3, fast: 5 });
  expect(list.own).toEqual({ prices: 4, digest: expect.stringMatching(/^[0-9a-f]{12}$/) });
  await desk.collector.close();
});

test("a file that holds no prices stops the start", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-prices-")), "prices.json");
  writeFileSync(file, JSON.stringify([{ model: "gpt-4o", prices: { input: -1 } }]));
  await expect(openDesk({ TURNPROOF_PRICES: file })).rejects.toMatchObject({
    code: "config_invalid",
  });
});
