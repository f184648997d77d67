/** @module A term of the filter bar with a tenant of others finds nothing for a bound account. */
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
test.each(["user:bob", "user:nobody-there", "user:anonymous"])(
  "the term %s finds nothing for a bound account, and its page stays",
  async (term) => {
    const response = await page(`/traces?q=${term}`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('role="search"');
    expect(text).not.toContain("root-");
  },
);

test("the own tenant is sorted into its parameter, and a parameter is refused as before", async () => {
  const own = await page("/traces?q=user:ann");
  expect([own.status, own.headers.get("location")]).toEqual([303, "/traces?user_id=ann"]);
  expect((await page("/traces?user_id=bob")).status).toBe(403);
});
