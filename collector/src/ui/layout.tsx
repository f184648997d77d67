/** @module Layout: the frame around every page (rail, bar, content) and the content of `head`. */
import type { Child, FC } from "hono/jsx";

import type { Frame } from "../http/frame.ts";
import { assetFile } from "../http/assets.ts";
import { placeAt } from "../http/navigation.ts";
import { inRange } from "./display/time-range.ts";
import { Time } from "./elements/figure.tsx";
import { RangePicker } from "./elements/range-picker.tsx";
import { NotApplied } from "./elements/not-applied.tsx";
import { Icon, IconSprite } from "./icons.tsx";
import type { IconName } from "./icons.tsx";

/** An address below the collector's base path. */
export function hrefOf(frame: Frame, path: string): string {
  return `${frame.basePath === "/" ? "" : frame.basePath}${path}`;
}

/** The same with the range of this page, where the other page takes one. */
export function rangedHref(frame: Frame, path: string): string {
  const href = hrefOf(frame, path);
  const [place = ""] = path.split("?", 1);
  return frame.takesRange && takesRange(frame, place) ? inRange(href, frame.query) : href;
}

/**
 * A page of its own counts alone; another path is that of a template, such as `/agents/:agent_id`.
 */
function takesRange({ ranged, pages }: Frame, path: string): boolean {
  if (ranged.has(path) || pages.has(path)) return ranged.has(path);
  const folder = path.replace(/\/[^/]+$/, "/:");
  return [...ranged].some((template) => template.replace(/:[a-z_]+$/, ":") === folder);
}

