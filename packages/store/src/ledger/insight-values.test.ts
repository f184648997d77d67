/** @module Insights in the list of codes: none is read as the finding with its code. */
import { findingTexts, insightCodes } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { insightOfValue, insightValue, listFields } from "./turn-fields.ts";
import type { TurnRecord } from "./turn-record.ts";

test("a finding and an insight with one code have two values", () => {
  const both = insightCodes.filter((code) => Object.hasOwn(findingTexts, code));
  expect(both).toEqual(["ownership_unverified"]);
  const of = (row: object): readonly string[] => listFields.code({ row } as unknown as TurnRecord);
  expect(of({ finding_codes: both, insight_codes: [] })).toEqual(["ownership_unverified"]);
  expect(of({ finding_codes: [], insight_codes: both })).toEqual(["insight:ownership_unverified"]);
});

test("each value of an insight is read back, and no finding is one", () => {
  for (const code of insightCodes) expect(insightOfValue(insightValue(code))).toBe(code);
  for (const code of Object.keys(findingTexts)) expect(insightOfValue(code)).toBeUndefined();
});
