/**
 * @module The waterfall as assistive technology is given it: the accessibility tree that Chromium
 * computes, not the markup that we meant.
 */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { openedSite } from "./opened-site.ts";

const longRoot = "e".repeat(32);
const longSize = 400;

/** A turn with many calls, of which few are in sight at once. */
function longTrace(): readonly TurnEvent[] {
  const [turn] = brokenTrace;
  if (turn === undefined) throw new Error("no turn");
  return Array.from({ length: longSize }, (_, index): TurnEvent => {
    const own = { event_id: `e-${index}:result`, span_id: `e-${index}`, root_trace_id: longRoot };
    if (index === 0) return { ...turn, ...own };
    const at = new Date(Date.parse(turn.started_at ?? "") + index * 10).toISOString();
    const call = { operation: `call ${index}`, event_kind: "application_action" } as const;
    const when = { started_at: at, timestamp: at, duration_ms: 5 };
    return { ...turn, ...own, ...call, ...when, parent_span_id: "e-0" };
  });
}

const { visit } = openedSite({ put: [...brokenTrace, ...longTrace()] });

/** One element in the tree. */
interface Reported {
  readonly role: string;
  readonly name: string;
  /** Properties of the tree, and those attributes of the element that the tree leaves out. */
  readonly level?: unknown;
  readonly expanded?: unknown;
  readonly place: string;
}

/** Everything inside the tree grid that is not ignored, in the order of the tree. */
async function reported(page: Page): Promise<readonly Reported[]> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Accessibility.enable");
  await tools.send("DOM.enable");
  await tools.send("DOM.getDocument");
  const { nodes } = await tools.send("Accessibility.getFullAXTree");
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const found: Reported[] = [];
  const waiting = nodes.filter(({ role }) => role?.value === "treegrid");
  expect(waiting).toHaveLength(1);
  while (waiting.length > 0) {
    const node = waiting.shift();
    if (node === undefined) break;
    waiting.unshift(...(node.childIds ?? []).flatMap((id) => byId.get(id) ?? []));
    if (node.ignored || !/^(treegrid|row|rowheader|gridcell)$/.test(String(node.role?.value))) {
      continue;
    }
    const property = (name: string): unknown =>
      node.properties?.find((one) => one.name === name)?.value.value;
    const { backendDOMNodeId: backendNodeId } = node;
    if (backendNodeId === undefined) throw new Error("a role without an element");
    const { node: element } = await tools.send("DOM.describeNode", { backendNodeId });
    const attribute = (name: string): string => {
      const all = element.attributes ?? [];
      return all[all.indexOf(name) + 1] ?? "";
    };
    found.push({
      role: String(node.role?.value),
      name: String(node.name?.value ?? ""),
      level: property("level"),
      expanded: property("expanded"),
      place:
        attribute("role") === "row" && (element.attributes ?? []).includes("aria-setsize")
          ? `${attribute("aria-posinset")}/${attribute("aria-setsize")}`
          : "",
    });
  }
  await tools.detach();
  return found;
}

test("each row says its level, its place, whether it is open, and all that it shows", async () => {
  const page = await visit(`/traces/${brokenRoot}`);
  await page.locator("body[data-ready]").waitFor();
  const [grid, head, ...rest] = await reported(page);
  expect(grid).toMatchObject({ role: "treegrid", name: "Causal waterfall of briefing-writer" });
  expect(head).toMatchObject({ role: "row", name: "What Duration Time from the start" });
  const rows = rest.filter(({ role }) => role === "row");
  expect(
    rows.map(({ name, level, expanded, place }) => [level, place, expanded ?? "leaf", name]),
  ).toEqual([
    [1, "1/4", true, "turn, success, 9 s"],
    [2, "1/4", "leaf", "search, tool call, success, 1.3 s, clock skew"],
    [2, "2/4", "leaf", "effect, application action, success, 200 ms, missing cause"],
    [2, "3/4", "leaf", "atlas-large-2, model call, started, unknown duration, no end"],
    [2, "4/4", "leaf", "late, tool call, error, 300 ms, finding P1"],
    [1, "2/4", true, "missing parent feedfacecafebeef, never recorded, unknown duration"],
    [2, "1/2", "leaf", "first_orphan, application action, success, 300 ms"],
    [2, "2/2", "leaf", "second_orphan, application action, success, 180 ms"],
    [1, "3/4", true, "ring_b, application action, success, 100 ms, cycle"],
    [2, "1/1", "leaf", "ring_a, application action, success, 200 ms, cycle"],
    [1, "4/4", "leaf", "worker, application action, success, 200 ms, remote parent"],
  ]);
  const cells = rest.filter(({ role }) => role !== "row");
  expect(cells.filter(({ role }) => role === "rowheader")).toHaveLength(rows.length);
  expect(cells.filter(({ role }) => role === "gridcell")).toHaveLength(rows.length * 2);
  expect(cells.filter(({ name }) => name === "unknown duration")).toHaveLength(2);
  await page.locator("#row-0").focus();
  await page.keyboard.press("ArrowLeft");
  const closed = (await reported(page)).filter(({ role }) => role === "row")[1];
  expect(closed).toMatchObject({ expanded: false, name: "turn, success, 9 s, 4 rows hidden" });
});

test("rows are read in their order wherever the grid was scrolled to", async () => {
  const page = await visit(`/traces/${longRoot}`);
  await page.locator("body[data-ready]").waitFor();
  await page.locator("#row-0").focus();
  for (const key of ["End", "PageUp", "PageUp", "k", "PageUp", "Home", "PageDown", "PageUp"]) {
    await page.keyboard.press(key);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const order = await page
      .locator(".wf-row")
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("aria-rowindex"))));
    expect(order.length).toBeLessThan(longSize);
    expect(order, key).toEqual(order.toSorted((a, b) => a - b));
  }
  const names = (await reported(page))
    .filter(({ role, place }) => role === "row" && place !== "")
    .map(({ place }) => Number.parseInt(place, 10));
  expect(names.length).toBeGreaterThan(10);
  expect(names).toEqual([1, ...names.slice(1).toSorted((a, b) => a - b)]);
});
