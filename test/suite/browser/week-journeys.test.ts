/**
 * @module The three journeys on an unseen week, by keyboard alone and with the
 * strokes counted: a customer who got nothing, what changed with a release, whether telemetry is
 * being lost. Each within a minute, from the home.
 */
import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "playwright-core";

import type { IncidentsModel } from "../../../collector/src/pages/incidents/route.ts";
import { incidentsMax } from "../../../collector/src/turns/incidents.ts";
import { orderDesk } from "../../apps/week/cast.ts";
import { parcelThread } from "../../apps/week/incidents.ts";
import { turnsShown } from "../../../collector/src/ui/display/list-columns.ts";
import { sendWeek } from "../../apps/week/week.ts";
import type { Week } from "../../apps/week/week.ts";
import { listReady } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

const turns = Number(process.env["TURNPROOF_TEST_WEEK_TURNS"] ?? 240);
const journeyMsMax = 60_000;
const elementsMax = 1_500;

let week: Week;

const { site, visit } = openedSite();

beforeAll(async () => {
  week = await sendWeek({ endpoint: site.url, endMs: Date.now(), turns, seed: "journeys" });
  const judged = [week.last, ...Object.values(week.found)].map(({ root }) => root);
  await vi.waitFor(
    async () => {
      for (const root of judged) {
        const answer = await fetch(`${site.url}/traces/turns.json?root_trace_id=${root}`);
        const { items } = (await answer.json()) as {
          readonly items: readonly { readonly verdict: string | null }[];
        };
        if (items.length === 0 || items.some(({ verdict }) => verdict === null)) {
          throw new Error("the judge has not looked at everything yet");
        }
      }
    },
    { timeout: 150_000, interval: 500 },
  );
}, 240_000);

/** A keyboard that counts what is pressed on it. */
class Keyboard {
  strokes = 0;
  readonly #page: Page;
  readonly #began = performance.now();

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.strokes += 1;
      await this.#page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.strokes += text.length;
    await this.#page.keyboard.type(text);
  }

  /** Presses a key that leads to another page. */
  async go(to: RegExp, ...keys: readonly string[]): Promise<void> {
    await Promise.all([this.#page.waitForURL(to), this.press(...keys)]);
    await this.#page.waitForLoadState("load");
  }

  end(journey: string, strokesMax: number): void {
    const tookMs = performance.now() - this.#began;
    console.log(`${journey}: ${this.strokes} strokes, ${Math.round(tookMs)} ms`);
    expect(this.strokes).toBeLessThanOrEqual(strokesMax);
    expect(tookMs).toBeLessThan(journeyMsMax);
  }
}

test("the week holds what it says it holds", async () => {
  expect(week.turns).toBe(turns);
  expect(week.unplanned).toBe(0);
  expect(week.lossy.lost).toBeGreaterThan(0);
  const of = async (root: string): Promise<{ status: string; codes: readonly string[] }> => {
    const answer = await fetch(`${site.url}/traces/${root}.json`);
    const { verdict } = (await answer.json()) as {
      readonly verdict: { status: string; findings: readonly { code: string }[] };
    };
    return { status: verdict.status, codes: verdict.findings.map(({ code }) => code) };
  };
  const { found } = week;
  expect((await of(found.undelivered.root)).codes).toContain("delivery_unconfirmed");
  expect((await of(found.ownership.root)).codes).toContain("artifact_ownership_unverified");
  expect((await of(found.clock.root)).codes).toContain("clock_conflict");
  expect((await of(found.before_release.root)).status).toBe("success");
  expect((await of(found.after_release.root)).status).toBe("success");
  expect((await of(found.crashed.root)).status).not.toBe("success");
  expect((await of(found.stale.root)).codes).toContain("artifact_source_mismatch");
  const { fromMs, toMs } = week.incidents.storm;
  const storm = new URLSearchParams({
    agent_id: orderDesk.agentId,
    start_time: new Date(fromMs).toISOString(),
    end_time: new Date(toMs).toISOString(),
  });
  const answer = await fetch(`${site.url}/traces/turns.json?${storm}`);
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly tools: { readonly fallback: number } }[];
  };
  expect(items.filter(({ tools }) => tools.fallback > 0).length).toBeGreaterThan(2);
});

