/**
 * @module Shapes: the positive form that a text must match before any detector runs (privacy: How a
 * value is judged). Every pattern is a single anchored class with at most one bounded or optional
 * tail, so that matching is linear; the suite proves it with a checker.
 */
import { limits } from "../limits.ts";
import type { Shape } from "../registry/row.ts";
import { isDisplayName, isShortInSpacelessScripts } from "./display-name.ts";

/** Forms in ASCII by shape. `closed` and `none` hold no free text and are not here. */
const asciiPatterns: {
  readonly [K in "id" | "fingerprint" | "model" | "label" | "version" | "host" | "time"]: RegExp;
} = {
  id: /^[A-Za-z0-9_@$*~][A-Za-z0-9_.:\-+=~/|#@$*!]*$/,
  fingerprint:
    /^(?:[A-Za-z][A-Za-z0-9-]{0,15}[:_])?(?:[A-Za-z0-9]{1,16}[:_])?[A-Za-z0-9_-]{16,160}$/,
  // A file of any system, an adapter with its parts, and one word in brackets at the end.
  model: /^\/?[A-Za-z0-9@_~][A-Za-z0-9._:@/+\-~=,\\]*(?: \([A-Za-z0-9.-]{1,24}\))?$/,
  // Rust's trait objects are the only classes of errors with a space.
  label: /^[A-Za-z0-9_*@\\](?:[A-Za-z0-9_.:/\\\-+$*@#[\]<>(),`]|<dyn | \+ core::marker::[A-Z])*$/,
  version: /^[A-Za-z0-9_~^][A-Za-z0-9._:+\-~@/]*$/,
  host: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/,
  time: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,12})?(?:Z|[+-]00:00)$/,
};

/** An id of another directory: letters of any script, apostrophes, backslashes and commas. */
const wideIdPattern: RegExp = /^[\p{L}\p{N}_@$*~({][\p{L}\p{M}\p{N}_.:\-+=~/|#@$*!'’\\,&(){}]*$/u;

/** An attribute and its value, the parts of a directory's distinguished name. */
const distinguishedPart: RegExp = /^ ?[A-Za-z][A-Za-z0-9.-]{0,31}=[^=]{1,64}$/;

/** Any visible characters without a space. */
const visiblePattern: RegExp = /^[^\p{C}\p{Z}]+$/u;

/** A number in groups, as a telephone number is written. */
const groupsPattern: RegExp = /^\+?[\d(][\d ()./-]*$/;

/** The name of a tool. */
const toolPattern: RegExp = /^[\p{L}\p{N}_@$][\p{L}\p{M}\p{N}_.:\-/@#+$*&'()]*$/u;

/** Characters of a tool's name: the Model Context Protocol's bound. */
const toolCharsMax = 128;

/**
 * A path with places for values, with or without a method, in the form of any router: optional
 * parts, expressions, named groups, resource templates. A word after a question mark would be a
 * query, and an equals sign outside such a template its value.
 */
const routePattern: RegExp =
  /^(?:[A-Z]{3,7} )?\^?\/(?:[\w.\-~$*:{}[\]()<>/\\+|,]|\?(?:P<|[.\-$*:{}[\]()<>/\\+|,])|\{\w+=[\w/-]*\*)*\??$/;

/** True when a text of at most 240 characters matches the shape. */
export function hasShape(shape: Exclude<Shape, "closed" | "none">, text: string): boolean {
  if (text.length > limits.stringCharsMax) return false;
  switch (shape) {
    case "id":
      return isId(text);
    case "tenant":
      return isTenant(text);
    case "subject":
      return isId(text) || isDisplayName(text) || routePattern.test(text);
    case "name":
      return isDisplayName(text) || routePattern.test(text);
    case "tool":
      return (
        text.length <= toolCharsMax && toolPattern.test(text) && isShortInSpacelessScripts(text)
      );
    case "route":
      return routePattern.test(text);
    case "host":
      return asciiPatterns.host.test(text) && !text.includes("..") && !text.endsWith("-");
    default:
      return asciiPatterns[shape].test(text);
  }
}

function isId(text: string): boolean {
  if (asciiPatterns.id.test(text)) return true;
  return (wideIdPattern.test(text) && isShortInSpacelessScripts(text)) || isDistinguished(text);
}

/** A tenant's id has any form of its directory; with spaces it must be a name and no sentence. */
function isTenant(text: string): boolean {
  if (asciiPatterns.id.test(text)) return true;
  if (visiblePattern.test(text)) return isShortInSpacelessScripts(text);
  return isDistinguished(text) || isDisplayName(text) || groupsPattern.test(text);
}

/** True for a directory's distinguished name (RFC 4514) of two parts or more. */
function isDistinguished(text: string): boolean {
  if (!text.includes("=") || !text.includes(",") || /[\p{C}\p{Zl}\p{Zp}]/u.test(text)) {
    return false;
  }
  // An escaped comma belongs to a value.
  return text
    .replaceAll("\\,", "")
    .split(",")
    .every((part) => distinguishedPart.test(part));
}
