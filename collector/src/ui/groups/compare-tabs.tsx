/** @module CompareTabs: the pages that compare: two turns, the turns of two releases, the gate. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

const pages = [
  ["turns", "Two turns", "/traces/compare"],
  ["releases", "Two releases", "/traces/compare/releases"],
  ["gate", "Gate", "/traces/compare/gate"],
] as const;

/** The tabs. */
export const CompareTabs: FC<{
  readonly context: PageContext;
  readonly here: "turns" | "releases" | "gate";
}> = ({ context, here }) => (
  <Tabs
    label="Compare"
    tabs={pages.map(([page, name, path]) => ({
      name,
      href: rangedHref(context, path),
      here: here === page,
      ranged: context.ranged.has(path),
    }))}
  />
);
