/**
 * @module CodedAttributes: the attributes of a received span by the number of their source name. A
 * decoder recognizes a name by its bytes and gets its number, and the mapping uses the number: no
 * record of some twenty text keys is built and read again for each span.
 */
import { sourceAttributeNames } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

/** Every source name; its index is its number. */
export const sourceNames: readonly string[] = [...sourceAttributeNames];

/** The number of each source name. */
export const sourceCode: ReadonlyMap<string, number> = new Map(
  sourceNames.map((name, code) => [name, code]),
);

/** A record without an inherited prototype; unlike `Object.create(null)` it stays fast in V8. */
const Bare = function (): void {} as unknown as new () => Record<string, AttributeValue>;
Bare.prototype = Object.freeze(Object.create(null));

/**
 * Numbers and values, each number once, in input order. One instance serves span after span:
 * `clear` keeps its memory.
 */
export class CodedAttributes {
  /** Number of entries; list elements beyond it belong to an earlier span. */
  length = 0;
  readonly codes: Uint16Array = new Uint16Array(sourceNames.length);
  readonly values: AttributeValue[] = [];
  /** Index at which each number was last stored, and in which span. */
  private readonly places = new Uint16Array(sourceNames.length);
  private readonly spans = new Uint32Array(sourceNames.length);
  private span = 1;

  clear(): void {
    this.length = 0;
    this.span += 1;
  }

  /** A repeated number keeps its index and gets the later value, as in a record. */
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

/** The part of a span that attribute lookups read. */
export interface Attributed {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly coded?: CodedAttributes | undefined;
}

/** The span's value under a source name. */
export function statedUnder(span: Attributed, name: string): unknown {
  if (span.coded === undefined) return span.attributes[name];
  const code = sourceCode.get(name);
  return code === undefined ? undefined : span.coded.get(code);
}
