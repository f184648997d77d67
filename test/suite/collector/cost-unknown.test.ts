/**
 * Turns of unknown cost, beside each sum of cost: those with a call without a price, on a store in
 * memory, the embedded ClickHouse and a file.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import type { CostModel } from "../../../collector/src/pages/cost/route.ts";
import { openDesk, turnEvents } from "./desk.ts";

/** A turn of one model call. */
function turn(agent: string, n: number, usage: TurnEvent["attributes"]): TurnEvent[] {
  const known = { model: "gpt-4o", provider: "openai", input_tokens: 1_000, output_tokens: 10 };
  return turnEvents({ root: `${agent}-${n}`, agent, thread: `thread-${n}` }).map((event) =>
    event.event_kind === "model_call" ? { ...event, attributes: { ...known, ...usage } } : event,
  );
}

const turns: readonly TurnEvent[][] = [
  turn("exact", 1, { cached_tokens: 0 }),
  // A range is known.
  turn("ranged", 1, {}),
  turn("mixed", 1, { cached_tokens: 0 }),
  turn("mixed", 2, { cached_tokens: 0, service_tier: "priority" }),
  turn("unlisted", 2, { cached_tokens: 0, model: "house-model-1" }),
  turn("unlisted", 3, { cached_tokens: 0, model: "house-model-1" }),
];

test.each(["ephemeral", "clickhouse", "filesystem"])(
  "turns with a call without a price are counted beside each sum (%s)",
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    await desk.put(turns.flat());
    const countsBy = async (by: string): Promise<unknown> => {
      const { total, items } = await desk.json<CostModel>(`/cost.json?by=${by}`);
      expect(total.turns_unknown).toBe(3);
      return Object.fromEntries(items.map(({ value, turns_unknown: own }) => [value, own]));
    };
    expect(await countsBy("agent")).toEqual({ exact: 0, ranged: 0, mixed: 1, unlisted: 2 });
    expect(await countsBy("thread")).toEqual({ "thread-1": 0, "thread-2": 2, "thread-3": 1 });
    // A row of a model has its calls, and a row of a turn is that turn.
    expect(await countsBy("model")).toEqual({ "gpt-4o": undefined, "house-model-1": undefined });
    const page = await (await desk.get("/cost?by=agent", { accept: "text/html" })).text();
    expect(page).toContain("over 6 turns, 3 of unknown cost");
    expect(page.match(/>in \d turns?</g)?.toSorted()).toEqual([">in 1 turn<", ">in 2 turns<"]);
    const lines = await (await desk.get("/cost.jsonl?by=agent")).text();
    expect(lines.match(/"turns_unknown":\d/g)?.toSorted()).toEqual(
      [0, 0, 1, 2].map((own) => `"turns_unknown":${own}`),
    );
    await desk.collector.close();
  },
);
