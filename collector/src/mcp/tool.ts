/** @module Tool: one query that an agent sends about the evidence, and its answer. */
import { z } from "zod";

import type { AnswerText } from "./answer-text.ts";
import type { Requester } from "./requester.ts";

/** Tokens of an answer where the caller gives no budget. */
export const budgetDefault = 1_200;

const aBudget = (least: number) =>
  z
    .int()
    .min(least)
    .max(8_000)
    .optional()
    .describe(`Most tokens of the answer; default ${budgetDefault}.`);

/** Parameters that every tool has. */
const shared = { budget: aBudget(200) };

/**
 * Parameters of a list that is walked: a cursor alone takes about 340 tokens, and up to 400 by
 * chance of its cipher text.
 */
export const walkParameters = {
  cursor: z.string().max(8_192).optional().describe("The cursor of the page before."),
  budget: aBudget(700),
};

/** One tool. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** @throws Refused */
  readonly answer: (request: Requester, input: never, budget: number) => Promise<AnswerText>;
}

/** A tool with a typed input; unknown parameters are refused. */
export function tool<S extends z.ZodRawShape>(of: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  readonly answer: (
    request: Requester,
    input: z.output<z.ZodObject<S>>,
    budget: number,
  ) => Promise<AnswerText>;
}): Tool {
  return { ...of, input: z.strictObject({ ...shared, ...of.input }) };
}

/** An id as it was recorded. */
export const anId: z.ZodString = z.string().min(1).max(1_024);
/** A time or a date, ISO 8601, or one that counts back from now. */
export const aTime: z.ZodString = z.string().min(3).max(64);
/** What a time takes, for descriptions and refusals. */
export const timeForms = "ISO 8601, or `-24h`, `-7d`";
/** The agent, where the question is about one. */
export const anAgent: z.ZodOptional<z.ZodString> = anId.optional().describe("Only this agent.");
