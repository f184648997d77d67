/** @module Term conflicts: what excludes each other in one address, and what does not. */
import { expect, test } from "vitest";

import { termText, termsOf } from "./filter-terms.ts";
import { conflictsOf } from "./term-conflicts.ts";

const found = (query: string): unknown =>
  conflictsOf(termsOf(new URLSearchParams(query))).map(({ key, terms, either }) => [
    key,
    terms.map(termText),
    either?.map(termText),
  ]);

test.each([
  ["agent_id=a&q=agent:b", [["agent", ["agent:a", "agent:b"], ["agent:a,b"]]]],
  [
    "agent_id=a&tool_name=t&q=agent:b,c",
    [["agent", ["agent:a", "agent:b,c"], ["tool:t", "agent:a,b,c"]]],
  ],
  ["scope=anonymous&q=user:x", [["user", ["user:anonymous", "user:x"], ["user:anonymous,x"]]]],
  ["agent_id=a&q=-agent:a", [["agent", ["agent:a", "-agent:a"], undefined]]],
  // One of them can be met.
  ["agent_id=a&q=agent:a,b", []],
  ["agent_id=a&q=-agent:b", []],
  ["q=agent:a agent:b", []],
  // A turn has several tools.
  ["tool_name=a&q=tool:b", []],
])("%s", (query, expected) => {
  expect(found(query)).toEqual(expected);
});
