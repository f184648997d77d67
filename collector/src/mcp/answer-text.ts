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

/** Room for the sentence about what was left out. */
const cutSentenceTokens = 40;

interface Line {
  readonly text: string;
  readonly kind: "line" | "always" | "row";
}

/**
 * Lines of an answer, most important first. Rows are those of one page of a list: the first one is
 * always shown, the others take what the other lines leave.
 */
export class AnswerText {
  readonly #lines: Line[] = [];
  readonly #last: string[] = [];

  #push(kind: Line["kind"], lines: readonly (string | undefined)[]): this {
    for (const text of lines) if (text !== undefined) this.#lines.push({ text, kind });
    return this;
  }

  /** Adds a line; an undefined one is left out. */
  add(...lines: readonly (string | undefined)[]): this {
    return this.#push("line", lines);
  }

  /** Adds a line that is never cut, such as a count. */
  always(...lines: readonly (string | undefined)[]): this {
    return this.#push("always", lines);
  }

  /** Adds a row of a page. */
  row(line: string): this {
    return this.#push("row", [line]);
  }

  /** Adds a line that is never cut, such as a link or a cursor; it stands at the end. */
  end(...lines: readonly (string | undefined)[]): this {
    this.#last.push(...lines.filter((line) => line !== undefined));
    return this;
  }

  /** Number of rows, from the first one, that fit into the budget: one at least. */
  rowsWithin(budget: number): number {
    const kept = this.#kept(budget);
    return this.#lines.filter((line) => line.kind === "row" && kept.has(line)).length;
  }

  /** The lines that fit into the budget, and the number of those that do not. */
  within(budget: number): string {
    const kept = this.#kept(budget);
    const shown = this.#lines.filter((line) => kept.has(line)).map(({ text }) => text);
    const cut = this.#lines.length - shown.length;
    if (cut > 0) shown.push(`(${cut} more lines do not fit; raise budget or narrow the question)`);
    return [...shown, ...this.#last].join("\n");
  }

  #kept(budget: number): ReadonlySet<Line> {
    const first = this.#lines.find(({ kind }) => kind === "row");
    const kept = new Set(this.#lines.filter((line) => line.kind === "always" || line === first));
    const needed = [...kept].map(({ text }) => text);
    let left = budget - tokensAtMost([...needed, ...this.#last].join("\n")) - cutSentenceTokens;
    for (const kind of ["line", "row"] as const) {
      for (const line of this.#lines) {
        if (line.kind !== kind || line === first) continue;
        left -= tokensAtMost(line.text) + 1;
        if (left < 0) break;
        kept.add(line);
      }
      if (left < 0) break;
    }
    return kept;
  }
}
