/**
 * @module The sites on which pages are looked at: one with an afternoon of evidence, an empty one,
 * a guarded and a read-only one, one whose store is away, and one where every word is long.
 */
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";

import { sendStory } from "../../apps/briefing/story.ts";
import { brokenTrace } from "./broken-trace.ts";
import { openSite } from "./browser.ts";
import { calledTrace } from "./called-trace.ts";
import type { Site } from "./browser.ts";
import { judgedRoots } from "./judged-turns.ts";
import { longRoot, longTrace, longWord } from "./long-trace.ts";

/** Whose evidence most states show. */
export const agent = "briefing-writer";

/** Tokens of the guarded site's accounts. */
export const tokens = {
  viewer: "viewer-q7KxZt4Wm9Rc2Yd8",
  operator: "operator-q7KxZt4Wm9Rc2Yd8",
} as const;

/** Accounts of the guarded site. */
export const accounts = {
  vera: { token: tokens.viewer, role: "viewer", user_id: "usr_bo" },
  otto: { token: tokens.operator, role: "operator" },
};

/** An agent that a host mounts: it answers in three pieces and names its evidence. */
export const mounted = {
  agents: {
    list: () => Promise.resolve(["echo"]),
    run: () => Promise.resolve({ text: "Hello <b>you</b>" }),
    async *stream() {
      yield { type: "run.started", root_trace_id: "a".repeat(32) };
      await Promise.resolve();
      yield { type: "tool.started", tool_name: "look_up" };
      for (const delta of ["Hel", "lo <b>you</b>", " there"]) yield { type: "answer.delta", delta };
      yield { type: "run.done", status: "success" };
    },
  },
};

/** A store of which no read and no check comes back. */
function mute(store: EvidenceStore): EvidenceStore {
  const fails = (): Promise<never> => Promise.reject(new CodedError("store_unavailable"));
  const reads = new Set<string | symbol>(["turns", "page", "find", "root", "bundles"]);
  const checked = { ok: false, code: "store_unavailable", elapsedMs: 0 };
  const { ledger } = store;
  const questions = Object.keys(ledger).filter((name) => /^(list|count)|^turn|Figures$/.test(name));
  const away = Object.fromEntries(questions.map((name) => [name, fails]));
  return new Proxy(store, {
    get: (target, name) => {
      if (reads.has(name)) return fails;
      if (name === "check") return () => Promise.resolve(checked);
      if (name === "ledger") return { ...ledger, ...away };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}

/** Sites with what the states need. */
export interface Scene {
  readonly site: Site;
  readonly empty: Site;
  readonly guarded: Site;
  readonly readOnly: Site;
  /** Its store answers nothing. */
  readonly broken: Site;
  /** Its ids, words and numbers are as long as the receiver admits them. */
  readonly long: Site;
  /** Roots of successful turns of {@link agent}, the newest first. */
  readonly roots: readonly string[];
  /** Root of the failed turn with the most findings. */
  readonly failedRoot: string;
  readonly close: () => Promise<void>;
}

/** Rules of which one fires on the story and one does not. */
const alertRules = fileURLToPath(new URL("alert-rules.yaml", import.meta.url));

/** Opens the sites and fills them. */
export async function openScene(): Promise<Scene> {
  const [site, empty, guarded, readOnly, broken, long] = await Promise.all([
    openSite({ TURNPROOF_ALERT_RULES: alertRules }, { hooks: mounted }),
    openSite(),
    openSite({ TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) }, { hooks: mounted }),
    openSite({ TURNPROOF_UI_READ_ONLY: "true" }, { hooks: mounted }),
    openSite({ TURNPROOF_ALERT_RULES: alertRules }, { store: mute(ephemeral()) }),
    openSite(),
  ]);
  const sites = { site, empty, guarded, readOnly, broken, long };
  await Promise.all([site.put([...brokenTrace, ...calledTrace]), long.put(longTrace)]);
  await sendStory(site.url, { endMs: Date.now(), turns: 30, hours: 2 });
  const roots = await judgedRoots(site, `agent_id=${agent}&verdict=success&sort=ended_at`, 2);
  const failedRoot = await mostFaulted(site);
  await firing(site);
  // Recommendations with one that is decided, so that its draft stands on the page too.
  await propose(site);
  await write(site, {
    root: roots[0] ?? "",
    text: "Asked the newsroom.\nNo answer yet.",
    view: "Failed",
  });
  const text = longWord.slice(0, 250).replaceAll(/[_0-9]/g, "s");
  await write(long, { root: longRoot, text, view: text.slice(0, 60) });
  return {
    ...sites,
    roots,
    failedRoot,
    close: async () => {
      await Promise.all(Object.values(sites).map((each) => each.close()));
    },
  };
}

/** Waits until every turn that the story makes fail is judged: which come first is chance. */
async function mostFaulted(site: Site): Promise<string> {
  const failed = await judgedRoots(site, `agent_id=${agent}&verdict=failed`, 3);
  const counted = await Promise.all(
    failed.map(async (root) => {
      const answer = await fetch(`${site.url}/traces/${root}.json`);
      const { verdict } = (await answer.json()) as {
        readonly verdict: { readonly findings: readonly unknown[] };
      };
      return { root, findings: verdict.findings.length };
    }),
  );
  return counted.toSorted((a, b) => b.findings - a.findings)[0]?.root ?? "";
}

/** Waits until the rule has been looked at after the verdicts. */
async function firing(site: Site): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const answer = await fetch(`${site.url}/alerts.json`);
    const { firing: alerts } = (await answer.json()) as { readonly firing: readonly unknown[] };
    if (alerts.length > 0) return;
    await setTimeout(100);
  }
  throw new Error("no alert fires");
}

function post({ url }: Site, path: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
}

/** What operators write: a note on a turn, and a shared view. */
async function write(
  site: Site,
  { root, text, view }: { readonly root: string; readonly text: string; readonly view: string },
): Promise<void> {
  const note = await post(site, "/traces/notes", { root_trace_id: root, text });
  const shared = await post(site, "/traces/views", { name: view, query: "?q=has%3Aerror" });
  if (!note.ok || !shared.ok) throw new Error(`written: ${note.status} ${shared.status}`);
}

async function propose(site: Site): Promise<void> {
  const proposed = await post(site, "/traces/recommendations", { agent_id: agent });
  if (!proposed.ok) throw new Error(`proposed: ${proposed.status} ${await proposed.text()}`);
  const listed = await fetch(`${site.url}/learning.json`);
  const { recommendations } = (await listed.json()) as {
    readonly recommendations: readonly { readonly recommendation_id: string }[];
  };
  const [first] = recommendations;
  if (first === undefined) throw new Error("nothing was proposed");
  const path = `/traces/recommendations/${encodeURIComponent(first.recommendation_id)}/review`;
  const reviewed = await post(site, path, { decision: "accepted", note: "worth a try" });
  if (!reviewed.ok) throw new Error(`reviewed: ${reviewed.status} ${await reviewed.text()}`);
}
