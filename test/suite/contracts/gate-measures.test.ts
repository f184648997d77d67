/**
 * @module Measures of a turn in the gate: what may be missing from it is not recorded, never less.
 */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { settledTurnWindow, turnKey } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { settledSideTurns, sideTurns } from "../../../collector/src/judge/gate-turns.ts";
import { cut, end, model, step, tool, whole } from "./turns.ts";

const none = { contracts: [], goldens: [] };
const prices = await openPriceList(undefined);

type Measures = readonly [ms: number | undefined, tokens: number | undefined, cost: string];

/** Measures of the turn as files and as a collector read it. */
function measures(events: readonly TurnEvent[], metadata: WindowMetadata): Measures[] {
  const wanted = new Set(events.map((event) => turnKey(event)));
  const [one] = sideTurns({ events, metadata }, none, prices);
  const [other] = settledSideTurns({ events, metadata }, wanted, none, prices);
  return [one, other].map((turn) => [
    turn?.durationMs,
    turn?.tokens,
    turn?.usd === undefined ? "unknown" : "known",
  ]);
}

const priced = { provider: "openai", model: "gpt-4o-mini", cached_tokens: 0 };
const calls = [model(1, priced), tool("lookup", 20), model(40, priced)];

test.each<[string, readonly TurnEvent[], WindowMetadata, Measures]>([
  ["a whole turn", [...calls, end()], whole, [5_000, 240, "known"]],
  ["a turn that has not ended", calls, whole, [undefined, undefined, "unknown"]],
  ["a window of which a part was not read", [...calls, end()], cut, [5_000, undefined, "unknown"]],
  [
    "the end of another turn alone in such a window",
    [...calls, step("turn", 60, {}, { ms: 900 })],
    cut,
    [undefined, undefined, "unknown"],
  ],
  [
    "a contested call",
    [...calls.with(0, { ...model(1, priced), contested: true }), end()],
    whole,
    [5_000, undefined, "unknown"],
  ],
  [
    "a contested end",
    [...calls, end({ contested: true })],
    whole,
    [undefined, undefined, "unknown"],
  ],
])("%s", (_, events, metadata, expected) => {
  expect(measures(events, metadata)).toEqual([expected, expected]);
});

test("the window of a turn keeps the mark of a contested event", () => {
  const events = [end({ contested: true })] as const;
  expect(settledTurnWindow([...events], whole).window.reasons).toEqual(["contested"]);
});
