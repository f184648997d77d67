/**
 * @module Config values: parsers of single variables. A problem is described without the value.
 */
import type { TurnLimits } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { IdentityOptions } from "@turnproof/semconv";
import { z } from "zod";

import { isNetwork } from "./proxy-networks.ts";
import type { DeclaredProxy } from "./proxy-networks.ts";
import { guessableProblem, isGuessable } from "./token-strength.ts";
import { traceTemplateProblem } from "../ui/display/trace-link.ts";

/** A producer that may send spans. */
export interface IngestToken {
  readonly name: string;
  readonly token: string;
  readonly applicationId?: IdentityOptions["applicationId"];
}

/** Text that is not empty. */
export const text = z.string().trim().min(1);
/** `true` or `false`. */
export const flag = z
  .enum(["true", "false"], "set true or false")
  .transform((value) => value === "true");
/** Parts between commas. */
export const list = text.transform((value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
/** Seconds without an event: a number for all agents, `agent:seconds` for one of them. */
export const turnLimits = list.transform((parts, context): TurnLimits => {
  let default_ms: number | undefined;
  const agents: Record<string, number> = Object.create(null);
  for (const part of parts) {
    const [, agent, seconds = ""] = /^(?:(.+):)?(\d{1,7})$/.exec(part) ?? [];
    if (seconds === "" || Number(seconds) === 0) {
      context.addIssue({ code: "custom", message: "seconds, or agent:seconds, between commas" });
    } else if (agent === undefined) default_ms = Number(seconds) * 1_000;
    else agents[agent] = Number(seconds) * 1_000;
  }
  return { ...(default_ms === undefined ? {} : { default_ms }), agents };
});
/** A token as typed and sent. */
export const token = z
  .string()
  .min(
    limits.tokenCharsMin,
    `a token has at least ${limits.tokenCharsMin} characters; \`turnproof token\` makes one`,
  )
  .regex(/^[\x21-\x7e]+$/, "a token has no spaces or control characters")
  .refine(
    (value) => value.length < limits.tokenCharsMin || isExample(value) || !isGuessable(value),
    guessableProblem,
  );

/** Tokens of producers: `name:token[:application]`, or a token alone. */
export const ingestTokens = list.transform((parts, context): readonly IngestToken[] =>
  parts.map((part, index) => {
    const [first = "", second, ...rest] = part.split(":");
    const name = second === undefined ? `ingest-${index + 1}` : first;
    const value = second ?? first;
    const applicationId = rest.join(":");
    const [problem] = token.safeParse(value).error?.issues ?? [];
    if (problem !== undefined) {
      context.addIssue({ code: "custom", message: `entry ${index + 1}: ${problem.message}` });
    }
    if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/i.test(name)) {
      context.addIssue({ code: "custom", message: `entry ${index + 1} has an unusable name` });
    }
    return { name, token: value, ...(applicationId === "" ? {} : { applicationId }) };
  }),
);

/** Origins between commas. */
export const origins = list.transform((parts, context): readonly string[] =>
  parts.map((part) => {
    const url = URL.canParse(part) ? new URL(part) : undefined;
    if (url === undefined || url.origin === "null" || !/^https?:$/.test(url.protocol)) {
      context.addIssue({ code: "custom", message: "an origin is http(s)://host[:port]" });
    }
    return url?.origin ?? "";
  }),
);

/** Proxies that end TLS: addresses and networks, or `any`. */
export const declaredProxy = list.transform((parts, context): DeclaredProxy => {
  if (parts.length === 1 && parts[0] === "any") return "any";
  if (!parts.every(isNetwork)) {
    context.addIssue({ code: "custom", message: "addresses and networks like 10.0.0.0/8, or any" });
  }
  return parts;
});

/** An address with a login of its own variables: whatever it holds, it is encoded. */
export function withLogin(
  address: string | undefined,
  password: string | undefined,
  user?: string,
): string | undefined {
  if (address === undefined || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.host === "" || (password === undefined && user === undefined)) return address;
  if (user !== undefined) url.username = encodeURIComponent(user);
  if (password !== undefined) url.password = encodeURIComponent(password);
  return url.href;
}

/** Address of a trace in another backend. */
export const traceTemplate = text.superRefine((value, context) => {
  const message = traceTemplateProblem(value);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const examples = /^(<.*>|changeme.*|change-me.*|secret|password|example.*|test|your-.*)$/i;

/** True for a token from an example. */
export function isExample(value: string): boolean {
  return examples.test(value);
}

/** Describes the problem of a value, with the name of the field. */
export function issueSentence(issue: {
  readonly message: string;
  readonly path: PropertyKey[];
}): string {
  const field = issue.path.at(-1);
  const where = typeof field === "string" && /^[a-z_]{1,24}$/.test(field) ? `${field}: ` : "";
  return `${where}${issue.message}`;
}
