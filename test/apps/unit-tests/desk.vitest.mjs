/** @module The tests of the desk under Vitest; the second one fails on purpose. */
import { test } from "vitest";

import { expectTools } from "./desk.mjs";

test("finds the order, then refunds", () => expectTools("find_order", "refund"));
test("refunds twice", () => expectTools("find_order", "refund", "refund"));
