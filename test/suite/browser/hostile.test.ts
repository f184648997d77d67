/**
 * @module Strings of markup and script in every field of an event, written into the store without
 * the receiver: they stay text on every page.
 */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import { registryRows } from "@turnproof/semconv";

import { drawn } from "./browser.ts";
import { pageReady } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

const hostile = [
  `<img src=x onerror="window.pwned=1">`,
  `"><script>window.pwned=1</script>`,
  `'-window.pwned=1-'`,
  `javascript:window.pwned=1`,
  `</title><svg onload=window.pwned=1>`,
  `{{constructor.constructor("window.pwned=1")()}}`,
  `<x class="hostile">`,
];
const root = "7".repeat(32);

function attributesOf(text: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { slot, event, type } of registryRows) {
    if (slot !== "attributes") continue;
    if (type === "string") values[event] = text;
    else if (type === "string[]") values[event] = [text];
  }
  return values;
}

function events(): TurnEvent[] {
  const kinds = ["turn", "model_call", "tool_call", "context_binding", "cache_decision"] as const;
  const more = ["intent", "artifact", "contract", "delivery", "outcome", "memory_supply"] as const;
  return hostile.flatMap((text, at) =>
    [...kinds, ...more].map((kind, index) => ({
      schema_version: 3,
      event_id: `${text}:${at}:${index}`,
      event_kind: kind,
      operation: text,
      phase: "result" as const,
      status: "error" as const,
      timestamp: `2026-11-21T14:0${at}:0${index % 10}.000Z`,
      duration_ms: 5,
      span_id: `${text}${index}`,
      parent_span_id: `${text}0`,
      caused_by_event_id: text,
      task_id: text,
      application_id: text,
      agent_id: text,
      user_id: text,
      memory_id: text,
      thread_id: text,
      run_id: text,
      turn_id: text,
      root_trace_id: root,
      input_refs: [{ resource_type: text, ref: text, version: text, role: text }],
      output_refs: [{ resource_type: text, ref: text }],
      selection_ledger: [
        { resource: { resource_type: text, ref: text }, selected: true, selection_reason: text },
      ],
      producer_id: text,
      component: text,
      attributes: attributesOf(text) as TurnEvent["attributes"],
      dropped: { [text]: 1 },
    })),
  );
}

const { visit } = openedSite({ put: events() });

const encoded = encodeURIComponent(hostile[0] ?? "");
const paths = [
  "/traces",
  `/traces?agent_id=${encoded}`,
  `/traces?q=${encoded}`,
  `/traces/${root}`,
  `/traces/${root}?turn_id=${encoded}`,
  `/traces/${encoded}`,
  "/traces/health",
  "/agents",
  "/threads",
  `/traces/find?id=${encoded}`,
];

test.each(paths)("%s", async (path) => {
  const page = await visit(path);
  await pageReady(page);
  if (path === `/traces/${root}`) await page.locator("body[data-ready]").waitFor();
  await drawn(page);
  // Every row of the waterfall shows its event once.
  for (const row of (await page.locator(".wf-row").all()).slice(0, 12)) await row.click();
  expect(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned)).toBe(
    undefined,
  );
  expect(await page.locator("img, iframe, .hostile, svg[onload], [onerror]").count()).toBe(0);
  expect(await page.locator("script:not([src])").count()).toBe(0);
  const links = await page
    .locator("a")
    .evaluateAll((nodes) =>
      nodes.map((node) => new URL(node.getAttribute("href") ?? "none:", node.baseURI).protocol),
    );
  expect(new Set(links)).toEqual(new Set(["http:"]));
});
