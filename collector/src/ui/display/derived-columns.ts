/**
 * @module DerivedColumns: fields of a table that follow from others, written as the rule and the
 * records that break it. Ids of ten thousand spans are random and cannot be shortened, so each
 * travels once: in `span_id` of the events, and by place elsewhere.
 */
import { instantMs, isoTime, roundMs } from "@turnproof/semconv";

/** How a field follows. Fields are of the same record, or of the record of a second table. */
export type Rule =
  /** The second table's field. */
  | { readonly beside: string }
  /** The second table's number, rounded as durations of the waterfall are. */
  | { readonly rounded: string }
  /** Milliseconds from an origin to the second table's time, rounded in the same way. */
  | { readonly since: string; readonly from: number }
  /** A list with the field as its only item. */
  | { readonly list: string }
  /** Two fields with a colon between them. */
  | { readonly joined: readonly [string, string] }
  /** Index of the record whose field is this record's other field; null where there is none. */
  | { readonly indexOf: string; readonly by: string }
  /** A time, earlier by a field in milliseconds. */
  | { readonly before: string; readonly by: string };

/** A field that follows by a rule, and the values of the records that break it. */
export interface Derived {
  readonly rule: Rule;
  readonly but?: { readonly at: readonly number[]; readonly is: readonly unknown[] };
}

/** The value of a field of a record; undefined where the record lacks it. */
export type FieldReader = (index: number) => unknown;

/** The readers that a rule needs: of the same table, and of the second one at a record's place. */
export interface FieldReaders {
  readonly own: (field: string) => FieldReader;
  readonly beside: (field: string) => FieldReader;
  /** Number of records. */
  readonly count: number;
}

/** A rule that more records break is no gain. */
const brokenMax = 1 / 8;

/**
 * The field by a rule; undefined where too many records break it, or one of them lacks the field.
 */
export function derivedBy(
  rule: Rule,
  values: readonly unknown[],
  readers: FieldReaders,
): Derived | undefined {
  const follows = following(rule, readers);
  const at: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    if (same(follows(index), values[index])) continue;
    if (values[index] === undefined || at.length >= values.length * brokenMax) return undefined;
    at.push(index);
  }
  return at.length === 0 ? { rule } : { rule, but: { at, is: at.map((index) => values[index]) } };
}

/** Reads a derived field. */
export function readDerived({ rule, but }: Derived, readers: FieldReaders): FieldReader {
  const follows = following(rule, readers);
  if (but === undefined) return follows;
  const broken = new Map(but.at.map((index, nth) => [index, but.is[nth]]));
  return (index) => (broken.has(index) ? broken.get(index) : follows(index));
}

function following(rule: Rule, { own, beside, count }: FieldReaders): FieldReader {
  if ("beside" in rule) return beside(rule.beside);
  if ("rounded" in rule) {
    const of = beside(rule.rounded);
    return (index) => {
      const value = of(index);
      return typeof value === "number" ? roundMs(value) : undefined;
    };
  }
  if ("since" in rule) {
    const of = beside(rule.since);
    return (index) => {
      const time = of(index);
      return typeof time === "string" ? roundMs(instantMs(time) - rule.from) : undefined;
    };
  }
  if ("list" in rule) {
    const of = own(rule.list);
    return (index) => [of(index)];
  }
  if ("indexOf" in rule) {
    const [of, by] = [own(rule.indexOf), own(rule.by)];
    const places = new Map<unknown, number>();
    for (let index = 0; index < count; index += 1) places.set(of(index), index);
    return (index) => places.get(by(index)) ?? null;
  }
  if ("joined" in rule) {
    const [first, second] = rule.joined.map(own) as [FieldReader, FieldReader];
    return (index) => `${String(first(index))}:${String(second(index))}`;
  }
  const [time, by] = [own(rule.before), own(rule.by)];
  return (index) => {
    const [text, ms] = [time(index), by(index)];
    return typeof text === "string" && typeof ms === "number"
      ? laterText(text, -Math.round(ms * 1e6))
      : undefined;
  };
}

function same(value: unknown, wanted: unknown): boolean {
  if (!Array.isArray(value)) return value === wanted;
  return Array.isArray(wanted) && wanted.length === 1 && wanted[0] === value[0];
}

const nanosPerSecond = 1e9;

/** Seconds and nanoseconds of a time with nine digits; undefined in any other form. */
function instantOf(text: string): readonly [seconds: number, nanos: number] | undefined {
  if (text.length !== 30 || text[19] !== "." || text[29] !== "Z") return undefined;
  return [Math.floor(instantMs(`${text.slice(0, 19)}Z`) / 1_000), Number(text.slice(20, 29))];
}

// Adjacent times share their second.
let lastSecond = NaN;
let lastText = "";

function textOf(seconds: number, nanos: number): string {
  if (seconds !== lastSecond) {
    lastSecond = seconds;
    lastText = isoTime(seconds * 1_000).slice(0, 20);
  }
  return `${lastText}${String(nanos).padStart(9, "0")}Z`;
}

/** A time later by this number of nanoseconds; undefined where it has no nine digits. */
export function laterText(text: string, nanos: number): string | undefined {
  const instant = instantOf(text);
  if (instant === undefined) return undefined;
  const sum = instant[1] + nanos;
  const carry = Math.floor(sum / nanosPerSecond);
  return textOf(instant[0] + carry, sum - carry * nanosPerSecond);
}

/** Nanoseconds from one time to the next; undefined where a time has no nine digits. */
export function nanosBetween(from: string, to: string): number | undefined {
  const [a, b] = [instantOf(from), instantOf(to)];
  if (a === undefined || b === undefined) return undefined;
  const nanos = (b[0] - a[0]) * nanosPerSecond + b[1] - a[1];
  return Number.isSafeInteger(nanos) ? nanos : undefined;
}
