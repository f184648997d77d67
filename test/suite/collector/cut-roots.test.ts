/**
 * Insights of an agent or a thread rest on the events of whole roots: where one was not read whole,
 * the window shows it, although every turn is counted.
 */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

interface Page {
  readonly turns_counted: number;
  readonly window_complete: boolean;
}

/** A store whose reads of a root end after two events, as they do at their bound. */
function brief(): EvidenceStore {
  const store = ephemeral();
  return {
    ...store,
    roots: (scope, roots, options) => store.roots(scope, roots, { ...options, limit: 2 }),
    root: (scope, root, options) => store.root(scope, root, { ...options, limit: 2 }),
  };
}

test.each(["/agents/helper.json", "/threads/thread-1.json"])("%s", async (path) => {
  const request = async (store: EvidenceStore): Promise<Page> => {
    const desk = await openDesk({}, { store, judge: false });
    await desk.put(turnEvents({ root: "root-1" }));
    const { turns_counted, window_complete } = await desk.json<Page>(path);
    await desk.collector.close();
    return { turns_counted, window_complete };
  };
  expect(await request(ephemeral())).toEqual({ turns_counted: 1, window_complete: true });
  expect(await request(brief())).toEqual({ turns_counted: 1, window_complete: false });
});
