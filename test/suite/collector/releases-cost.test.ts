/**
 * Cost of compared turns: the mean of those whose cost is exactly known, and the number of the
 * others, on a store in memory and on the embedded ClickHouse.
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
    const mean = { value: expect.closeTo(0.005, 12) as number, of: 2 };
    expect(await usdOfSides(desk, "agent:exact", "-agent:none")).toMatchObject([
      { ...mean, unknown: 0 },
      { ...mean, unknown: 3 },
      null,
    ]);
    expect(await usdOfSides(desk, "agent:ranged", "agent:exact")).toMatchObject([
      { value: null, low: null, high: null, of: 0, unknown: 1 },
      { ...mean, unknown: 0 },
      null,
    ]);
    await desk.collector.close();
  },
);
