/** @module Panel: the containers of a page: cards, notes, tiles, facts, and empty states. */
import type { Child, FC } from "hono/jsx";

import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";

/** A titled section. `end` is at the right of its head: a count, a link. */
export const Card: FC<{
  readonly title: string;
  /** The title with a word that is explained in place. */
  readonly heading?: Child;
  readonly id?: string;
  readonly icon?: IconName;
  readonly end?: Child;
  /** Content extends to the edges, as tables do. */
  readonly flush?: boolean;
  readonly children?: Child;
}> = ({ title, heading = title, id, icon, end, flush = false, children }) => (
  <section class="card" id={id} aria-label={title}>
    <header>
      {icon === undefined ? null : <Icon name={icon} />}
      <h2>{heading}</h2>
      {end === undefined || end === null ? null : <div class="end">{end}</div>}
    </header>
    <div class={flush ? "body flush" : "body"}>{children}</div>
  </section>
);

/** An important sentence. */
export const Note: FC<{
  readonly tone?: "plain" | "warn" | "bad";
  readonly icon?: IconName;
  readonly children?: Child;
}> = ({ tone = "plain", icon, children }) => (
  <div class={`note ${tone}`} role="note">
    <Icon name={icon ?? (tone === "plain" ? "info" : "warning")} />
    <div>{children}</div>
  </div>
);

/** An empty state: what it means, and what to do. */
export const Empty: FC<{
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: Child;
}> = ({ title, icon, children }) => (
  <section class="empty" aria-label={title}>
    {icon === undefined ? null : <Icon name={icon} />}
    <h2>{title}</h2>
    {children}
  </section>
);

/** A row of tiles. */
export const Tiles: FC<{ readonly label: string; readonly children?: Child }> = ({
  label,
  children,
}) => (
  <dl class="tiles" aria-label={label}>
    {children}
  </dl>
);

/** One figure with its name; `more` is a quiet line below. */
export const Tile: FC<{
  readonly name: string;
  readonly more?: Child;
  readonly children?: Child;
}> = ({ name, more, children }) => (
  <div class="tile">
    <dt class="name">{name}</dt>
    <dd class="value">{children}</dd>
    {more === undefined || more === null ? null : <dd class="more">{more}</dd>}
  </div>
);

/** Names and values in two columns. */
export const Facts: FC<{ readonly children?: Child }> = ({ children }) => (
  <dl class="facts">{children}</dl>
);

/** One line of {@link Facts}. */
export const Fact: FC<{
  readonly name: string;
  readonly title?: string;
  readonly children?: Child;
}> = ({ name, title, children }) => (
  <>
    <dt title={title}>{name}</dt>
    <dd>{children}</dd>
  </>
);

/** Heads of columns: texts first, then figures, which stand at the right. */
export const Heads: FC<{
  readonly texts: readonly string[];
  readonly figures?: readonly string[];
}> = ({ texts, figures = [] }) => (
  <>
    {texts.map((text) => (
      <th scope="col">{text}</th>
    ))}
    {figures.map((figure) => (
      <th scope="col" class="num">
        {figure}
      </th>
    ))}
  </>
);

/**
 * A table that scrolls inside its own box, never the page; `more` is a line below its rows. One
 * that `stacks` shows a row as a block where its box is narrow: cells with `data-head` show it as
 * their name, cells without are the block's title.
 */
export const Table: FC<{
  readonly label: string;
  readonly stacks?: boolean;
  readonly head: Child;
  readonly more?: Child;
  readonly children?: Child;
}> = ({ label, stacks = false, head, more, children }) => (
  <div class="scroll" role="group" aria-label={label} tabindex={0}>
    <table class={stacks ? "grid stacks" : "grid"} aria-label={label}>
      <thead>
        <tr>{head}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
    {more}
  </div>
);
