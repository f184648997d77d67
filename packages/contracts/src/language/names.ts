/** @module Names: names and patterns of them, one or several. `*` is any characters. */
import { z } from "zod";

/** A name or a pattern. */
export const namePattern = z.string().min(1).max(240).describe("A name; `*` is any characters.");

/** One value or a list of them. */
export function oneOrMore<T extends z.ZodType>(value: T): z.ZodUnion<[T, z.ZodArray<T>]> {
  return z.union([value, z.array(value).min(1)]);
}

/** A list of what was written as one value or as a list. */
export function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** True where a pattern matches the whole name. Linear: `*` never tries again before its match. */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === "*") return true;
  if (!pattern.includes("*")) return pattern === name;
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
