/** @module The judge: pure, synchronous functions over evidence events. */
export { identityFields } from "./event.ts";
export type {
  EventAttributeMap,
  EventIdentity,
  IdentityField,
  LedgerEntry,
  NormalizationError,
  ResourceRef,
  SourceStore,
  SpanLink,
  TurnEvent,
} from "./event.ts";
export { compareTimes, matches, refersTo } from "./query.ts";
export type { EventQuery } from "./query.ts";
