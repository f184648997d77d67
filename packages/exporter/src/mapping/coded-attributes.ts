/**
 * @module CodedAttributes: the attributes of a received span by the number of their source name. A
 * decoder recognises a name by its bytes and knows the number, and the mapping goes by the number:
 * no record with some twenty text keys is made and taken apart again for each span.
 */
import { sourceAttributeNames } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

/** Every source name; its place is its number. */
export const sourceNames: readonly string[] = [...sourceAttributeNames];

/** The number of each source name. */
export const sourceCode: ReadonlyMap<string, number> = new Map(
  sourceNames.map((name, code) => [name, code]),
);

/**
 * A record without a prototype of ours: nothing can be inherited through it, and unlike
 * `Object.create(null)` it stays a fast object.
 */
const Bare = function (): void {} as unknown as new () => Record<string, AttributeValue>;
Bare.prototype = Object.freeze(Object.create(null));

/**
 * Numbers and values, each number once, in the order in which they came. One of these serves span
 * after span: `clear` forgets the last one without giving its memory away.
 */
export class CodedAttributes {
  /** How many there are; what stands in the lists behind them is of an earlier span. */
  length = 0;
  readonly codes: Uint16Array = new Uint16Array(sourceNames.length);
  readonly values: AttributeValue[] = [];
  /** At which place each number was taken last, and in which span. */
  private readonly places = new Uint16Array(sourceNames.length);
  private readonly spans = new Uint32Array(sourceNames.length);
  private span = 1;

  clear(): void {
    this.length = 0;
    this.span += 1;
  }

  /** A number that comes twice keeps its place and takes the later value, as a record would. */
  put(code: number, value: AttributeValue): void {
    if (this.spans[code] === this.span) {
      this.values[this.places[code] as number] = value;
      return;
    }
    this.spans[code] = this.span;
    this.places[code] = this.length;
    this.codes[this.length] = code;
    this.values[this.length] = value;
    this.length += 1;
  }

  get(code: number): AttributeValue | undefined {
    return this.spans[code] === this.span ? this.values[this.places[code] as number] : undefined;
  }

  /** The same by name. */
  record(): Record<string, AttributeValue> {
    const record = new Bare();
    for (let at = 0; at < this.length; at++) {
      const name = sourceNames[this.codes[at] as number] as string;
      record[name] = this.values[at] as AttributeValue;
    }
    return record;
  }
}

/** As much of a span as is asked for an attribute by name. */
export interface Attributed {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly coded?: CodedAttributes | undefined;
}

/** What the span says under a source name. */
export function saidUnder(span: Attributed, name: string): unknown {
  if (span.coded === undefined) return span.attributes[name];
  const code = sourceCode.get(name);
  return code === undefined ? undefined : span.coded.get(code);
}
