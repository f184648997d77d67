/**
 * @module Learning as an operator does it: proposing, accepting, deferring and rejecting by the
 * page's own buttons, in a session, with and without script (requirements: States and transitions).
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Locator, Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { axeViolations, relook, sidewaysOverflow } from "./browser.ts";
import { openedSite, signIn } from "./opened-site.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";

/** A turn with three insights: its tools fail, no supply is recorded, and no usage. */
function troubled(agent: string): TurnEvent[] {
  const root = `${agent}-root`;
  const at = new Date().toISOString();
  const [turn, model, tool] = turnEvents({ root, agent, user: "usr_bo", at });
  if (turn === undefined || model === undefined || tool === undefined) {
    throw new Error("a desk's turn has a model call and a tool call");
  }
  const failures = [0, 1, 2, 3].map((place) => ({
    ...tool,
    event_id: `${root}-tool-${place}:result`,
    span_id: `${root}-tool-${place}`,
    status: "error" as const,
    attributes: { tool_name: "search", tool_outcome: "error" as const },
  }));
  return [turn, { ...model, attributes: { model: "small-1" } }, ...failures];
}

const long = Array.from({ length: 30 }, (_, place) => `tool_with_quite_a_long_name_${place}`);

/** Two rows of tools, each run in two threads: one that is short and one that is not. */
function habitual(agent: string): TurnEvent[] {
  const at = new Date().toISOString();
  return [["search", "write"], long].flatMap((tools, row) =>
    [1, 2].flatMap((each) => {
      const root = `${agent}-${row}-${each}`;
      const [turn, , tool] = turnEvents({ root, agent, thread: `thr_${row}_${each}`, at });
      if (turn === undefined || tool === undefined)
        throw new Error("a desk's turn has a tool call");
      const calls = tools.map((tool_name, place) => ({
        ...tool,
        event_id: `${root}-tool-${place}:result`,
        span_id: `${root}-tool-${place}`,
        timestamp: new Date(Date.parse(at) + place).toISOString(),
        attributes: { tool_name, tool_outcome: "success" as const },
      }));
      return [turn, ...calls];
    }),
  );
}

const ways = [
  { name: "with script", script: true, agent: "scripted-agent" },
  { name: "without script", script: false, agent: "plain-agent" },
] as const;

const { site, visit } = openedSite({
  env: { TURNPROOF_UI_ACCOUNTS: JSON.stringify({ otto: { token, role: "operator" } }) },
});

beforeAll(async () => {
  for (const { agent } of ways) await site.put(troubled(agent));
  await site.put(habitual("habit-agent"));
});

async function signedIn(script: boolean): Promise<Page> {
  const page = await visit("/login", { width: 390, theme: "light", script });
  await signIn(page, token);
  return page;
}

