/**
 * @module External ids: equal input gives an equal id; another tenant, turn, phase or split gives
 * another.
 */
import { expect, test } from "vitest";

import { externalEventId } from "./external-id.ts";

test("the same parts give the same id, and any difference another", () => {
  const parts = ["app", "agent", "user", "thread", "root", "turn", "draft-1", "artifact", "event"];
  const id = externalEventId(parts);
  expect(externalEventId([...parts])).toBe(id);
  for (let at = 0; at < parts.length; at += 1) {
    expect(externalEventId(parts.with(at, "other"))).not.toBe(id);
  }
  expect(externalEventId(["a", "bc"])).not.toBe(externalEventId(["ab", "c"]));
  expect(externalEventId([null])).not.toBe(externalEventId(["null"]));
  expect(externalEventId([["unattributed"]])).not.toBe(externalEventId(["unattributed"]));
});
