/**
 * Every sentence of Reconciliation 1 to 11, in our words, with the window that it makes a success
 * and the single changes that must end it. The windows and changes are those of
 * `test/golden/verdicts`; one that no sentence claims, or a sentence without any, fails here.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { applyChanges, verdictCases } from "./verdict-cases.ts";
import type { VerdictCase, Window } from "./verdict-cases.ts";

/** Rule and sentence, the golden case, and the words by which the captions of its changes begin. */
type Sentence = readonly [sentence: string, name: string, changes: readonly string[]];

const sentences: readonly Sentence[] = [
  [
    "1.1 the window is complete, authorized and normalized",
    "rule-01-complete-window",
    [
      "a truncated query",
      "a record that",
      "a reader that",
      "evidence that was",
      "a producer reports",
    ],
  ],
  [
    "1.2 a plain list is unverified; metadata of the query says how it was read",
    "rule-01-complete-window",
    ["a plain list", "metadata"],
  ],
  [
    "2.1 the latest artifact state and the latest contract and delivery results count",
    "rule-02-latest-states",
    ["without the fresh", "the replacement failed", "the latest delivery", "two contradicting"],
  ],
  [
    "2.2 a deleted artifact or a failed update satisfies no request",
    "rule-02-latest-states",
    ["a deleted artifact", "a failed update"],
  ],
  [
    "3.1 the delivery names the persisted version",
    "rule-03-delivered-version",
    ["the delivery names"],
  ],
  [
    "3.2 the delivery follows persistence and parsing",
    "rule-03-delivered-version",
    ["the delivery precedes"],
  ],
  [
    "3.3 an older acknowledgement verifies no newer revision",
    "rule-03-delivered-version",
    ["an older acknowledgement"],
  ],
  ["3.4 what follows is told by order, not by receipt", "order-clock-conflict", ["the"]],
  [
    "4.1 producers finish successfully",
    "rule-04-producers-and-sources",
    ["the producer", "no span"],
  ],
  [
    "4.2 every declared authoritative source matches",
    "rule-04-producers-and-sources",
    ["another version", "another document", "the authoritative source is"],
  ],
  [
    "4.3 a failed ownership check or missing provenance blocks",
    "rule-04-producers-and-sources",
    ["an ownership check", "provenance is"],
  ],
  [
    "4.4 only what may assert it is verified",
    "rule-04-producers-and-sources",
    ["persistence that nobody", "a principal that"],
  ],
  [
    "4.5 what a turn did stands by its intent, its context and its order",
    "context-and-actions",
    [
      "charged before",
      "a side effect",
      "a worker",
      "the delivery inherited",
      "the artifact inherited",
      "a failed turn",
      "an outcome",
    ],
  ],
  [
    "5.1 with a task, that task alone is verified",
    "rule-05-one-task",
    ["the task that", "a task that", "the task's own"],
  ],
  [
    "5.2 without one, every intent of the scope is satisfied",
    "rule-05-every-intent",
    ["one of two tasks", "an intent without"],
  ],
  [
    "5.3 other tenants, threads and turns supply nothing",
    "rule-05-every-intent",
    ["the delivery belongs", "an anonymous delivery"],
  ],
  [
    "5.4 evidence without a label belongs to the one unambiguous intent",
    "rule-05-legacy-unlabelled",
    ["a second intent", "a label of"],
  ],
  [
    "6.1 intent, artifact, contract, action and delivery carry one task",
    "rule-06-task-labels",
    ["the artifact", "the contract", "the action", "the delivery", "the intent"],
  ],
  ["7.1 recovery is partial", "rule-07-distinct-findings", ["recovery"]],
  [
    "7.2 missing markers, failed parsing, failed emission and missing acknowledgement are distinct",
    "rule-07-distinct-findings",
    [
      "a marker",
      "parsing",
      "nothing was there",
      "nobody says",
      "the output met",
      "the limit",
      "emission",
      "the acknowledgement",
      "the receiver",
    ],
  ],
  ["8.1 the last page is not the window", "rule-08-final-page", ["the final"]],
  [
    "8.2 the host establishes completeness after all pages, without errors",
    "rule-08-final-page",
    ["a page failed"],
  ],
  ["9.1 loaded events that normalized establish nothing", "rule-09-no-profile", ["a result that"]],
  [
    "9.2 required stages are checked by tenant, turn and task",
    "rule-09-declared-stages",
    ["a declared stage", "the stage belongs", "a profile"],
  ],
  [
    "10.1 a valid artifact has a source; an empty list is a P0",
    "rule-10-provenance",
    ["an empty source", "saying no"],
  ],
  [
    "11.1 a fallback stays usable and is counted apart",
    "rule-11-tool-results",
    ["a provider error"],
  ],
  [
    "11.2 a degraded result stays usable and is counted apart",
    "rule-11-degraded-results",
    ["a provider error", "the tool failed"],
  ],
];

const cases = new Map(verdictCases().map((one) => [one.name, one]));
const statusOf = ({ events, metadata, taskId }: Window): string =>
  reconcileOutcome(events, { normalizationMetadata: metadata, taskId }).status;
const begins = (caption: string, words: string): boolean => `${caption} `.startsWith(`${words} `);

function changesOf([, name, changes]: Sentence): VerdictCase["mutations"] {
  const { mutations = [] } = cases.get(name) ?? {};
  return mutations.filter(({ caption }) => changes.some((words) => begins(caption, words)));
}

describe.each(sentences)("Reconciliation %s", (...sentence) => {
  const [, name, changes] = sentence;
  const known = cases.get(name);
  // What is not judged at all is no success either: there the sentence itself is the change.
  const unjudged = name === "rule-09-no-profile";
  test("has its success", () => {
    expect(known && statusOf(known.window)).toBe(unjudged ? "unknown" : "success");
  });
  test.each(changes)("has the change: %s", (words) => {
    expect(known?.mutations.some(({ caption }) => begins(caption, words))).toBe(true);
  });
  test.each(changesOf(sentence))("ends by: $caption", ({ change }) => {
    expect(known && statusOf(applyChanges(known.window, change))).not.toBe("success");
  });
});

test("every golden case and every change of it stands under a sentence", () => {
  const reported = new Set(
    sentences.flatMap((one) => changesOf(one).map(({ caption }) => `${one[1]}: ${caption}`)),
  );
  const all = [...cases.values()].flatMap(({ name, mutations }) =>
    mutations.map(({ caption }) => `${name}: ${caption}`),
  );
  expect(all.filter((one) => !reported.has(one))).toEqual([]);
  const rules = sentences.map(([sentence]) => Number.parseInt(sentence, 10));
  expect([...new Set(rules)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
