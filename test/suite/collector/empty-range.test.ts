/** @module Pages without a turn name the range of time that they searched. */
import { beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
const token = "viewer-q7KxZt4Wm9Rc2Yd8";
const accounts = { vera: { token, role: "viewer", user_id: "ann" } };
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) });
  const at = "2026-11-21T09:00:00.000Z";
  await desk.put([
    ...turnEvents({ root: "root-ann", at, user: "ann", agent: "desk", thread: "thr" }),
    ...turnEvents({ root: "root-bob", at, user: "bob", agent: "desk", thread: "other" }),
  ]);
});

const page = (path: string): Promise<Response> =>
  desk.get(path, { accept: "text/html", authorization: `Bearer ${token}` });
const words = async (path: string): Promise<string> =>
  (await (await page(path)).text()).replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

test.each(["/agents/desk", "/threads/thr"])("%s in an empty range names it", async (path) => {
  const text = await words(`${path}?start_time=2999-01-02`);
  expect(text).toContain("There are none from 2999-01-02 00:00:00 UTC to now, or your role");
  expect(text).toContain("All time");
  expect(await words(path)).not.toContain("There are none");
});

test("an unknown agent is in no range", async () => {
  expect(await words("/agents/nobody")).toContain("There are none, or your role");
});
