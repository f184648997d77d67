/** @module Groups: what is not met, each finding once with its turns. */
import type { ClauseResult } from "../evaluate/evaluate.ts";
import { measuredWords } from "../evaluate/judgement.ts";
import type { MeasuredRange } from "../evaluate/judgement.ts";
import { turnName, unmet } from "./tally.ts";
import type { Row } from "./tally.ts";

/** One clause of one contract with the same sentence, but for what was measured, on some turns. */
export interface Group {
  readonly contract: string;
  readonly clause: ClauseResult;
  readonly turns: readonly string[];
  /** What was measured on all of them together. */
  readonly measured: MeasuredRange | undefined;
}

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

/** The sentence of all its turns, with the range of what was measured. */
export function groupSentence({ clause, measured }: Group): string {
  if (measured === undefined) return clause.sentence;
  return openSentence(clause).replace("…", () => measuredWords(measured));
}

/** The clauses with this result, those of most turns first. */
export function groupsOf(rows: readonly Row[], result: ClauseResult["result"]): readonly Group[] {
  const groups = new Map<
    string,
    Group & { turns: string[]; measured: MeasuredRange | undefined }
  >();
  for (const { turn, contract } of rows) {
    for (const clause of unmet(contract)) {
      if (clause.result !== result) continue;
      const { measured } = clause;
      const key = JSON.stringify([contract.contract, clause.index, openSentence(clause)]);
      const group = groups.get(key) ?? { contract: contract.contract, clause, turns: [], measured };
      group.measured = together(group.measured, measured);
      group.turns.push(turnName(turn));
      groups.set(key, group);
    }
  }
  return [...groups.values()].toSorted((a, b) => b.turns.length - a.turns.length);
}
