/** @module The kind of an id follows from the fields in which the evidence has it. */
import { expect, test } from "vitest";

import { fieldWords, idKinds } from "./id-words.ts";

test("the surest kind comes first", () => {
  expect(idKinds(["input_refs", "thread_id"])).toEqual(["thread", "source"]);
  expect(idKinds(["user_id"])).toEqual(["tenant"]);
  expect(idKinds(["something_else"])).toEqual([]);
});

test("fields read as words", () => {
  expect(fieldWords("user_id")).toBe("tenant");
  expect(fieldWords("output_refs")).toBe("output");
  expect(fieldWords("finish_reason")).toBe("finish reason");
});
