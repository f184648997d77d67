/** The statuses of our codes in the words of Node. */
import { STATUS_CODES } from "node:http";

import { codes } from "@turnproof/semconv";
import type { CodeRow } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { statusTexts } from "./status-texts.ts";

test("each status of a code has the words that Node has for it", () => {
  const rows: readonly CodeRow[] = Object.values(codes);
  const statuses = new Set(rows.map(({ status }) => status ?? 500));
  expect(statuses.size).toBeGreaterThan(10);
  for (const status of statuses) expect(statusTexts(status)).toBe(STATUS_CODES[status]);
});
