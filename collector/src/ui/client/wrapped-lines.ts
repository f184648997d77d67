/**
 * @module WrappedLines: how many lines parts of a text take in a box. A part stands whole on a line
 * where it fits, and else breaks at any letter. Rows that are not drawn have no box to measure, so
 * the text is measured as a drawing.
 */

/** A part: a text, and a code after it. */
export interface TextPart {
  readonly text?: string;
  readonly code?: string;
}

/** Lines of texts in one box. */
export class WrappedLines {
  readonly #room: number;
  readonly #texts: CanvasRenderingContext2D | null;
  readonly #codes: CanvasRenderingContext2D | null;

  /** @param box whose text it is @param room of a line, in pixels */
  constructor(box: HTMLElement, room: number) {
    const code = box.appendChild(document.createElement("code"));
    this.#room = room;
    this.#texts = measuring(box);
    this.#codes = measuring(code);
    code.remove();
  }

  /** Lines of the parts, one after the other: at most one more for each than it takes. */
  of(...parts: readonly TextPart[]): number {
    let [lines, left] = [1, this.#room];
    for (const [place, { text = "", code = "" }] of parts.entries()) {
      const width = widthOf(text, this.#texts) + widthOf(code, this.#codes);
      if (width > left && place > 0) [lines, left] = [lines + 1, this.#room];
      // A line ends before the letter that it has no room for.
      const more = width <= left ? 0 : Math.ceil(width / Math.max(1, left - widestLetter)) - 1;
      lines += more;
      left = more > 0 ? 0 : left - width;
    }
    return lines;
  }
}

const widestLetter = 14;

function measuring(node: HTMLElement): CanvasRenderingContext2D | null {
  const context = document.createElement("canvas").getContext("2d");
  if (context === null) return null;
  const style = getComputedStyle(node);
  const { letterSpacing, wordSpacing } = style;
  return Object.assign(context, {
    // The shorthand is empty where a part of it has no short form.
    font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`,
    // Spacing that the reader sets in the browser counts, too.
    letterSpacing: letterSpacing === "normal" ? "0px" : letterSpacing,
    wordSpacing,
  });
}

function widthOf(text: string, context: CanvasRenderingContext2D | null): number {
  return context === null || text === "" ? 0 : context.measureText(text).width;
}
