/** @module AgentTabs: the agents as a list, and as a graph of what they use. */
import type { FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

/** The tabs. */
export const AgentTabs: FC<{ readonly frame: Frame; readonly here: "list" | "graph" }> = ({
  frame,
  here,
}) => (
  <Tabs
    label="Agents"
    tabs={[
      { name: "List", href: rangedHref(frame, "/agents"), here: here === "list" },
      { name: "Graph", href: rangedHref(frame, "/graph"), here: here === "graph" },
    ]}
  />
);
