/**
 * The title and the scope of a root: every agent of its turns, and nothing unknown that is known.
 */
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** One root with a turn of each agent. */
async function pageOf(desk: Desk, root: string, agents: readonly string[]): Promise<string> {
  const events = agents.flatMap((agent, at) =>
    turnEvents({ root: `${root}-${at}`, agent, thread: `thread-${at}` }).map((event) => ({
      ...event,
      root_trace_id: root,
    })),
  );
  await desk.put(events);
  return (await desk.get(`/traces/${root}`, { accept: "text/html" })).text();
}

const heading = (page: string): string | undefined => /<h1[^>]*>(.*?)<\/h1>/.exec(page)?.[1];
const scope = (page: string): string =>
  (/aria-label="Scope: tenant, agent, memory, thread">(.*?)<\/div>/.exec(page)?.[1] ?? "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

test("a root with turns of several agents names each", async () => {
  const desk = await openDesk({}, { judge: false });
  const two = await pageOf(desk, "two", ["deep-researcher", "fact-checker"]);
  expect(heading(two)).toBe("2 turns of deep-researcher and fact-checker");
  expect(scope(two)).toContain("agents deep-researcher, fact-checker");
  expect(scope(two)).toContain("threads thread-0, thread-1");
  expect(scope(two)).not.toMatch(/(agent|thread) unknown/);
  const same = await pageOf(desk, "same", ["helper", "helper"]);
  expect([heading(same), scope(same).includes("agent helper")]).toEqual([
    "2 turns of helper",
    true,
  ]);
  expect(heading(await pageOf(desk, "one", ["helper"]))).toBe("Turn of helper");
  const many = await pageOf(desk, "many", ["a", "b", "c", "d"]);
  expect(heading(many)).toBe("4 turns of 4 agents");
  await desk.collector.close();
});
