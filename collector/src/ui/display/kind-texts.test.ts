/** @module The verdict's sentence on a page: words, subject and counts, without codes. */
import { expect, test } from "vitest";

import { verdictSentence } from "./kind-texts.ts";

test.each([
  [
    "Failed: artifact ownership unverified (artifact_ownership_unverified: briefing).",
    "Artifact ownership unverified: briefing.",
  ],
  [
    "Partial: delivery unconfirmed (delivery_unconfirmed); the window was truncated (truncated); and 2 more.",
    "Delivery unconfirmed; the window was truncated; and 2 more.",
  ],
  [
    "Success: the intent is satisfied, delivered and acknowledged in a complete window.",
    "The intent is satisfied, delivered and acknowledged in a complete window.",
  ],
])("%s", (why, stated) => {
  expect(verdictSentence(why)).toBe(stated);
});
