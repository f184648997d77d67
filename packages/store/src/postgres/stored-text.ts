/**
 * @module StoredText: text in a form that PostgreSQL can store. It refuses U+0000, which evidence
 * and ids may contain, so U+0000 and U+0001 are stored as two characters each. The form is one to
 * one and keeps the order of bytes, so equality, keys and sorting inside the database mean the
 * same as outside.
 */
const nul = "\u0000";
const mark = "\u0001";

/** The text in stored form. */
export function toStored(text: string): string {
  if (!text.includes(nul) && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll(nul, `${mark}0`);
}

/** The text of a stored form. */
export function fromStored(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replaceAll(`${mark}0`, nul).replaceAll(`${mark}1`, mark);
}

/** JSON of a value for a `jsonb` column: every string in it, names included, in stored form. */
export function toStoredJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /\\u000[01]/.test(text) ? JSON.stringify(mapTexts(value, toStored)) : text;
}

/** The value of a `jsonb` column's text. */
export function fromStoredJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes("\\u0001") ? mapTexts(value, fromStored) : value;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name), mapTexts(item, change)]),
  );
}
