/**
 * @module AnswerText: the answer of a tool as lines within a budget of tokens. What does not fit is
 * counted, so that an answer never looks whole when it is not.
 */

/** Characters of a value that stand as they are; another one is quoted. */
const plain = /^[\p{L}\p{N}_.:@/+#=~-]{1,160}$/u;

/** A stored value: quoted where it has spaces, so that it never reads as a sentence of ours. */
export function value(text: string | null | undefined): string {
  if (text === null || text === undefined) return "not recorded";
  return plain.test(text) ? text : JSON.stringify(text.slice(0, 160));
}

/** Evidence ids, at most `most`, with the number of the others. */
export function evidence(ids: readonly string[], count: number = ids.length, most = 3): string {
  if (count === 0) return "";
  const shown = ids.slice(0, most).map(value).join(" ");
  return ` [evidence ${shown}${count > most ? ` +${count - most}` : ""}]`;
}

/**
 * Tokens of a text, at least: four letters, three digits or one other sign each. Models' own counts
 * of ids, words and addresses are lower.
 */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(/\p{L}+|\p{N}+|[^\p{L}\p{N}\s]|\n/gu)) {
    const size = /^\p{L}/u.test(run) ? 4 : /^\p{N}/u.test(run) ? 3 : 1;
    tokens += Math.ceil(run.length / size);
  }
  return tokens;
}

/** Lines of an answer, most important first. */
export class AnswerText {
  readonly #lines: string[] = [];
  readonly #last: string[] = [];

  /** Adds a line; an undefined one is left out. */
  add(...lines: readonly (string | undefined)[]): this {
    this.#lines.push(...lines.filter((line) => line !== undefined));
    return this;
  }

  /** Adds a line that is never cut, such as a link or a cursor; it stands at the end. */
  end(...lines: readonly (string | undefined)[]): this {
    this.#last.push(...lines.filter((line) => line !== undefined));
    return this;
  }

  /** The lines that fit into the budget, and the number of those that do not. */
  within(budget: number): string {
    const tail = this.#last.join("\n");
    // The sentence about what was left out has its place.
    let left = budget - tokensAtMost(tail) - 40;
    const kept: string[] = [];
    for (const line of this.#lines) {
      left -= tokensAtMost(line) + 1;
      if (left < 0) break;
      kept.push(line);
    }
    const cut = this.#lines.length - kept.length;
    if (cut > 0) kept.push(`(${cut} more lines do not fit; raise budget or narrow the question)`);
    return [...kept, ...this.#last].join("\n");
  }
}
