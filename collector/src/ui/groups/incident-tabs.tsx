/** @module IncidentTabs: the two pages about what went wrong: the ranked list, and the search. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

/** The tabs. */
export const IncidentTabs: FC<{
  readonly context: PageContext;
  readonly here: "incidents" | "find";
}> = ({ context, here }) => (
  <Tabs
    label="Incidents"
    tabs={[
      {
        name: "What went wrong",
        href: rangedHref(context, "/traces/incidents"),
        here: here === "incidents",
        ranged: context.ranged.has("/traces/incidents"),
      },
      { name: "Find", href: rangedHref(context, "/traces/find"), here: here === "find" },
    ]}
  />
);
