/**
 * @module Shapes: the positive form that a text value must have before any detector looks at it
 * (design 3.3). Every pattern is a single anchored class with at most one bounded or optional
 * tail, so that matching is linear; the suite proves it with a checker.
 */
import { limits } from "../limits.ts";
import type { Shape } from "../registry/row.ts";

/**
 * Forms by shape. `closed` and `none` hold no free text and are not here. None of them admits a
 * percent sign, a quote, a backslash, a query mark, a semicolon or a control character.
 */
const shapePatterns: {
  readonly [K in Exclude<Shape, "closed" | "none">]: RegExp;
} = {
  id: /^[A-Za-z0-9_@$*~][A-Za-z0-9_.:\-+=~/|#@$*!]*$/,
  fingerprint:
    /^(?:[A-Za-z][A-Za-z0-9-]{0,15}[:_])?(?:[A-Za-z0-9]{1,16}[:_])?[A-Za-z0-9_-]{16,160}$/,
  name: /^[\p{L}\p{N}_@][\p{L}\p{M}\p{N} _.:()&'+\-/@#’]*$/u,
  model: /^[A-Za-z0-9@_~][A-Za-z0-9._:@/+\-~=]*$/,
  label: /^[A-Za-z0-9_*@][A-Za-z0-9_.:/\-+$*@#]*$/,
  version: /^[A-Za-z0-9_~^][A-Za-z0-9._:+\-~@/]*$/,
  host: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/,
  time: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,12})?(?:Z|[+-]00:00)$/,
};

/** A display name is a few words; more of them are a sentence, and a sentence is content. */
const nameSpacesMax = 7;

/** Characters of a display name that uses letters outside ASCII, where a word has no spaces. */
const wideNameCharsMax = 64;

/** True when a text of at most the row's cap has the form of the shape. */
export function hasShape(shape: Exclude<Shape, "closed" | "none">, text: string): boolean {
  if (text.length > limits.stringCharsMax || !shapePatterns[shape].test(text)) return false;
  if (shape === "host") return !text.includes("..") && !text.endsWith("-");
  return shape !== "name" || nameIsShort(text);
}

function nameIsShort(text: string): boolean {
  let spaces = 0;
  let wide = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 32) spaces++;
    else if (code > 127) wide = true;
  }
  return spaces <= nameSpacesMax && !(wide && text.length > wideNameCharsMax);
}
