/**
 * Two releases are read together, and each figure is that of a read of either alone, also where a
 * turn has both releases: on a store in memory, the embedded ClickHouse and a file.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { TurnQuery } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import type { ReleasesModel } from "../../../collector/src/pages/releases/route.ts";
import { compareCohorts } from "../../../collector/src/turns/cohorts.ts";
import { openDesk, turnEvents } from "./desk.ts";

/** A turn whose calls are of some releases: the one of the model, and the one of the tool. */
function turn(
  n: number,
  [first = "1.0.0", other = first]: readonly string[],
): readonly TurnEvent[] {
  const at = new Date(Date.UTC(2026, 10, 20, n % 24, n)).toISOString();
  const agent = `agent-${n % 2}`;
  return turnEvents({ root: `root-${n}`, at, agent }).map((event) => ({
    ...event,
    duration_ms: 100 * (n % 17),
    attributes: {
      ...event.attributes,
      service_version: event.event_kind === "tool_call" ? other : first,
      ...(event.event_kind === "model_call"
        ? {
            model: ["gpt-4o", "claude-sonnet-4-5", "house-model-1"][n % 3] ?? "",
            provider: ["openai", "anthropic", "house"][n % 3] ?? "",
            input_tokens: 1_000 * n,
            ...(n % 5 === 0 ? {} : { cached_tokens: 10 * n }),
          }
        : {}),
      ...(event.event_kind === "tool_call"
        ? { tool_name: `tool-${n % 3}`, tool_outcome: n % 4 === 0 ? "error" : "success" }
        : {}),
    },
  }));
}

const releases = [["1.0.0"], ["1.1.0"], ["1.0.0", "1.1.0"], ["0.9.0"], ["1.1.0", "0.9.0"]];

test.each(["ephemeral", "clickhouse", "filesystem"])(
  "the figures of two releases are those of each alone (%s)",
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    const turns = Array.from({ length: 60 }, (_, n) => turn(n, releases[n % 5] ?? []));
    await desk.put(turns.flat());
    const release = (has: string): TurnQuery => ({
      scope: allTenants,
      where: [{ list: "release", has }],
    });
    const sides = { a: release("1.0.0"), b: release("1.1.0") };
    const alone = await compareCohorts(desk.store.ledger, sides, await openPriceList(undefined));
    expect([alone.a.turns, alone.b.turns, alone.both]).toEqual([24, 36, 12]);
    const query = new URLSearchParams({ a: "release:1.0.0", b: "release:1.1.0" });
    const path = `/traces/compare/releases.json?${query}`;
    const { compared } = await desk.json<ReleasesModel>(path);
    expect(compared).toEqual(JSON.parse(JSON.stringify(alone)));
    await desk.collector.close();
  },
);
