/** @module Layout: what is around every page (rail, bar, content) and the content of `head`. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../http/page-context.ts";
import { assetFile } from "../http/assets.ts";
import { placeAt } from "../http/navigation.ts";
import { inRange } from "./display/time-range.ts";
import { Time } from "./elements/figure.tsx";
import { RangePicker } from "./elements/range-picker.tsx";
import { NotApplied } from "./elements/not-applied.tsx";
import { Icon, IconSprite } from "./icons.tsx";
import type { IconName } from "./icons.tsx";

/** An address below the collector's base path. */
export function hrefOf(context: PageContext, path: string): string {
  return `${context.basePath === "/" ? "" : context.basePath}${path}`;
}

/** The same with the range of this page, where the other page takes one. */
export function rangedHref(context: PageContext, path: string): string {
  const href = hrefOf(context, path);
  const [place = ""] = path.split("?", 1);
  return context.takesRange && takesRange(context, place) ? inRange(href, context.query) : href;
}

/**
 * A page of its own counts alone; another path is that of a template, such as `/agents/:agent_id`.
 */
function takesRange({ ranged, pages }: PageContext, path: string): boolean {
  if (ranged.has(path) || pages.has(path)) return ranged.has(path);
  const folder = path.replace(/\/[^/]+$/, "/:");
  return [...ranged].some((template) => template.replace(/:[a-z_]+$/, ":") === folder);
}

