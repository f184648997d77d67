/**
 * @module Problem: why a set-up does not work, as a code for programs and a sentence for people.
 */
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Code } from "@turnproof/semconv";

const probeKey = createContextKey("turnproof probe");

/** True when a context manager is registered: code that runs in a context can read it. */
export function contextWorks(): boolean {
  const probe = ROOT_CONTEXT.setValue(probeKey, true);
  return context.with(probe, () => context.active().getValue(probeKey) === true);
}

/** Result of a set-up. */
export interface Attempt {
  /** A provider was requested. */
  readonly requested: boolean;
  readonly missing: readonly string[];
  /** No other provider existed, and one was built. */
  readonly built: boolean;
  /** It is the global one. */
  readonly installed: boolean;
}

/** The problem, or undefined. */
export function problemOf({ requested, missing, built, installed }: Attempt): Code | undefined {
  if (missing.length > 0) return "sdk_missing";
  if (!requested) return undefined;
  if (!built) return "provider_registered";
  if (!installed) return "api_version_mismatch";
  return contextWorks() ? undefined : "context_manager_missing";
}

const sentences: { readonly [code in Code]?: string } = {
  provider_registered:
    "nothing is recorded: the application registered a tracer provider before. Call register() " +
    "first, or add register({ provider: false }).processor to that provider's spanProcessors.",
  api_version_mismatch:
    "nothing is recorded: another version of @opentelemetry/api registered a tracer provider. " +
    "Keep one version; npm ls @opentelemetry/api shows which packages bring theirs.",
  context_manager_missing:
    "spans do not know their parents: another version of @opentelemetry/api holds the context " +
    "manager. Keep one version; npm ls @opentelemetry/api shows which packages bring theirs.",
};

/** The problem in plain words, with the fix. */
export function problemSentence(problem: Code, missing: readonly string[]): string {
  if (problem !== "sdk_missing") return sentences[problem] ?? problem;
  return `nothing is recorded: packages are missing. npm install ${missing.join(" ")}`;
}
