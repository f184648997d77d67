/** @module A metric whose name has a unit of time reads as a duration; others keep their name. */
import { expect, test } from "vitest";

import { metricTexts } from "./metric-texts.ts";

test.each([
  ["seconds_to_receipt", 36, { name: "time to receipt", duration: "36 s" }],
  ["handling_ms", 90_500, { name: "handling", duration: "1 m 30 s" }],
  ["time_to_refund_seconds", 0.25, { name: "time to refund", duration: "250 ms" }],
  ["seconds", 36, { name: "seconds" }],
  ["seconds_left", 36, { name: "seconds left" }],
  ["items_returned", 2, { name: "items returned" }],
  ["seconds_to_receipt", "late", { name: "seconds to receipt" }],
  ["seconds_to_receipt", undefined, { name: "seconds to receipt" }],
  ["seconds_to_receipt", -1, { name: "seconds to receipt" }],
])("%s %s", (name, value, words) => {
  expect(metricTexts(name, value)).toEqual(words);
});
