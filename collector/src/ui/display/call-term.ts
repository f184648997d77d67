/**
 * @module CallTerm: the value of `call:`, which names calls of a turn as `tool:search:failed`:
 * kind, name and outcome, with the provider as `tool@acme:search:empty`. `*` is any; an empty part
 * is one that was not recorded.
 */

/** Values of a call; an absent one is any, null is not recorded. */
export interface RequestedCall {
  readonly kind: "tool" | "model" | "agent";
  readonly provider?: string | null;
  readonly name?: string | null;
  readonly outcome?: string;
}

/** Words for several outcomes; null is one that was not recorded. */
export const outcomeGroups: { readonly [word: string]: readonly (string | null)[] | undefined } = {
  failed: ["error", "provider_error"],
  limited: ["fallback", "degraded"],
  unknown: [null, "unknown"],
};

/** Parses a value; undefined where it is none. A name may hold colons. */
export function readCall(value: string): RequestedCall | undefined {
  const match = /^(tool|model|agent)(?:@([^:]*))?:(.*):([^:]+)$/s.exec(value);
  if (match === null) return undefined;
  const [, kind, provider, name, outcome] = match;
  const part = (text: string | undefined): string | null => (text === "" ? null : (text ?? null));
  return {
    kind: kind as RequestedCall["kind"],
    ...(provider === undefined ? {} : { provider: part(provider) }),
    ...(name === "*" ? {} : { name: part(name) }),
    ...(outcome === "*" || outcome === undefined ? {} : { outcome }),
  };
}

/** The value for these calls; undefined where a part cannot be written. */
export function callTerm({
  kind,
  provider,
  name,
  outcome = "*",
}: RequestedCall): string | undefined {
  const parts = [provider ?? "", name ?? "", outcome];
  if (parts.some((part) => part.includes('"'))) return undefined;
  if (provider?.includes(":") === true || name === "*") return undefined;
  const of = provider === undefined ? kind : `${kind}@${provider ?? ""}`;
  return `${of}:${name === undefined ? "*" : (name ?? "")}:${outcome}`;
}
