/** @module `turnproof check` against a running collector: its filters, and what it vouches for. */
import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import { recordEvents } from "../collector/desk.ts";
import { turnproof } from "./command.ts";
import { end, tool } from "./turns.ts";

test("turns of a collector are judged over their whole roots", async () => {
  const store = ephemeral();
  const other = { root_trace_id: "root-2", agent_id: "other" };
  const events = [
    tool("lookup", 1),
    end(),
    tool("lookup", 1, { tool_outcome: "error" }, { ...other, event_id: "t2", status: "error" }),
    end({ ...other, event_id: "e2" }),
  ];
  await store.append({ batchId: "b", receivedAt: "2026-01-01T01:00:00.000000Z", events });
  await recordEvents(store, events);
  await using collector = await openCollector({ store });
  const at = ["check", "--url", collector.url, "--json"];
  const tallyOf = async (...more: string[]): Promise<unknown> => {
    const { code, out, err } = await turnproof(...at, ...more);
    return { code, err, ...(JSON.parse(out) as { tally: object }).tally };
  };
  expect(await tallyOf("--root", "root")).toMatchObject({ code: 0, turns: 1, holds: 1 });
  expect(await tallyOf("--agent", "other")).toMatchObject({ code: 1, turns: 1, violated: 1 });
  expect(await tallyOf()).toMatchObject({ code: 1, turns: 2, holds: 1, violated: 1 });
  expect(await tallyOf("--limit", "1")).toMatchObject({
    turns: 1,
    err: "More turns match; these are the newest 1.\n",
  });
  expect(await tallyOf("--root", "nowhere")).toMatchObject({ code: 4, turns: 0 });
});

test("without a collector nothing is judged", async () => {
  const ran = await turnproof("check", "--url", "http://127.0.0.1:9");
  expect(ran).toMatchObject({ code: 4 });
});
