/**
 * Cost of compared turns: the mean of those with a model call where each cost is exactly known,
 * else its bounds and the number of the inexact ones, on two stores with files and one in memory.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import type { ReleasesModel } from "../../../collector/src/pages/releases/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** A turn of one model call, whose agent names the kind of its price. */
function turn(agent: string, root: string, usage: TurnEvent["attributes"]): TurnEvent[] {
  const known = { model: "gpt-4o", provider: "openai", output_tokens: 0 };
  return turnEvents({ root, agent }).map((event) =>
    event.event_kind === "model_call" ? { ...event, attributes: { ...known, ...usage } } : event,
  );
}

const turns: readonly TurnEvent[][] = [
  turn("exact", "root-1", { input_tokens: 1_000, cached_tokens: 0 }),
  turn("exact", "root-2", { input_tokens: 3_000, cached_tokens: 0 }),
  // The part that came from a cache is not recorded: a range.
  turn("ranged", "root-3", { input_tokens: 8_000 }),
  turn("tier", "root-4", { input_tokens: 9_000, cached_tokens: 0, service_tier: "priority" }),
  turn("unlisted", "root-5", { input_tokens: 9_000, cached_tokens: 0, model: "house-model-1" }),
  // An answer of the cache: there is no model call whose cost could be known.
  turnEvents({ root: "root-6", agent: "exact" }).filter(
    ({ event_kind: kind }) => kind !== "model_call",
  ),
];

async function usdOfSides(desk: Desk, a: string, b: string): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ a, b });
  const model = await desk.json<ReleasesModel>(`/traces/compare/releases.json?${query}`);
  const rows = model.compared?.groups.flatMap(({ rows: own }) => own) ?? [];
  const row = rows.find(({ unit }) => unit === "usd");
  return [row?.a, row?.b, row?.difference];
}

test.each(["ephemeral", "clickhouse", "filesystem"])(
  "the mean is of the turns whose cost is exactly known (%s)",
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    await desk.put(turns.flat());
    const close = (value: number): number => expect.closeTo(value, 12) as number;
    const mean = { value: close(0.005), of: 2, unknown: 1 };
    expect(await usdOfSides(desk, "agent:exact", "-agent:none")).toMatchObject([
      mean,
      { value: null, low: close(0.02 / 5), high: null, of: 5, unknown: 3 },
      null,
    ]);
    expect(await usdOfSides(desk, "agent:ranged", "agent:exact")).toMatchObject([
      { value: null, low: close(0.01), high: close(0.02), of: 1, unknown: 1 },
      mean,
      null,
    ]);
    expect(await usdOfSides(desk, "agent:unlisted", "agent:exact")).toMatchObject([
      { value: null, low: null, high: null, of: 1, unknown: 1 },
      mean,
      null,
    ]);
    const page = await (
      await desk.get("/traces/compare/releases?a=agent:ranged&b=-agent:none")
    ).text();
    const cells = page.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
    expect(cells).toContain("$0.01 to $0.02 (1 not exact)");
    expect(cells).toContain("at least $0.004 (3 not exact)");
    await desk.collector.close();
  },
);
