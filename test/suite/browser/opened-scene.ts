/** @module The sites of the scene for the tests of a file, and the way to each state of a page. */
import type { Page } from "playwright-core";

import type { Look } from "./browser.ts";
import { openedForFile, signIn, wide } from "./opened-site.ts";
import type { Visiting } from "./opened-site.ts";
import type { State } from "./page-states.ts";
import { openScene, tokens } from "./scene.ts";
import type { Scene } from "./scene.ts";

/** A status that a state is about is repeated by the console, as an error of ours is not. */
const statedByStatus = /status of [45]\d\d/;

let shared: Promise<Scene> | undefined;

/** The scene of this worker: its files read it and change nothing that another one reads. */
async function workersScene(): Promise<Scene> {
  const scene = await (shared ??= openScene());
  return { ...scene, close: () => Promise.resolve() };
}

/** The scene for all tests of a file; what names no site is visited on the one with evidence. */
export function openedScene(): {
  readonly scene: Scene;
  readonly visit: Visiting;
  /** Opens a state as far as its address goes, signed in where the state needs a user. */
  readonly visitState: (state: State, look?: Look) => Promise<Page>;
} {
  const { opened: scene, visit } = openedForFile(workersScene, ({ site }) => site);
  return {
    scene,
    visit,
    visitState: async (state, look = wide) => {
      const { on, path } = state.at(scene);
      const first = state.as === undefined ? path : "/login";
      const page = await visit(first, look, { on, excused: statedByStatus });
      if (state.as === undefined) return page;
      await signIn(page, tokens[state.as]);
      await page.goto(`${on.url}${path}`, { waitUntil: "load" });
      return page;
    },
  };
}
