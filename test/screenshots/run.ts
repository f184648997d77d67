/**
 * @module Makes the pictures of the README: starts a collector, sends it the briefing desk's
 * afternoon, and another a week of five agents, and photographs the main pages at 1440 and 390 px,
 * light and dark, with rules of alerts.
 * `npm run screenshots` after `npm run build`; each picture stays under 150 kB.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { Conversation, ToolLog } from "@turnproof/memory";
import { filesystem } from "@turnproof/store";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

import { sendStory } from "../apps/briefing/story.ts";
import { orderDesk } from "../apps/week/cast.ts";
import { parcelThread } from "../apps/week/incidents.ts";
import { sendWeek } from "../apps/week/week.ts";
import { launchOptions } from "../chromium.ts";
import { withPalette } from "./palette-png.ts";

const root = join(import.meta.dirname, "../..");
const bytesMax = 150_000;
const weekTurns = 1_200;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the built collector by its command; the result is where it listens. */
async function startCollector(dataDir: string): Promise<readonly [ChildProcess, string]> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, "collector/bin/turnproof.js")], {
    env: {
      ...process.env,
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_PORT: String(port),
      TURNPROOF_ALERT_RULES: join(root, "test/suite/browser/alert-rules.yaml"),
    },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries += 1) {
    const alive = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (alive) return [child, url];
    await wait(100);
  }
  child.kill();
  throw new Error("the collector did not start");
}

/** Waits until the judge has looked at every turn. */
async function judged(url: string): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    const answer = await fetch(`${url}/traces/turns.json?verdict=unjudged`);
    const { items } = (await answer.json()) as { readonly items: readonly unknown[] };
    if (items.length === 0) return;
    await wait(500);
  }
}

async function photograph(browser: Browser, url: string, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: shot.width, height: shot.height },
    colorScheme: shot.theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const answer = await page.goto(`${url}${shot.path}`);
  if (answer?.ok() !== true) throw new Error(`${shot.path} is no page`);
  await page.waitForTimeout(2_000);
  const file = join(import.meta.dirname, `${shot.name}.png`);
  const picture = withPalette(await page.screenshot());
  await context.close();
  writeFileSync(file, picture);
  const size = picture.length;
  console.log(`${shot.name}.png ${Math.round(size / 1_000)} kB`);
  if (size > bytesMax) throw new Error(`${shot.name}.png is larger than ${bytesMax} bytes`);
}

type Paths = Readonly<Record<string, string>>;

/** Pictures of what a new collector shows once it received something. */
async function picture(browser: Browser, notify: (url: string) => Promise<Paths>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-pictures-"));
  await remember(join(dataDir, "memory"));
  const [child, url] = await startCollector(dataDir);
  try {
    const paths = await notify(url);
    await judged(url);
    const shots: readonly Shot[] = Object.entries(paths).flatMap(([page, path]) =>
      (["light", "dark"] as const).flatMap((theme) => [
        { name: `${page}-wide-${theme}`, path, width: 1440, height: 900, theme },
        { name: `${page}-narrow-${theme}`, path, width: 390, height: 844, theme },
      ]),
    );
    for (const shot of shots) await photograph(browser, url, shot);
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function afternoon(url: string): Promise<Paths> {
  const turns = await sendStory(url, { endMs: Date.now() });
  const rootAt = (fromEnd: number): string => turns.at(-fromEnd)?.[0]?.traceId ?? "";
  const compare = new URLSearchParams({
    agent_id: "briefing-writer",
    baseline_root: rootAt(1),
    candidate_root: rootAt(21),
  });
  return {
    turns: "/traces",
    turn: `/traces/${rootAt(1)}`,
    compare: `/traces/compare?${compare}`,
    health: "/traces/health",
  };
}

const shopper = "usr_amara";

/** Fills the memory of one tenant, as the order desk would while it runs. */
async function remember(directory: string): Promise<void> {
  const { memory } = await filesystem({ directory });
  const { agentId } = orderDesk;
  for (let thread = 0; thread < 6; thread += 1) {
    const place = { userId: shopper, agentId, memoryId: "m-desk", threadId: `thr-${thread}` };
    const turnId = `turn-${thread}`;
    await new Conversation(memory).append(place, [
      { role: "user", text: "Where is my parcel?", turnId },
      { role: "assistant", text: "It arrives tomorrow.", turnId },
    ]);
    for (let call = 0; call <= thread % 3; call += 1) {
      await new ToolLog(memory).record(place, {
        turnId,
        callId: `call-${thread}-${call}`,
        toolName: "lookup_order",
        input: { order: thread },
        result: "on its way",
        outcome: "success",
        durationMs: 40,
      });
    }
  }
}

/** Proposes recommendations and accepts one, so that its draft is on the page as well. */
async function learn(url: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  };
  await post("/traces/recommendations", { agent_id: orderDesk.agentId });
  const listed = await fetch(`${url}/learning.json`);
  const { recommendations } = (await listed.json()) as {
    readonly recommendations: readonly { readonly recommendation_id: string }[];
  };
  const id = encodeURIComponent(recommendations[0]?.recommendation_id ?? "");
  const decision = { decision: "accepted", note: "worth a try" };
  await post(`/traces/recommendations/${id}/review`, decision);
}

async function week(url: string): Promise<Paths> {
  await sendWeek({ endpoint: url, endMs: Date.now(), turns: weekTurns, seed: "pictures" });
  await judged(url);
  await learn(url);
  const release = (name: string): string => `agent:${orderDesk.agentId} release:${name}`;
  const sides = new URLSearchParams({ baseline: release("3.2.0"), candidate: release("3.3.0") });
  return {
    gate: `/traces/compare/gate?${sides}`,
    thread: `/threads/${parcelThread}`,
    learning: "/learning",
    memory: `/memory?user_id=${shopper}`,
    settings: "/settings",
    agent: `/agents/${orderDesk.agentId}`,
    agents: "/agents",
    graph: "/graph",
    threads: "/threads",
    tools: "/tools",
    cost: "/cost",
    incidents: "/traces/incidents",
    releases: "/traces/compare/releases",
    find: "/traces/find",
    alerts: "/alerts",
  };
}

const browser = await chromium.launch({
  ...launchOptions,
  args: [...launchOptions.args, "--font-render-hinting=none"],
});
try {
  await picture(browser, afternoon);
  await picture(browser, week);
} finally {
  await browser.close();
}
