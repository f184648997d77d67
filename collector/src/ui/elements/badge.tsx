/**
 * @module Badge: states as icon, word and colour together, so that no state depends on one of
 * them.
 */
import type { FC } from "hono/jsx";

import { wordsOf } from "../display/figures.ts";
import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";
import { NotThere } from "./figure.tsx";

/** Tone of a badge; `quiet` for neutral states. */
export type Tone = "ok" | "warn" | "bad" | "quiet" | "plain";

/** Icon and word. Set `title` where the word needs an explanation. */
export const Badge: FC<{
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
  readonly title?: string;
  /** Only the icon is visible; the word is for screen readers and in the tooltip. */
  readonly bare?: boolean;
}> = ({ tone, icon, word, title, bare = false }) => (
  <span
    class={`badge ${tone}`}
    title={title ?? (bare ? word : undefined)}
    {...(bare ? { role: "img" } : {})}
    {...(bare && title !== undefined ? { "aria-label": word } : {})}
  >
    <Icon name={icon} />
    {bare ? null : <span class="word">{word}</span>}
  </span>
);

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
  readonly title: string;
}

const unjudged: Look = {
  tone: "quiet",
  icon: "unjudged",
  word: "unjudged",
  title: "Not judged yet: the judge looks once a turn is quiet.",
};

const verdicts: { readonly [verdict: string]: Look } = {
  success: {
    tone: "ok",
    icon: "success",
    word: "success",
    title: "Delivered, acknowledged and nothing contradicts it, in a complete window.",
  },
  partial: {
    tone: "warn",
    icon: "partial",
    word: "partial",
    title: "Something required is missing, recovered or not confirmed.",
  },
  failed: { tone: "bad", icon: "failed", word: "failed", title: "A latest state is a failure." },
  unknown: {
    tone: "quiet",
    icon: "unknown",
    word: "unknown",
    title: "No intent and no delivery is recorded, or stored evidence is damaged.",
  },
};

/** A verdict, or that the turn is not judged yet. */
export const VerdictBadge: FC<{
  readonly verdict: string | null | undefined;
  readonly bare?: boolean;
}> = ({ verdict, bare = false }) => {
  const look = verdicts[verdict ?? ""] ?? unjudged;
  return <Badge {...look} bare={bare} />;
};

const statuses: { readonly [status: string]: Omit<Look, "title"> } = {
  success: { tone: "plain", icon: "success", word: "success" },
  error: { tone: "bad", icon: "failed", word: "error" },
  partial: { tone: "warn", icon: "partial", word: "partial" },
  started: { tone: "quiet", icon: "running", word: "started" },
  unknown: { tone: "quiet", icon: "unknown", word: "unknown" },
};

/** Status of an event. */
export const StatusBadge: FC<{ readonly status: string; readonly bare?: boolean }> = ({
  status,
  bare = false,
}) => {
  const look = statuses[status] ?? { tone: "quiet", icon: "unknown", word: wordsOf(status) };
  return <Badge {...look} bare={bare} />;
};

const toolTones: { readonly [outcome: string]: readonly [Tone, IconName] } = {
  success: ["ok", "success"],
  empty: ["plain", "success"],
  degraded: ["warn", "warning"],
  fallback: ["warn", "remote"],
  provider_error: ["bad", "failed"],
  error: ["bad", "failed"],
};

/** Outcome of a tool call with the words of the requirements. */
export const ToolBadge: FC<{
  readonly outcome: string | undefined;
  readonly words: string | undefined;
}> = ({ outcome, words }) => {
  const [tone, icon] = toolTones[outcome ?? ""] ?? (["quiet", "unknown"] as const);
  return <Badge tone={tone} icon={icon} word={words ?? "Outcome unknown"} />;
};

const cacheLooks: { readonly [decision: string]: readonly [Tone, IconName, string] } = {
  hit: ["plain", "cache", "The semantic cache answered."],
  miss: ["quiet", "cacheMiss", "No cache entry matched."],
  bypassed: ["quiet", "cacheOff", "The semantic cache was bypassed."],
  rejected: ["warn", "cacheOff", "The semantic cache held an answer that was rejected."],
  disabled: ["quiet", "cacheOff", "The semantic cache is switched off."],
};

/** Decision of the semantic cache, or that it was not used. */
export const CacheBadge: FC<{
  readonly decision: string | null;
  readonly bare?: boolean;
}> = ({ decision, bare = false }) => {
  const look = cacheLooks[decision ?? ""];
  if (decision === null || look === undefined) {
    return <NotThere why="no cache decision was recorded" />;
  }
  const [tone, icon, title] = look;
  return (
    <Badge tone={tone} icon={icon} word={decision} title={`${decision}: ${title}`} bare={bare} />
  );
};

const priorities: readonly (readonly [Tone, IconName, string])[] = [
  ["bad", "blocking", "P0"],
  ["warn", "warning", "P1"],
  ["quiet", "info", "P2"],
];

/** Priority of a finding or an insight: 0 blocks, 1 warns, 2 informs. */
export const PriorityBadge: FC<{ readonly priority: number; readonly count?: number }> = ({
  priority,
  count,
}) => {
  const [tone, icon, word] = priorities[priority] ?? (["quiet", "info", `P${priority}`] as const);
  const title = ["Blocks; manual action required", "Blocks", "Informs"][priority] ?? "Informs";
  return (
    <Badge
      tone={tone}
      icon={icon}
      word={count === undefined || count === 1 ? word : `${word} ×${count}`}
      title={`${word}: ${title}`}
    />
  );
};
