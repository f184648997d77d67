/**
 * @module Layout: the frame around every page — rail, bar, content — and what stands in `head`.
 */
import type { Child, FC } from "hono/jsx";

import type { Frame } from "../http/respond.tsx";
import { Icon, IconSprite } from "./icons.tsx";
import type { IconName } from "./icons.tsx";

/** Places of the rail: where they lead, what they are called, and the key after `g`. */
export const places: readonly {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  readonly key: string;
}[] = [
  { href: "/traces", name: "Turns", icon: "turns", key: "t" },
  { href: "/threads", name: "Threads", icon: "threads", key: "d" },
  { href: "/agents", name: "Agents", icon: "agents", key: "a" },
  { href: "/traces/find", name: "Incidents", icon: "incidents", key: "i" },
  { href: "/traces/compare", name: "Compare", icon: "compare", key: "c" },
  { href: "/traces/health", name: "Health", icon: "health", key: "h" },
  { href: "/settings", name: "Settings", icon: "settings", key: "s" },
];

/** An address below the collector's base path. */
export function hrefOf(frame: Frame, path: string): string {
  return `${frame.basePath === "/" ? "" : frame.basePath}${path}`;
}

const Brand: FC = () => (
  <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <rect class="brand-tile" width="20" height="20" rx="5" />
    <path class="brand-mark" d="M5 6.500h10M8.500 6.500v8l2.300-2 2.200 2" />
  </svg>
);

const Rail: FC<{ readonly frame: Frame }> = ({ frame }) => (
  <nav class="rail" aria-label="Pages">
    <a class="brand" href={hrefOf(frame, "/traces")}>
      <Brand />
      <span class="word">Turnproof</span>
    </a>
    {places.map(({ href, name, icon, key }) => (
      <a
        class="go"
        href={hrefOf(frame, href)}
        title={name}
        {...(isHere(frame, href) ? { "aria-current": "page" } : {})}
      >
        <Icon name={icon} />
        <span class="word">{name}</span>
        <kbd aria-hidden="true">g {key}</kbd>
      </a>
    ))}
    <div class="foot">
      {frame.authConfigured ? null : <span>No sign-in is configured: this machine only.</span>}
      {frame.readOnly ? <span>Read-only</span> : null}
      <span>
        {frame.principal?.name ?? "local"} · {frame.principal?.role ?? "admin"}
      </span>
      <span>content: {frame.contentMode}</span>
    </div>
  </nav>
);

function isHere(frame: Frame, href: string): boolean {
  const { path } = frame;
  const fixed = places.some((place) => place.href !== "/traces" && path.startsWith(place.href));
  if (href === "/traces") return path.startsWith("/traces") && !fixed;
  return path.startsWith(href);
}

/** What a page gives its frame. */
export interface PageProps {
  readonly frame: Frame;
  readonly title: string;
  /** Beside the title: chips, filters, actions. */
  readonly bar?: Child;
  readonly children?: Child;
}

/** A whole page. */
export const Page: FC<PageProps> = ({ frame, title, bar, children }) => (
  <html lang="en" data-base={frame.basePath === "/" ? "" : frame.basePath}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title} · Turnproof</title>
      <link rel="icon" href={hrefOf(frame, "/favicon.ico")} />
      <link rel="stylesheet" href={hrefOf(frame, `/assets/app.css?v=${frame.version}`)} />
      <script type="module" src={hrefOf(frame, `/assets/app.js?v=${frame.version}`)} />
      {frame.jsonHref === undefined ? null : (
        <link rel="alternate" type="application/json" href={frame.jsonHref} />
      )}
    </head>
    <body>
      <IconSprite />
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <Rail frame={frame} />
        <header class="bar">
          <h1>{title}</h1>
          {bar}
        </header>
        <main class="page" id="content" tabindex={-1}>
          {children}
        </main>
      </div>
    </body>
  </html>
);
