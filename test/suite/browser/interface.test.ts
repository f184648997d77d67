/**
 * @module The description of the interface as a page: a line for each route, one of them in full,
 * few nodes on either, and every operation by its id.
 */
import { beforeAll, expect, test } from "vitest";

import { openedSite } from "./opened-site.ts";

interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
}

const nodesMax = 1_500;
const { site, visit } = openedSite();
let operations: readonly { readonly id: string; readonly path: string }[];

beforeAll(async () => {
  const { paths } = (await (await fetch(`${site.url}/openapi.json`)).json()) as Api;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId: id }) => ({ id, path })),
  );
});

const shown = async (id: string): Promise<string> => {
  const headers = { accept: "text/html" };
  return (await fetch(`${site.url}/docs?operation=${id}`, { headers })).text();
};

test("the first view has few nodes, and an anchor for each operation", async () => {
  const page = await visit("/docs");
  expect(await page.locator("*").count()).toBeLessThanOrEqual(nodesMax);
  const anchors = await page.locator(".routes [id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(anchors.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

test("each operation, a twin's too, is shown in full with few nodes", async () => {
  expect(operations.length).toBeGreaterThan(100);
  for (const { id, path } of operations) {
    const html = await shown(id);
    const text = html.replaceAll(/<[^>]*>/g, "");
    expect([id, text.includes("Answers"), text.includes(path), text.includes(id)]).toEqual([
      id,
      true,
      true,
      true,
    ]);
    expect([id, (html.match(/<[a-z]/g) ?? []).length <= nodesMax]).toEqual([id, true]);
    expect([id, html.includes("data-left-out")]).toEqual([id, false]);
  }
});

test("an anchor leads to the line of its route, without script too, and the line to the whole", async () => {
  const look = { width: 390, theme: "dark", script: false } as const;
  const page = await visit("/docs#listEvents", look);
  const line = page.locator("a:has(:target), a:target");
  expect(await line.innerText()).toContain("/traces/events.json");
  expect(await line.evaluate((link) => link.getBoundingClientRect().top)).toBeLessThan(844);
  await line.click();
  await page.getByRole("heading", { name: "Answers" }).waitFor();
  await page.getByRole("link", { name: "All routes" }).click();
  expect(new URL(page.url()).pathname).toBe("/docs");
  await page.locator(".routes a:target").waitFor();
});

test("the JSON of the page is the whole description, whatever the page shows", async () => {
  for (const query of ["", "?operation=getDocs", "?operation=none", "?colour=red"]) {
    const page = await visit(`/docs${query}`);
    const twin = page.locator("link[rel=alternate]");
    expect([query, await twin.getAttribute("href")]).toEqual([query, "/openapi.json"]);
  }
});

test("an operation that is not described is marked on a page, and refused as JSON", async () => {
  const page = await visit("/docs?operation=none");
  expect(await page.locator("[data-left-out]").innerText()).toContain("operation=none");
  expect(await page.locator(".routes li").count()).toBeGreaterThan(100);
  const headers = { accept: "application/json" };
  const answer = await fetch(`${site.url}/docs?operation=none`, { headers });
  expect(await answer.json()).toMatchObject({ code: "parameter_invalid", field: "operation" });
});
