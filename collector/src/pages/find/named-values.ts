/**
 * @module NamedValues: readable values of turns that contain a typed text: agents, tools, models,
 * releases, findings. Each leads to its turns; ids are searched for as a whole instead.
 */
import { findingTexts } from "@turnproof/evidence";
import type { TurnQuestion, TurnReader } from "@turnproof/store";

import { reasonText } from "../../ui/display/kind-words.ts";
import { facetNames } from "../../ui/display/turn-figures.ts";
import { countFacets } from "../../turns/turn-facets.ts";

/** A value with the text. */
export interface NamedValue {
  /** Key of the filter bar, and its name. */
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** The value in words, where it is a code. */
  readonly words: string;
  readonly turns: number;
}

/** Keys whose values are written for readers. */
const readableKeys = ["agent", "app", "tool", "model", "release", "finding", "producer"] as const;
/** Most values of a key that are compared, and most that are listed. */
const comparedMax = 1_000;
const listedMax = 30;

/** The values that contain a text, without regard to case; the most frequent first. */
export async function namedValues(
  ledger: TurnReader,
  question: TurnQuestion,
  text: string,
): Promise<readonly NamedValue[]> {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const { keys } = await countFacets(ledger, question, readableKeys, comparedMax);
  const names = new Map(facetNames);
  return keys
    .flatMap(({ key, counts }) =>
      [...counts].map(([value, turns]) => ({
        key,
        name: names.get(key) ?? key,
        value,
        words: key === "finding" && Object.hasOwn(findingTexts, value) ? reasonText(value) : value,
        turns,
      })),
    )
    .filter(({ value, words }) => `${value}\n${words}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => b.turns - a.turns || (a.value < b.value ? -1 : 1))
    .slice(0, listedMax);
}
