/** @module IncidentTabs: the two pages about what went wrong: the ranked list, and the search. */
import type { FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { Tabs } from "../elements/tabs.tsx";
import { rangedHref } from "../layout.tsx";

/** The tabs. */
export const IncidentTabs: FC<{ readonly frame: Frame; readonly here: "incidents" | "find" }> = ({
  frame,
  here,
}) => (
  <Tabs
    label="Incidents"
    tabs={[
      {
        name: "What went wrong",
        href: rangedHref(frame, "/traces/incidents"),
        here: here === "incidents",
        ranged: frame.ranged.has("/traces/incidents"),
      },
      { name: "Find", href: rangedHref(frame, "/traces/find"), here: here === "find" },
    ]}
  />
);
