/** @module The tests of the desk under node:test; the second one fails on purpose. */
import { test } from "node:test";

import { expectTools } from "./desk.mjs";

await test("finds the order, then refunds", () => expectTools("find_order", "refund"));
await test("refunds twice", () => expectTools("find_order", "refund", "refund"));