test("each incident of the guide that has turns has a row among the incidents", async () => {
  const json = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${site.url}${path}`)).json()) as T;
  const { items, incidents } = await json<IncidentsModel>("/traces/incidents.json");
  expect(items).toHaveLength(Math.min(incidents, incidentsMax));
  const causeOf = async (root: string): Promise<readonly (string | null)[]> => {
    const named: (string | null)[] = [];
    for (const { q, name } of items) {
      const query = new URLSearchParams({ q: q ?? "", root_trace_id: root });
      const found = await json<{ items: unknown[] }>(`/traces/turns.json?${query}`);
      if (found.items.length > 0) named.push(name);
    }
    return named;
  };
  const { found } = week;
  expect(await causeOf(found.undelivered.root)).toContain("delivery_unconfirmed");
  expect((await causeOf(found.ownership.root)).join()).toContain("ownership_unverified");
  expect(await causeOf(found.stale.root)).toContain("artifact_source_mismatch");
  expect(await causeOf(found.crashed.root)).toContain("turn_open");
  expect(await causeOf(found.clock.root)).toContain("clock_conflict");
  const { fromMs, toMs } = week.incidents.storm;
  const storm = items.find(
    ({ kind, name, agent_id: agent, first_at: first, last_at: last }) =>
      kind === "limited_call" &&
      name === "search_policies" &&
      agent === orderDesk.agentId &&
      Date.parse(first) < toMs &&
      Date.parse(last) >= fromMs,
  );
  expect(storm).toMatchObject({ scattered: false });
  expect(storm?.turns).toBeGreaterThan(2);
});

test("the whole week stands in the histogram of the home", async () => {
  const page = await visit("/traces?limit=50");
  await page.locator("[data-readout]", { hasText: "in all" }).waitFor();
  expect(await page.locator("[data-rows] tr").count()).toBeLessThan(turns);
  const [from, to] = await page
    .locator("[data-histogram]")
    .evaluate((figure: HTMLElement) => [
      Number(figure.dataset["from"]),
      Number(figure.dataset["to"]),
    ]);
  expect((to ?? 0) - (from ?? 0)).toBeGreaterThan(5 * 86_400_000);
});

test("a page of turns has few elements, however many turns there are", async () => {
  const elements = (page: Page): Promise<number> => page.locator("*").count();
  const home = await visit("/traces");
  await home.locator("[data-readout]", { hasText: "in all" }).waitFor();
  await home.locator("[data-facet-extent]", { hasText: /\d turns/ }).waitFor();
  expect(await home.locator("[data-rows] tr").count()).toBe(turnsShown);
  expect(await elements(home)).toBeLessThanOrEqual(elementsMax);
  // What a facet does not show at first is shown by its button.
  const tenants = home.locator('[data-facet="user"]');
  const before = await tenants.locator("li").count();
  await tenants.getByRole("button", { name: /^Show \d+ more$/ }).press("Enter");
  expect(await tenants.locator("li").count()).toBeGreaterThan(before);
  expect(await tenants.locator("li").nth(before).locator("a:focus").count()).toBe(1);
  const [first] = await rowsOf(home);
  // The foot leads on, and has larger pages.
  await Promise.all([home.waitForURL(/cursor=/), home.locator("[data-older]").click()]);
  expect(await rowsOf(home)).not.toContain(first);
  // The page before this one is one link away, as far back as the reader came.
  const second = home.url();
  await Promise.all([
    home.waitForURL((url) => url.href !== second),
    home.locator("[data-older]").click(),
  ]);
  await Promise.all([home.waitForURL(second), home.locator("[data-newer]").click()]);
  await home.locator("[data-newer]").click();
  await home.waitForURL((url) => !url.searchParams.has("cursor"));
  expect((await rowsOf(home))[0]).toBe(first);
  expect(await home.locator("[data-newer]").count()).toBe(0);
  await Promise.all([
    home.waitForURL(/limit=250/),
    home.getByRole("link", { name: "250", exact: true }).click(),
  ]);
  expect(new URL(home.url()).searchParams.has("cursor")).toBe(false);
  expect((await rowsOf(home)).length).toBeGreaterThan(2 * turnsShown);
  const agent = await visit(`/agents/${orderDesk.agentId}`);
  await agent.locator("[data-trend-extent]", { hasText: /^All / }).waitFor();
  expect(await elements(agent)).toBeLessThanOrEqual(elementsMax);
  for (const path of ["/traces?chart=duration", "/threads", "/threads/thr_maren_1"]) {
    const other = await visit(path);
    await other.locator("main tbody tr").first().waitFor();
    if (path.includes("chart")) {
      await other.locator("[data-readout]", { hasText: "in all" }).waitFor();
    }
    expect(await elements(other), path).toBeLessThanOrEqual(elementsMax);
  }
  await Promise.all([
    agent.waitForURL(/\/traces\?agent_id=/),
    agent.getByRole("link", { name: "All turns" }).click(),
  ]);
  expect(await agent.locator("[data-rows] tr").count()).toBe(turnsShown);
});

test.each([900, 1440])("at %i px the word for lost evidence is whole", async (width) => {
  const page = await visit("/traces?q=verdict:partial+-has:finding", { width, theme: "light" });
  const word = page.locator("td.c-findings .incomplete");
  await word.first().waitFor();
  const cut = await page
    .locator("td.c-findings")
    .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
  expect(cut).toBe(0);
});

/** Keys of the rows of a list. */
function rowsOf(page: Page): Promise<readonly (string | null)[]> {
  return page
    .locator("tr[data-key]")
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-key")));
}

test("thread T's customer got nothing: find it, open it, read why", async () => {
  const page = await visit("/traces?sort=ended_at");
  await listReady(page);
  const keyboard = new Keyboard(page);
  await keyboard.press("/");
  await keyboard.type(`thread:${parcelThread} `);
  await keyboard.go(/thread_id=/, "Enter");
  await listReady(page);
  expect(new URL(page.url()).searchParams.get("sort")).toBe("ended_at");
  // Three turns; the one that is no success shows it in its row.
  const rows = page.locator("[data-rows] tr");
  expect(await rows.count()).toBe(3);
  expect(await rows.first().innerText()).toMatch(/partial/);
  await keyboard.press("j");
  await keyboard.go(/\/traces\/[0-9a-f]{32}/, "Enter");
  await page.locator("body[data-ready]").waitFor();
  expect(page.url()).toContain(week.found.undelivered.root);
  const sentence = await page.locator(".verdict .sentence").innerText();
  expect(sentence).toMatch(/acknowledged|receipt|confirmed/i);
  await keyboard.press("]");
  const event = await page.evaluate(() => document.activeElement?.getAttribute("data-event") ?? "");
  expect(event).not.toBe("");
  expect(await page.locator("[data-panel-body]").innerText()).toContain("chat_window");
  keyboard.end("got nothing", 34);
});

test("what changed with the release: two turns of one thread, what differs, what is open", async () => {
  const page = await visit("/traces");
  await listReady(page);
  const keyboard = new Keyboard(page);
  await keyboard.press("/");
  await keyboard.type("thread:thr_maren_1 ");
  await keyboard.go(/thread_id=/, "Enter");
  await listReady(page);
  await keyboard.press("j", "m", "j", "m");
  await page.locator("[data-marks]").waitFor();
  await keyboard.go(/\/traces\/compare\?/, "c");
  const query = new URL(page.url()).searchParams;
  expect(query.get("agent_id")).toBe(orderDesk.agentId);
  expect(query.get("baseline_root")).toBe(week.found.before_release.root);
  expect(query.get("candidate_root")).toBe(week.found.after_release.root);
  const words = await page.locator("main").innerText();
  expect(words).toContain("gpt-4o-mini");
  expect(words).toContain("gpt-4.1-mini");
  await page.locator("body[data-ready]").waitFor();
  await keyboard.press("n");
  await page.waitForFunction(() => document.activeElement?.id === "not-established");
  keyboard.end("what changed", 30);
});

test("what changed with the release, from the agent that it was released for", async () => {
  const page = await visit("/traces");
  await listReady(page);
  const keyboard = new Keyboard(page);
  await keyboard.go(/\/agents$/, "g", "a");
  const row = page.locator("[data-row]", { hasText: orderDesk.agentId });
  const at = await row.evaluate((link) =>
    [...document.querySelectorAll("[data-row]")].indexOf(link),
  );
  await keyboard.press(...Array.from({ length: at + 1 }, () => "j"));
  await keyboard.go(/\/agents\/order-desk/, "Enter");
  await page.locator("[data-trend-extent]", { hasText: "All" }).waitFor();
  const releases = page.locator("[data-releases] tbody tr");
  expect(await releases.allInnerTexts()).toEqual([
    expect.stringMatching(/^3\.2\.0\b/),
    expect.stringMatching(/^3\.3\.0\b[\s\S]*with 3\.2\.0/),
  ]);
  await keyboard.press("r");
  await keyboard.go(/\/compare\/releases\?/, "Enter");
  expect(await page.locator("#changed").innerText()).toContain("gpt-4.1-mini 0 % →");
  await page.locator("[data-switch=theme]").waitFor();
  await keyboard.press("j");
  await keyboard.go(/baseline_root=/, "Enter");
  const words = await page.locator("main").innerText();
  expect(words).toContain("gpt-4o-mini");
  expect(words).toContain("gpt-4.1-mini");
  keyboard.end("what changed, from the agent", 12);
});

test("are we losing telemetry: health, producer, number", async () => {
  const page = await visit("/traces");
  await listReady(page);
  const keyboard = new Keyboard(page);
  await keyboard.go(/\/traces\/health/, "g", "h");
  const { producer, lost } = week.lossy;
  const losses = page.locator("#losses");
  expect(await losses.locator(".answer").innerText()).toBe(
    `Yes: ${lost} events are known to be lost.`,
  );
  const row = losses.locator("tbody tr").first();
  expect(await row.innerText()).toContain(producer.slice(0, 8));
  expect(await row.innerText()).toMatch(new RegExp(`known ${lost}\\b`));
  keyboard.end("losing telemetry", 2);
});

test("a head orders the list of the whole history", async () => {
  const page = await visit("/traces?limit=50");
  await listReady(page);
  const durations = async (): Promise<readonly string[]> =>
    page.locator("[data-rows] td.c-duration .duration").allInnerTexts();
  const byReceipt = await durations();
  const head = page.locator("th.c-duration");
  for (const wanted of ["descending", "ascending", null]) {
    await head.locator("a").click();
    await listReady(page);
    expect(await head.getAttribute("aria-sort")).toBe(wanted);
  }
  expect(await durations()).toEqual(byReceipt);
  await head.locator("a").click();
  await listReady(page);
  const longest = (await durations())[0];
  const answer = await fetch(`${site.url}/traces/turns.json?limit=1000`);
  const { items } = (await answer.json()) as {
    readonly items: readonly { readonly duration_ms: number | null }[];
  };
  const most = Math.max(...items.map(({ duration_ms: ms }) => ms ?? 0));
  const requested = await fetch(`${site.url}/traces/turns.json?sort=duration_ms&limit=10`);
  const [first] = ((await requested.json()) as { readonly items: typeof items }).items;
  expect(first?.duration_ms).toBe(most);
  expect(longest).toMatch(/m|s/);
});
