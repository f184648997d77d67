/** Every read route answers, and every page announces its twin. */
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

test("routes answer over evidence", async () => {
  const desk = await openDesk();
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  const page = await desk.json("/traces/events.json");
  expect(page["normalized_events"]).toBe(3);
  const turns = await desk.json<{ items: { agent_id: string }[] }>("/traces/turns.json");
  expect(turns.items.map((row) => row.agent_id)).toEqual(["helper"]);
  for (const path of ["/traces", "/traces/root-1", "/agents", "/threads", "/settings", "/docs"]) {
    const response = await desk.get(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(await response.text()).toContain('rel="alternate"');
  }
  await desk.collector.close();
});