/** The address of this page with some parameters set, or removed where the value is null. */
export function hrefWith(
  frame: Frame,
  changes: Readonly<Record<string, string | null | undefined>>,
): string {
  const query = new URLSearchParams(frame.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${hrefOf(frame, frame.path)}${text === "" ? "" : `?${text}`}`;
}

const Brand: FC = () => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
    <rect class="brand-tile" width="20" height="20" rx="5" />
    <path class="brand-mark" d="M5 6.5h10M8.5 6.5v8l2.3-2 2.2 2" />
  </svg>
);

const Rail: FC<{ readonly frame: Frame }> = ({ frame }) => (
  <nav class="rail" aria-label="Pages">
    <a class="brand" href={hrefOf(frame, "/traces")} aria-label="Turnproof, home">
      <Brand />
      <span class="word">Turnproof</span>
    </a>
    {frame.rail.map(({ href, name, icon, key }) => (
      <a
        class="go"
        href={rangedHref(frame, href)}
        title={name}
        data-go={key}
        data-ranged={frame.ranged.has(href) ? "" : undefined}
        {...(placeAt(frame.rail, frame.path)?.href === href ? { "aria-current": "page" } : {})}
      >
        <Icon name={icon} />
        <span class="word" aria-hidden="true">
          {name}
        </span>
        <kbd aria-hidden="true">g {key}</kbd>
      </a>
    ))}
    <div class="foot">
      {frame.authConfigured ? null : <span>No sign-in is configured: this machine only.</span>}
      {frame.readOnly ? <span>Read-only</span> : null}
      <span>
        {frame.principal?.name ?? "local"} · {frame.principal?.role ?? "admin"}
      </span>
      <span>content mode: {frame.contentMode}</span>
    </div>
  </nav>
);

/** Switches stored in the browser; without script they are hidden. */
const Switches: FC = () => (
  <div class="switches" hidden data-switches>
    <Switch name="clock" icon="clock" word="UTC" title="Times in UTC or local" />
    <Switch name="density" icon="dense" title="Density of rows" />
    <Switch name="theme" icon="theme" title="Theme: system, light, dark" />
    <Switch name="help" icon="help" title="Shortcuts and glossary (?)" />
  </div>
);

const Switch: FC<{
  readonly name: string;
  readonly icon: IconName;
  readonly word?: string;
  readonly title: string;
}> = ({ name, icon, word, title }) => (
  <button class="button bare" type="button" data-switch={name} title={title}>
    <Icon name={icon} />
    {word === undefined ? null : (
      <span data-word aria-hidden="true">
        {word}
      </span>
    )}
  </button>
);

/** Content of a page's frame. */
export interface PageProps {
  readonly frame: Frame;
  readonly title: string;
  /** Beside the title: chips, filters, actions. */
  readonly bar?: Child;
  /** Name of the page's browser module, which enhances the markup. */
  readonly script?: string | undefined;
  /** Title of the window, where it differs from the heading. */
  readonly windowTitle?: string;
  /** Terms of the page's filters that could not be read. */
  readonly unclear?: readonly string[];
  /** True where the page shows nothing of a range: it has no picker, and passes the range on. */
  readonly passesRange?: boolean;
  readonly children?: Child;
}

/** Content of every page's head. */
const Head: FC<{ readonly frame: Frame; readonly title: string }> = ({ frame, title }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title} · Turnproof</title>
    <link rel="icon" type="image/svg+xml" href={hrefOf(frame, "/favicon.ico")} />
    <link rel="stylesheet" href={hrefOf(frame, `/assets/${assetFile("app.css")}`)} />
    <script src={hrefOf(frame, `/assets/${assetFile("early.js")}`)} />
    <script type="module" src={hrefOf(frame, `/assets/${assetFile("app.js")}`)} />
    {frame.jsonHref === undefined ? null : (
      <link rel="alternate" type="application/json" href={frame.jsonHref} />
    )}
  </head>
);

/** A page without a signed-in principal: no rail, no data of any tenant. */
export const BarePage: FC<{
  readonly frame: Frame;
  readonly title: string;
  readonly children?: Child;
}> = ({ frame, title, children }) => (
  <html lang="en" data-base={frame.basePath === "/" ? "" : frame.basePath}>
    <Head frame={frame} title={title} />
    <body class="bare">
      <IconSprite />
      <main class="bare-main" id="content">
        <p class="bare-brand">
          <Brand /> Turnproof
        </p>
        {children}
      </main>
      <div class="sr" role="status" aria-live="polite" data-announce></div>
    </body>
  </html>
);

/** Printed only: address of the page, time, and principal. */
const Imprint: FC<{ readonly frame: Frame }> = ({ frame }) => {
  const query = frame.query.toString();
  return (
    <footer class="imprint">
      <p>
        <b>Turnproof {frame.version}</b>{" "}
        <span data-address>
          {hrefOf(frame, frame.path)}
          {query === "" ? "" : `?${query}`}
        </span>
      </p>
      <p>
        Generated at <Time at={frame.at} form="full" />, for {frame.principal?.name ?? "local"} (
        {frame.principal?.role ?? "admin"}), content mode {frame.contentMode}, request{" "}
        <code>{frame.requestId}</code>
      </p>
    </footer>
  );
};

/** Above every page but Health, while what the store answers may rest on damage. */
const StoreDamaged: FC<{ readonly frame: Frame }> = ({ frame }) => (
  <div class="unclear damaged" role="status" data-store-damaged>
    <Icon name="failed" />
    <p>
      Stored evidence is damaged or gone. Counts may be incomplete, and a success whose evidence
      cannot be shown is partial, or unknown until the damage is located.{" "}
      <a href={hrefOf(frame, "/traces/health#journal")}>Health</a> names what it is and the command
      that repairs it.
    </p>
  </div>
);

/** Longest heading that always fits; a longer one has a tooltip as well. */
const titleCharsMax = 40;

/** A whole page. */
export const Page: FC<PageProps> = ({
  frame,
  title,
  bar,
  script,
  windowTitle,
  unclear = [],
  passesRange = false,
  children,
}) => (
  <html
    lang="en"
    data-base={frame.basePath === "/" ? "" : frame.basePath}
    {...(frame.jsonHref === undefined ? {} : { "data-twin": frame.jsonHref })}
    {...(frame.appliedInPart ? { "data-query": frame.query.toString() } : {})}
  >
    <Head frame={frame} title={windowTitle ?? title} />
    <body {...(script === undefined ? {} : { "data-page": script })}>
      <IconSprite />
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <Rail frame={frame} />
        <header class="bar">
          <h1 title={title.length > titleCharsMax ? title : undefined}>{title}</h1>
          {bar}
          {frame.takesRange && !passesRange ? (
            <RangePicker
              path={hrefOf(frame, frame.path)}
              query={frame.query}
              refused={frame.refusedRange !== undefined}
            />
          ) : null}
          <Switches />
        </header>
        <main class="page" id="content" tabindex={-1}>
          <NotApplied
            range={frame.refusedRange}
            parameters={frame.leftOut}
            terms={unclear}
            hrefWith={(changes) => hrefWith(frame, changes)}
          />
          {frame.damaged && frame.path !== "/traces/health" ? <StoreDamaged frame={frame} /> : null}
          {children}
          <Imprint frame={frame} />
        </main>
      </div>
      <div class="sr" role="status" aria-live="polite" data-announce></div>
    </body>
  </html>
);
