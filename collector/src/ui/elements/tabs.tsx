/** @module Tabs: links to the same page in another division; each choice has an address. */
import type { FC } from "hono/jsx";

/** One link. */
export interface Tab {
  readonly name: string;
  readonly href: string;
  readonly here: boolean;
  readonly title?: string;
}

/** The links; the present one is marked. */
export const Tabs: FC<{ readonly label: string; readonly tabs: readonly Tab[] }> = ({
  label,
  tabs,
}) => (
  <nav class="chart-switch" aria-label={label}>
    {tabs.map(({ name, href, here, title }) => (
      <a href={href} title={title} {...(here ? { "aria-current": "true" } : {})}>
        {name}
      </a>
    ))}
  </nav>
);
