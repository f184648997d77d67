/** @module Words of a window never claim more than is known, nor less. */
import { expect, test } from "vitest";

import { pendingText, runningText, windowState } from "./window-texts.ts";

const whole = { window_complete: true, next_cursor: null, pending_frames: 0 };
const part = { ...whole, window_complete: false };

test.each([
  ["all of it", whole, false, "Window complete"],
  ["pending", { ...part, pending_frames: 1 }, false, "Window still open"],
  [
    "pending, and older pages",
    { ...part, pending_frames: 1, next_cursor: "x" },
    false,
    "More pages",
  ],
  ["pending, on an older page", { ...part, pending_frames: 1 }, true, "Last page"],
  ["older pages", { ...part, next_cursor: "x" }, false, "More pages"],
  ["another part, nobody knows why", part, false, "Incomplete"],
])("%s", (_case, reach, paged, word) => {
  expect(windowState(reach, paged).word).toContain(word);
});

test("a page of a longer list is no warning; an incomplete one is", () => {
  expect(windowState({ ...part, next_cursor: "x" }, false).tone).toBe("plain");
  expect(windowState(part, true).tone).toBe("plain");
  expect(windowState(part, false).tone).toBe("warn");
});

test("what is on its way is counted in words, and nothing is no words", () => {
  expect(pendingText(0)).toBeUndefined();
  expect(pendingText(1)).toBe("1 received batch is not readable yet and not counted");
  expect(pendingText(1200)).toBe("1,200 received batches are not readable yet and not counted");
  expect(runningText(0)).toBeUndefined();
  expect(runningText(1)).toBe("1 still running, or without a recorded end");
  expect(runningText(2)).toBe("2 still running, or without a recorded end");
});
