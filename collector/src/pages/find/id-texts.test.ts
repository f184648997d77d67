/** @module The kind of an id follows from the fields in which the evidence has it. */
import { expect, test } from "vitest";

import { fieldTexts, idKinds } from "./id-texts.ts";

test("the surest kind comes first", () => {
  expect(idKinds(["input_refs", "thread_id"])).toEqual(["thread", "source"]);
  expect(idKinds(["user_id"])).toEqual(["tenant"]);
  expect(idKinds(["something_else"])).toEqual([]);
});

test("fields read as words", () => {
  expect(fieldTexts("user_id")).toBe("tenant");
  expect(fieldTexts("output_refs")).toBe("output");
  expect(fieldTexts("finish_reason")).toBe("finish reason");
});
