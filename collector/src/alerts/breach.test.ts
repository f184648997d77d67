/** Values of a rule in words. */
import { expect, test } from "vitest";

import { valueText } from "./breach.ts";

test("a share has digits that differ from those of its limit", () => {
  const rule = { measure: "error_share", above: 0.01 } as const;
  const texts = [0.01, 0.0104, 0.010_000_4, 0.5].map((share) => valueText(rule, share));
  expect(texts).toEqual(["1.0 %", "1.04 %", "1.00004 %", "50.0 %"]);
  expect(valueText({ ...rule, above: 0.0125 }, 0.0125)).toBe("1.25 %");
});
