/**
 * @module SharedOracle: what operators keep for all users, as a plain list: which of its words
 * every prompt holds, and which none may hold, because no person approved them or their tools are
 * not there.
 */
import type { Memory } from "@turnproof/memory";

import type { Random } from "../evidence/oracle/random.ts";

/** Marks of shared rows in a text, each once, in order of their text. */
export function sharedMarksIn(text: string): readonly string[] {
  return [...new Set(text.match(/mark\d+s/g))].toSorted();
}

/** The model. */
export class SharedOracle {
  readonly #rows: Map<string, { readonly mark: string; readonly reported: boolean }> = new Map();

  put(id: string, mark: string, reported: boolean): void {
    this.#rows.set(id, { mark, reported });
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  /** The marks that every prompt holds. */
  reported(): readonly string[] {
    return [...this.#rows.values()]
      .filter((row) => row.reported)
      .map(({ mark }) => mark)
      .toSorted();
  }
}

/**
 * What an operator does between turns: writes a row of a shared kind, takes one back, or nothing.
 */
export async function operate(
  random: Random,
  { shared }: Memory,
  oracle: SharedOracle,
  mark: string,
): Promise<void> {
  const id = `row_${random.below(4)}`;
  const reported = `parcels ${mark}`;
  const skill = async (data: object, visible: boolean): Promise<void> => {
    await shared.of("skill").put(id, { told: reported, ...data });
    oracle.put(`skill ${id}`, mark, visible);
  };
  switch (random.below(10)) {
    case 0:
      await shared.of("shared_memory").put(id, {}, reported);
      oracle.put(`fact ${id}`, mark, true);
      break;
    case 1:
      await skill({ state: "promoted", tools: ["here"] }, true);
      break;
    case 2:
      await skill({ state: "candidate" }, false);
      break;
    case 3:
      await skill({ state: "promoted", tools: ["here", "elsewhere"] }, false);
      break;
    case 4:
      await shared.of("skill").delete(id);
      oracle.delete(`skill ${id}`);
      break;
    default:
  }
}
