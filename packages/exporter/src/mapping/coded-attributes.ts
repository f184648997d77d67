/**
 * @module CodedAttributes: the attributes of a received span by the number of their source name. A
 * decoder recognises a name by its bytes and knows the number, and the mapping goes by the number:
 * no record with some twenty text keys is made and taken apart again for each span.
 */
import { sourceAttributeNames } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

import type { DropCounts, SourceAttributes, SpanRecord } from "./span-record.ts";

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

/** Numbers and values side by side, each number once, in the order in which they came. */
export class CodedAttributes {
  readonly codes: number[] = [];
  readonly values: AttributeValue[] = [];

  /** Adds a number that is not there yet. */
  add(code: number, value: AttributeValue): void {
    this.codes.push(code);
    this.values.push(value);
  }

  get(code: number): AttributeValue | undefined {
    const at = this.codes.indexOf(code);
    return at < 0 ? undefined : this.values[at];
  }

  /** The same by name. */
  record(): SourceAttributes {
    const record = new Bare();
    for (const [at, code] of this.codes.entries()) {
      record[sourceNames[code] as string] = this.values[at] as AttributeValue;
    }
    return record;
  }
}

/** A span whose attributes stand by number; by name they are there for who asks. */
export class CodedSpan implements SpanRecord {
  readonly #coded: CodedAttributes;
  traceId = "";
  spanId = "";
  declare parentSpanId?: string;
  declare parentRemote?: boolean;
  kind = 0;
  declare name?: string;
  startTimeUnixNano = "0";
  endTimeUnixNano = "0";
  statusCode = 0;
  declare scopeName?: string;
  declare scopeVersion?: string;
  resource: SourceAttributes;
  declare exceptionType?: string;
  declare links?: SpanRecord["links"] & {};
  declare dropped?: DropCounts;

  constructor(coded: CodedAttributes, resource: SourceAttributes) {
    this.#coded = coded;
    this.resource = resource;
  }

  get coded(): CodedAttributes {
    return this.#coded;
  }

  get attributes(): SourceAttributes {
    return this.#coded.record();
  }
}

/** As much of a span as is asked for an attribute by name. */
export interface Attributed {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly coded?: CodedAttributes;
}

/** What the span says under a source name. */
export function saidUnder(span: Attributed, name: string): unknown {
  if (span.coded === undefined) return span.attributes[name];
  const code = sourceCode.get(name);
  return code === undefined ? undefined : span.coded.get(code);
}
