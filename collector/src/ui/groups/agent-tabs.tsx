/** @module AgentTabs: the agents as a list, and as a graph of what they use. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

/** The tabs. */
export const AgentTabs: FC<{ readonly context: PageContext; readonly here: "list" | "graph" }> = ({
  context,
  here,
}) => (
  <Tabs
    label="Agents"
    tabs={[
      { name: "List", href: rangedHref(context, "/agents"), here: here === "list" },
      { name: "Graph", href: rangedHref(context, "/graph"), here: here === "graph" },
    ]}
  />
);
