/** @module CompareTabs: the two pages that compare: two turns, and the turns of two releases. */
import type { FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

/** The tabs. */
export const CompareTabs: FC<{ readonly frame: Frame; readonly here: "turns" | "releases" }> = ({
  frame,
  here,
}) => (
  <Tabs
    label="Compare"
    tabs={[
      { name: "Two turns", href: rangedHref(frame, "/traces/compare"), here: here === "turns" },
      {
        name: "Two releases",
        href: rangedHref(frame, "/traces/compare/releases"),
        here: here === "releases",
      },
    ]}
  />
);
