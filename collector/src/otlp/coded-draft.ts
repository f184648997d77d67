/**
 * @module Coded draft: the attributes of the span at hand by the number of their name. A name that
 * comes twice keeps its place and takes the later value, as a record would.
 */
import { CodedAttributes, sourceNames } from "@turnproof/exporter";
import type { AttributeValue } from "@turnproof/semconv";

/** Attributes while they are read; `begin` before each span. */
export class CodedDraft {
  /** Those of the span at hand. */
  taken: CodedAttributes = new CodedAttributes();
  /** In which span a number was taken last, and at which place of it. */
  private readonly spans = new Uint32Array(sourceNames.length);
  private readonly places = new Uint16Array(sourceNames.length);
  private span = 0;

  /** Starts a span; what was taken belongs to whoever took it. */
  begin(): void {
    this.taken = new CodedAttributes();
    this.span += 1;
  }

  put(code: number, value: AttributeValue): void {
    const { taken } = this;
    if (this.spans[code] === this.span) {
      taken.values[this.places[code] as number] = value;
      return;
    }
    this.spans[code] = this.span;
    this.places[code] = taken.codes.length;
    taken.add(code, value);
  }
}