describe.each(ways)("$name", ({ script, agent }) => {
  const address = `/learning?agent_id=${agent}`;
  const item = (page: Page, title: string): Locator =>
    page.locator(".recommendations > li").filter({ hasText: agent }).filter({ hasText: title });
  const inState = (page: Page, title: string, state: string): Promise<void> =>
    item(page, title).locator(".badge").getByText(state, { exact: true }).waitFor();
  const decide = (page: Page, title: string, word: string): Promise<void> =>
    item(page, title).getByRole("button", { name: word, exact: true }).click();

  test("every decision is made by the page's own buttons, and stands after it", async () => {
    const page = await signedIn(script);
    await page.goto(`${site.url}/learning`);
    await page.locator("form.propose input[name=agent_id]").fill(agent);
    await page.getByRole("button", { name: "Propose" }).click();
    for (const title of ["Tools fail", "Memory supply missing", "Model usage missing"]) {
      await inState(page, title, "proposed");
    }
    await decide(page, "Memory supply missing", "Defer");
    await inState(page, "Memory supply missing", "deferred");
    await decide(page, "Memory supply missing", "Reject");
    await inState(page, "Memory supply missing", "rejected");
    expect(await item(page, "Memory supply missing").locator("form button").count()).toBe(0);

    // Two more readers have the same page open before the decision falls.
    const [late, again] = [await page.context().newPage(), await page.context().newPage()];
    for (const each of [late, again]) await each.goto(`${site.url}${address}`);
    await item(page, "Tools fail").locator("input[name=note]").fill("worth a try");
    await decide(page, "Tools fail", "Accept");
    await inState(page, "Tools fail", "accepted");
    expect(await item(page, "Tools fail").innerText()).toMatch(/A note is kept/);
    await seesTheDraft(page, item(page, "Tools fail"));

    // Accepting it once more gives the same draft; another decision is refused in words.
    await decide(again, "Tools fail", "Accept");
    await inState(again, "Tools fail", "accepted");
    await decide(late, "Tools fail", "Reject");
    await late.getByText("This revision was decided already").waitFor();
    const stated = await late.locator("main").innerText();
    expect(stated).toMatch(/recommendation_closed/);
    expect(stated).toMatch(/Decided already/);
    expect(await sidewaysOverflow(late)).toBe(0);
    if (script) expect(await axeViolations(late)).toEqual([]);
    await late.locator("main").getByRole("link", { name: "Learning" }).click();
    await late.waitForURL(/\/learning$/);

    await page.goto(`${site.url}${address}`);
    await inState(page, "Tools fail", "accepted");
    await inState(page, "Model usage missing", "proposed");
    await seesTheDraft(page, item(page, "Tools fail"));
    expect(await page.locator("ol.plan").count()).toBe(1);
    expect(await sidewaysOverflow(page)).toBe(0);
    if (script) expect(await axeViolations(page)).toEqual([]);
  });

  test("proposing from an agent that nobody knows is told so, with the way back", async () => {
    const page = await signedIn(script);
    await page.goto(`${site.url}/learning`);
    await page.locator("form.propose input[name=agent_id]").fill("nobody-at-all");
    await page.getByRole("button", { name: "Propose" }).click();
    await page.getByText("Not in the window that was read").waitFor();
    await page.locator("main").getByRole("link", { name: "Learning" }).click();
    await page.waitForURL(/\/learning$/);
  });
});

test("a recurring workflow is named by its tools, as an insight and as a recommendation", async () => {
  const page = await signedIn(true);
  const names = [
    "search → write",
    /\btool_with_quite_a_long_name_0 → tool_with_quite_a_long_name_1 → .*… \(30 tools, \w{8}\)$/,
  ];
  const inOrder = async (): Promise<void> => {
    for (const name of names) await page.locator("main code").getByText(name).waitFor();
    for (const width of [320, 390, 1440]) {
      await relook(page, { width, theme: "light" });
      expect(await sidewaysOverflow(page), `${width} px`).toBe(0);
    }
    expect(await axeViolations(page)).toEqual([]);
  };
  await page.goto(`${site.url}/agents/habit-agent`);
  const recurring = page.locator("#insights li b").getByText("Recurring workflow", { exact: true });
  expect(await recurring.count()).toBe(2);
  await inOrder();
  await page.goto(`${site.url}/learning`);
  await page.locator("form.propose input[name=agent_id]").fill("habit-agent");
  await page.getByRole("button", { name: "Propose" }).click();
  const items = page.locator(".recommendations > li").filter({ hasText: "Recurring workflow" });
  // Each workflow is a recommendation of its own, not a revision of the other's.
  await items.nth(1).waitFor();
  expect(await items.filter({ hasText: "revision 1" }).count()).toBe(2);
  await inOrder();
});

/** The link of an accepted recommendation leads to its one draft on the same page. */
async function seesTheDraft(page: Page, accepted: Locator): Promise<void> {
  const link = accepted.getByRole("link", { name: /:experiment:1$/ });
  const id = await link.innerText();
  await link.click();
  const draft = page.locator(`[id="${id}"]`);
  expect(await draft.count()).toBe(1);
  expect(await draft.evaluate((node) => node.matches(":target"))).toBe(true);
  const words = await draft.innerText();
  expect(words).toMatch(/draft[\s\S]*A change of the tool lifts the finding tool_failures\./);
  expect(await draft.locator("ol.plan > li").count()).toBe(4);
}
