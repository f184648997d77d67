/** @module Groups: what is not met, each finding once with its turns. */
import type { ClauseResult } from "../evaluate/evaluate.ts";
import { measuredWords } from "../evaluate/judgement.ts";
import type { MeasuredRange } from "../evaluate/judgement.ts";
import { turnName, unmet } from "./tally.ts";
import type { Row } from "./tally.ts";

/** One clause of one contract with the same sentence, but for its numbers, on some turns. */
export interface Group {
  readonly contract: string;
  readonly clause: ClauseResult;
  readonly turns: readonly string[];
  /** What was measured on all of them together. */
  readonly measured: MeasuredRange | undefined;
  /** Least and greatest of each other number of the sentence, in its order. */
  readonly numbers: readonly (readonly [low: number, high: number])[];
}

/** A number that is a word of its own, not a part of a name or an id. */
const numberWord = /(?<![\w.-])\d+(?:\.\d+)?(?![\w-]|\.\d)/gu;

/** The sentence of a clause without what was measured. */
function openSentence({ sentence, measured }: ClauseResult): string {
  return measured === undefined ? sentence : sentence.replace(measuredWords(measured), () => "…");
}

function together(
  one: MeasuredRange | undefined,
  other: MeasuredRange | undefined,
): MeasuredRange | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const { high, unit } = one;
  const unbounded = high === null || other.high === null;
  return {
    low: Math.min(one.low, other.low),
    high: unbounded ? null : Math.max(high, other.high),
    unit,
  };
}

function numbersOf(sentence: string): readonly (readonly [number, number])[] {
  return [...sentence.matchAll(numberWord)].map(([word]) => [Number(word), Number(word)]);
}

/** The sentence of all its turns, with the range of each number. */
export function groupSentence({ clause, measured, numbers }: Group): string {
  let at = 0;
  const sentence = openSentence(clause).replace(numberWord, (word) => {
    const [low, high] = numbers[at] ?? [0, 0];
    at += 1;
    return low === high ? word : `${low} to ${high}`;
  });
  return measured === undefined ? sentence : sentence.replace("…", () => measuredWords(measured));
}

/** The clauses with this result, those of most turns first. */
export function groupsOf(rows: readonly Row[], result: ClauseResult["result"]): readonly Group[] {
  const groups = new Map<
    string,
    Group & {
      turns: string[];
      measured: MeasuredRange | undefined;
      numbers: Group["numbers"];
    }
  >();
  for (const { turn, contract } of rows) {
    for (const clause of unmet(contract)) {
      if (clause.result !== result) continue;
      const { measured } = clause;
      const sentence = openSentence(clause);
      const numbers = numbersOf(sentence);
      const words = sentence.replace(numberWord, "0");
      const key = JSON.stringify([contract.contract, clause.index, words]);
      const group = groups.get(key) ?? {
        contract: contract.contract,
        clause,
        turns: [],
        measured,
        numbers,
      };
      group.numbers = numbers.map(([value], place) => {
        const [low, high] = group.numbers[place] ?? [value, value];
        return [Math.min(low, value), Math.max(high, value)];
      });
      group.measured = together(group.measured, measured);
      group.turns.push(turnName(turn));
      groups.set(key, group);
    }
  }
  return [...groups.values()].toSorted((a, b) => b.turns.length - a.turns.length);
}
