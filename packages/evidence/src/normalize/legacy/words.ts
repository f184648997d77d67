/**
 * @module LegacyWords: older writers' words for today's states. An unlisted word is unknown, and
 * unknown never counts as success.
 */
import type { ArtifactStatus, EventStatus, ParserStatus, ToolOutcome } from "@turnproof/semconv";

type Words<T> = { readonly [word: string]: T };

const statusWords: Words<EventStatus> = {
  started: "started",
  start: "started",
  running: "started",
  pending: "started",
  in_progress: "started",
  success: "success",
  succeeded: "success",
  successful: "success",
  ok: "success",
  completed: "success",
  complete: "success",
  done: "success",
  finished: "success",
  empty: "success",
  no_results: "success",
  fallback: "success",
  partial: "partial",
  degraded: "partial",
  incomplete: "partial",
  error: "error",
  errored: "error",
  failed: "error",
  failure: "error",
  exception: "error",
  timeout: "error",
  timed_out: "error",
  provider_error: "error",
  unknown: "unknown",
};

const toolWords: Words<ToolOutcome> = {
  success: "success",
  succeeded: "success",
  ok: "success",
  completed: "success",
  complete: "success",
  empty: "empty",
  no_results: "empty",
  completed_no_results: "empty",
  degraded: "degraded",
  limited: "degraded",
  partial: "degraded",
  completed_with_limitations: "degraded",
  fallback: "fallback",
  completed_via_fallback: "fallback",
  provider_error: "provider_error",
  upstream_error: "provider_error",
  error: "error",
  failed: "error",
  failure: "error",
  exception: "error",
  timeout: "error",
};

const cacheWords: Words<string> = {
  hit: "hit",
  cache_hit: "hit",
  miss: "miss",
  cache_miss: "miss",
  bypass: "bypassed",
  bypassed: "bypassed",
  cache_bypassed: "bypassed",
  reject: "rejected",
  rejected: "rejected",
  rejection: "rejected",
  disabled: "disabled",
  off: "disabled",
};

const parserWords: Words<ParserStatus> = {
  success: "success",
  succeeded: "success",
  ok: "success",
  parsed: "success",
  failed: "failed",
  failure: "failed",
  error: "failed",
  missing: "missing",
  absent: "missing",
  partial: "partial",
  incomplete: "partial",
};

const artifactWords: Words<ArtifactStatus> = {
  created: "created",
  create: "created",
  persisted: "created",
  success: "created",
  updated: "updated",
  update: "updated",
  failed: "failed",
  failure: "failed",
  error: "failed",
  deleted: "deleted",
  delete: "deleted",
  removed: "deleted",
};

/** Looks a word up without regard to case, spaces and hyphens. */
function look<T>(words: Words<T>, value: unknown): T | undefined {
  if (typeof value !== "string" || value.length > 40) return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Status of an older word. */
export function readStatus(value: unknown): EventStatus | undefined {
  return look(statusWords, value);
}

/** Tool outcome of an older word. */
export function readToolOutcome(value: unknown): ToolOutcome | undefined {
  return look(toolWords, value);
}

/** Cache decision of an older word; a boolean `hit` is read too. */
export function readCacheDecision(value: unknown): string | undefined {
  return typeof value === "boolean" ? (value ? "hit" : "miss") : look(cacheWords, value);
}

/** Parser status of an older word. */
export function readParserStatus(value: unknown): ParserStatus | undefined {
  return look(parserWords, value);
}

/** Artifact status of an older word. */
export function readArtifactStatus(value: unknown): ArtifactStatus | undefined {
  return look(artifactWords, value);
}
