/**
 * Cost per call in the answers for agents: the mean of the calls with a price, a range where a part
 * of the tokens is not recorded, and unknown, with their number, where calls have none. Tools that
 * an answer has no room for are not called new.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { listen } from "../../../collector/src/server.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

const token = "root-q7KxZt4Wm9Rc2Yd8";

/** A turn of one call of a model of OpenAI in one of two hours. */
function turn(hour: number, n: number, usage: TurnEvent["attributes"]): TurnEvent[] {
  const at = new Date(Date.UTC(2026, 10, 20, hour, 30, n)).toISOString();
  const root = `${usage.model ?? ""}-${hour}-${n}`;
  const known = { provider: "openai", output_tokens: 0 };
  return turnEvents({ root, at }).map((event) =>
    event.event_kind === "model_call" ? { ...event, attributes: { ...known, ...usage } } : event,
  );
}

test("the cost per call is that of every call with a price", async () => {
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  const client = await connect(server.url, token);
  for (const hour of [10, 11]) {
    for (const n of [1, 2]) {
      await desk.put([
        ...turn(hour, n, { model: "gpt-4o", input_tokens: 4_000, cached_tokens: 0 }),
        // One call is exact and one a range: half of the input's price, at the least.
        ...turn(hour, n, {
          model: "gpt-4o-mini",
          input_tokens: 1_000_000,
          ...(n === 1 ? { cached_tokens: 0 } : {}),
        }),
        ...turn(hour, n, { model: "house-model-1", input_tokens: 9 }),
        // One call at each of two providers.
        ...turn(hour, n, {
          model: "gpt-4.1-mini",
          provider: n === 1 ? "openai" : "azure",
          input_tokens: n * 10_000,
          cached_tokens: 0,
        }),
        ...turn(hour, n, {
          model: "gpt-4.1",
          input_tokens: 1_000,
          cached_tokens: 0,
          ...(n === 1 ? { service_tier: "priority" } : {}),
        }),
      ]);
    }
  }
  const { text } = await call(client, "which_tool_or_model_got_slow_or_costly", {
    kind: "model",
    hours: 1,
    until: "2026-11-20T12:00:00Z",
    min_calls: 1,
  });
  const costs = [...text.matchAll(/^(\S+): .*cost per call (.*) -> (.*)$/gm)];
  const both = costs.map(([, model, before, after]) => [model, [before, after]] as const);
  expect(Object.fromEntries(both)).toEqual({
    "gpt-4o": ["$0.01", "$0.01"],
    "gpt-4o-mini": ["$0.112 – $0.15", "$0.112 – $0.15"],
    "house-model-1": ["unknown", "unknown"],
    "gpt-4.1-mini": ["$0.006", "$0.006"],
    "gpt-4.1": ["$0.002 (1 call without a price)", "$0.002 (1 call without a price)"],
  });
  await client.close();
  await server.close(1_000);
  await desk.collector.close();
});

test("a tool that is not among the most called before is not called new", async () => {
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  const client = await connect(server.url, token);
  const named = (hour: number, n: number, tool_name: string): TurnEvent[] =>
    turn(hour, n % 60, { model: `m${n}` }).map((event) =>
      event.event_kind === "tool_call"
        ? { ...event, attributes: { ...event.attributes, tool_name } }
        : event,
    );
  // An answer has the first hundred; the last by name is left out.
  const before = Array.from({ length: 100 }, (_, n) => named(10, n, `a${n}`));
  await desk.put([...before, named(10, 100, "z"), named(11, 101, "z")].flat());
  const window = { hours: 1, until: "2026-11-20T12:00:00Z", min_calls: 1 };
  const { text } = await call(client, "which_tool_or_model_got_slow_or_costly", window);
  expect(text).toMatch(/^only in the later window, or among the less called ones .*: z$/m);
  await client.close();
  await server.close(1_000);
  await desk.collector.close();
});
