/**
 * @module Ids of agents, threads and roots whose characters the edge refuses in a path: every link
 * of a page to them opens, and so does the JSON of each.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

/** Kept as they are by every backend; others are keyed before they are stored. */
const kept = ["acme/desk", "v1..2", "x.json", "~2F", "plain"];
const ids = [...kept, "a\\b;c", "50%", "..", ".", "a#b?c"];

const { site, visit } = openedSite({
  put: ids.flatMap((id, n) => {
    const at = new Date(Date.now() - n * 60_000).toISOString();
    return turnEvents({ root: `r:${id}`, at, user: "ann", agent: id, thread: `t${id}` });
  }),
});

test.each([
  ["/agents", "tbody a[data-row]", "agent", kept],
  ["/threads", "tbody a[data-row]", "thread", kept.map((id) => `t${id}`)],
  ["/traces", "tbody a[href*='/traces/r']", "root", kept.map((id) => `r:${id}`)],
] as const)("each link of %s opens, and its JSON has the id", async (path, links, what, all) => {
  const page = await visit(path);
  const hrefs = await page
    .locator(links)
    .evaluateAll((nodes) => [...new Set(nodes.map((node) => (node as HTMLAnchorElement).href))]);
  const found: unknown[] = [];
  for (const href of hrefs) {
    const response = await page.goto(href);
    expect([href, response?.status()]).toEqual([href, 200]);
    const twin = await page.locator("html").getAttribute("data-twin");
    const model = (await (await fetch(`${site.url}${twin ?? ""}`)).json()) as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
    found.push(what === "root" ? model["root_trace_id"] : model[what]?.[`${what}_id`]);
  }
  expect(new Set(found).size).toBe(ids.length);
  expect(found).toEqual(expect.arrayContaining([...all]));
});

test("from a turn to its thread and its agent, and back", async () => {
  const page = await visit("/threads");
  await page.getByRole("link", { name: "tacme/desk", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /tacme\/desk/ }).waitFor();
  await page.locator("main a[href*='/agents/acme~2Fdesk']").first().click();
  await page.getByRole("heading", { level: 1, name: /acme\/desk/ }).waitFor();
});

test("a browser reads a refused path as a page", async () => {
  const accept = "text/html,application/xhtml+xml";
  const page = await fetch(`${site.url}/agents/acme%2Fdesk`, { headers: { accept } });
  expect([page.status, page.headers.get("content-type")]).toEqual([
    400,
    "text/html; charset=UTF-8",
  ]);
  expect(await page.text()).toContain("<h1>Bad Request</h1><p>The path is not in canonical form.");
  const json = await fetch(`${site.url}/agents/acme%2Fdesk`);
  expect(await json.json()).toMatchObject({ code: "path_refused" });
});
