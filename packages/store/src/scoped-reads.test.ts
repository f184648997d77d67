/** Roots that are read together: of one beyond the budget no more is read than shows that it is. */
import { expect, test } from "vitest";

import type { StoredEvent } from "./stored-event.ts";
import { scopedReads } from "./scoped-reads.ts";
import { issueOperatorGrant } from "./scope.ts";

const stored = (root: string, index: number): StoredEvent => ({
  schema_version: 3,
  event_id: `${index}:result`,
  event_kind: "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-03-01T10:00:00Z",
  received_at: "2026-03-01T10:01:00.000000Z",
  root_trace_id: root,
  attributes: {},
});

test("a large root ends the read of several at the budget", async () => {
  const sizes: Readonly<Record<string, number>> = { small: 3, other: 2, large: 5_000 };
  let read = 0;
  const { roots } = scopedReads({
    rounds: async function* rounds() {},
    rows: async (ids, cut, rowsMax) =>
      ids.flatMap((root) => {
        const size = sizes[root] ?? 0;
        if (size > rowsMax) cut();
        read += Math.min(size, rowsMax);
        return Array.from({ length: Math.min(size, rowsMax) }, (_, at) => stored(root, at));
      }),
  });
  const scope = { operator: issueOperatorGrant() };
  const options = { limit: 100, budgetRows: 5 };
  const together = await roots(scope, ["small", "other"], options);
  expect([...together].map(([root, { events }]) => [root, events.length])).toEqual([
    ["small", 3],
    ["other", 2],
  ]);
  expect((await roots(scope, ["small", "large"], options)).size).toBe(0);
  expect(read).toBe(3 + 2 + 3 + 5);
});
