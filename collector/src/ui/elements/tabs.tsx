/** @module Tabs: links to the same page in another division; each choice has an address. */
import type { FC } from "hono/jsx";

/** One link. */
export interface Tab {
  readonly name: string;
  readonly href: string;
  readonly here: boolean;
  readonly title?: string;
  /** The other page has a range of time: in the browser it gets the last one of the tab. */
  readonly ranged?: boolean;
}

/** The links; the present one is marked. */
export const Tabs: FC<{ readonly label: string; readonly tabs: readonly Tab[] }> = ({
  label,
  tabs,
}) => (
  <nav class="chart-switch" aria-label={label}>
    {tabs.map(({ name, href, here, title, ranged }) => (
      <a
        href={href}
        title={title}
        data-control={`${label.replaceAll(" ", "-")} ${name}`}
        data-ranged={ranged === true ? "" : undefined}
        {...(here ? { "aria-current": "true" } : {})}
      >
        {name}
      </a>
    ))}
  </nav>
);
