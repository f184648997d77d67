/** The byte budget: memory of all requests together, and the share of one principal. */
import { expect, test } from "vitest";

import { ByteBudget } from "./byte-budget.ts";

test("what does not fit is refused at once, and what is given back fits again", () => {
  const budget = new ByteBudget(100);
  const first = budget.take("a", 60);
  expect(() => budget.take("b", 41)).toThrow(expect.objectContaining({ code: "overloaded" }));
  const second = budget.take("b", 40);
  expect(budget.used).toBe(100);
  first.release();
  first.release();
  expect(budget.used).toBe(40);
  second.growTo(100);
  expect(() => second.growTo(101)).toThrow(expect.objectContaining({ retryable: true }));
  expect(second.bytes).toBe(100);
  second.growTo(50);
  expect(second.bytes).toBe(100);
  second.release();
  expect(budget.used).toBe(0);
});

test("one principal cannot take everything", () => {
  const budget = new ByteBudget(100, 0.75);
  const greedy = budget.take("greedy", 75);
  expect(() => budget.take("greedy", 1)).toThrow(expect.objectContaining({ code: "overloaded" }));
  expect(() => greedy.growTo(76)).toThrow(expect.objectContaining({ code: "overloaded" }));
  budget.take("modest", 25).release();
  greedy.release();
  expect(budget.take("greedy", 75).bytes).toBe(75);
});
