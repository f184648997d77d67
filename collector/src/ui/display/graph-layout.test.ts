/** @module The curves of the agent graph: their width shows the number of calls. */
import { expect, test } from "vitest";

import { graphLayout } from "./graph-layout.ts";

test("a curve is 1.5 to 12 wide, by the square root of its calls", () => {
  const calls = [2_500, 625, 100, 0];
  const edges = calls.map((own, at) => ({
    agent_id: "desk",
    kind: "tool" as const,
    name: `tool-${at}`,
    calls: own,
    failed: 0,
    p95_ms: null,
  }));
  const agents = [{ agent_id: "desk", turns: 1, errors: 0, p95_ms: null }];
  const { lines } = graphLayout({ agents, edges, used: edges }, 40);
  expect(lines.map(({ wide }) => wide)).toEqual([12, 6.8, 3.6, 1.5]);
});
