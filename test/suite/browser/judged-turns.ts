/** @module Turns that arrived a moment ago, once the judge has come to them. */
import { vi } from "vitest";

import type { Site } from "./browser.ts";

interface Listed {
  readonly items: readonly { readonly root_trace_id: string }[];
}

/** Waits until at least so many turns are listed for a query; their roots, the newest first. */
export async function judgedRoots(
  site: Site,
  query: string,
  least: number,
): Promise<readonly string[]> {
  return vi.waitFor(
    async () => {
      const answer = await fetch(`${site.url}/traces/turns.json?${query}`);
      const { items } = (await answer.json()) as Listed;
      if (items.length < least) throw new Error("the judge has not looked yet");
      return items.map(({ root_trace_id: root }) => root);
    },
    { timeout: 90_000, interval: 250 },
  );
}