/** The address of this page with some parameters set, or removed where the value is null. */
export function hrefWith(
  context: PageContext,
  changes: Readonly<Record<string, string | null | undefined>>,
): string {
  const query = new URLSearchParams(context.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${hrefOf(context, context.path)}${text === "" ? "" : `?${text}`}`;
}

const Brand: FC = () => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
    <rect class="brand-tile" width="20" height="20" rx="5" />
    <path class="brand-mark" d="M5 6.5h10M8.5 6.5v8l2.3-2 2.2 2" />
  </svg>
);

/** Links that a phone's bar has room for, beside the button of the others. */
const barLinks = 5;
const restId = "more-pages";

const Rail: FC<{ readonly context: PageContext }> = ({ context }) => {
  const current = placeAt(context.rail, context.path);
  const rest = context.rail.slice(barLinks);
  return (
    <nav class="rail" aria-label="Pages">
      <a class="brand" href={hrefOf(context, "/traces")} aria-label="Turnproof, home">
        <Brand />
        <span class="word">Turnproof</span>
      </a>
      {context.rail.slice(0, barLinks).map((link) => (
        <RailLink link={link} isCurrent={link === current} context={context} />
      ))}
      {/* On a phone they open over the page, without script too; in a wider window they follow. */}
      <div class="rest" id={restId} popover="auto">
        {rest.map((link) => (
          <RailLink link={link} isCurrent={link === current} context={context} />
        ))}
      </div>
      <button
        class="button bare go"
        type="button"
        popovertarget={restId}
        aria-label="More pages"
        {...(rest.some((link) => link === current) ? { "aria-current": "true" } : {})}
      >
        <Icon name="up" />
        <span class="word" aria-hidden="true">
          More
        </span>
      </button>
      <div class="foot">
        {context.authConfigured ? null : <span>No sign-in is configured: this machine only.</span>}
        {context.readOnly ? <span>Read-only</span> : null}
        <span>
          {context.principal?.name ?? "local"} · {context.principal?.role ?? "admin"}
        </span>
        <span>content mode: {context.contentMode}</span>
      </div>
    </nav>
  );
};

const RailLink: FC<{
  readonly link: PageContext["rail"][number];
  readonly isCurrent: boolean;
  readonly context: PageContext;
}> = ({ link: { href, name, icon, key }, isCurrent, context }) => (
  <a
    class="go"
    href={rangedHref(context, href)}
    title={name}
    data-go={key}
    data-ranged={context.ranged.has(href) ? "" : undefined}
    {...(isCurrent ? { "aria-current": "page" } : {})}
  >
    <Icon name={icon} />
    <span class="word" aria-hidden="true">
      {name}
    </span>
    <kbd aria-hidden="true">g {key}</kbd>
  </a>
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

/** Content of a page and of what is around it. */
export interface PageProps {
  readonly context: PageContext;
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
const Head: FC<{ readonly context: PageContext; readonly title: string }> = ({
  context,
  title,
}) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title} · Turnproof</title>
    <link rel="icon" type="image/svg+xml" href={hrefOf(context, "/favicon.ico")} />
    <link rel="stylesheet" href={hrefOf(context, `/assets/${assetFile("app.css")}`)} />
    <script src={hrefOf(context, `/assets/${assetFile("early.js")}`)} />
    <script type="module" src={hrefOf(context, `/assets/${assetFile("app.js")}`)} />
    {context.jsonHref === undefined ? null : (
      <link rel="alternate" type="application/json" href={context.jsonHref} />
    )}
  </head>
);

/** A page without a signed-in principal: no rail, no data of any tenant. */
export const BarePage: FC<{
  readonly context: PageContext;
  readonly title: string;
  readonly children?: Child;
}> = ({ context, title, children }) => (
  <html lang="en" data-base={context.basePath === "/" ? "" : context.basePath}>
    <Head context={context} title={title} />
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
const Imprint: FC<{ readonly context: PageContext }> = ({ context }) => {
  const query = context.query.toString();
  return (
    <footer class="imprint">
      <p>
        <b>Turnproof {context.version}</b>{" "}
        <span data-address>
          {hrefOf(context, context.path)}
          {query === "" ? "" : `?${query}`}
        </span>
      </p>
      <p>
        Generated at <Time at={context.at} form="full" />, for {context.principal?.name ?? "local"}{" "}
        ({context.principal?.role ?? "admin"}), content mode {context.contentMode}, request{" "}
        <code>{context.requestId}</code>
      </p>
    </footer>
  );
};

/** Above every page but Health, while what the store answers may rest on damage. */
const StoreDamaged: FC<{ readonly context: PageContext }> = ({ context }) => (
  <div class="unclear damaged" role="status" data-store-damaged>
    <Icon name="failed" />
    <p>
      Stored evidence is damaged or gone. Counts may be incomplete, and a success whose evidence
      cannot be shown is partial, or unknown until the damage is located.{" "}
      <a href={hrefOf(context, "/traces/health#journal")}>Health</a> names what it is and the
      command that repairs it.
    </p>
  </div>
);

/** Longest heading that always fits; a longer one has a tooltip as well. */
const titleCharsMax = 40;

/** A whole page. */
export const Page: FC<PageProps> = ({
  context,
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
    data-base={context.basePath === "/" ? "" : context.basePath}
    {...(context.jsonHref === undefined ? {} : { "data-twin": context.jsonHref })}
    {...(context.appliedInPart ? { "data-query": context.query.toString() } : {})}
  >
    <Head context={context} title={windowTitle ?? title} />
    <body {...(script === undefined ? {} : { "data-page": script })}>
      <IconSprite />
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <Rail context={context} />
        <header class="bar">
          <h1 title={title.length > titleCharsMax ? title : undefined}>{title}</h1>
          {bar}
          {context.takesRange && !passesRange ? (
            <RangePicker
              path={hrefOf(context, context.path)}
              query={context.query}
              refused={context.refusedRange !== undefined}
            />
          ) : null}
          <Switches />
        </header>
        <main class="page" id="content" tabindex={-1}>
          <NotApplied
            range={context.refusedRange}
            parameters={context.ignored}
            terms={unclear}
            hrefWith={(changes) => hrefWith(context, changes)}
          />
          {context.damaged && context.path !== "/traces/health" ? (
            <StoreDamaged context={context} />
          ) : null}
          {children}
          <Imprint context={context} />
        </main>
      </div>
      <div class="sr" role="status" aria-live="polite" data-announce></div>
    </body>
  </html>
);
