/** @module App: starts what all pages need, and the module of the open page. */
import "../style/base.css";
import "./page-styles.ts";
import "../style/overrides.css";
import { startAges } from "./ages.ts";
import { startCopying } from "./copying.ts";
import { toggleHelp } from "./help-dialog.tsx";
import { startNewer } from "./newer.ts";
import { keepControls, returnToControl } from "./kept-control.ts";
import { announce, base, find, findAll } from "./page.ts";
import { showSwitches, showTimes, turnPreference } from "./preferences.ts";
import type { Preference } from "./preferences.ts";
import { whilePrinted } from "./printing.ts";
import { addShortcuts, listenForKeys } from "./shortcuts.ts";
import { startRange } from "./range.ts";
import { rememberLinks } from "./left-link.ts";
import { roveRows } from "./rows.ts";
import { startTips } from "./tips.tsx";

showTimes(document);
showSwitches();
whilePrinted(() => {
  const address = find("[data-address]");
  if (address !== undefined) address.textContent = location.href;
});

// A phone's box of links is closed in a wider window, where they are in the rail.
matchMedia("(min-width: 768px)").addEventListener("change", ({ matches }) => {
  if (matches) find<HTMLElement>(".rail .rest:popover-open")?.hidePopover();
});

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("[data-switch]");
  const name = button?.dataset["switch"];
  if (name === undefined) return;
  if (name === "help") toggleHelp();
  else announce(turnPreference(name as Preference));
});

addShortcuts([
  { keys: ["?"], label: "This help", group: "Everywhere", run: toggleHelp },
  {
    keys: ["/"],
    label: "Filter, or the search box of the page",
    group: "Everywhere",
    run: () => {
      // The box over a waterfall has a key of its own as well.
      const field =
        find<HTMLInputElement>(
          '[role="search"]:not([data-wf-find]) input:not([type="hidden"]), [data-search]',
        ) ?? find<HTMLInputElement>("[data-wf-find]:not([hidden]) input");
      // A page without a box of its own leads to the one that filters turns.
      if (field === undefined) location.assign(`${base}/traces#filter`);
      field?.focus();
      field?.select();
    },
  },
  {
    keys: ["t"],
    label: "Theme: system, light, dark",
    group: "Everywhere",
    run: () => announce(turnPreference("theme")),
  },
  ...findAll<HTMLAnchorElement>("[data-go]").map((link) => ({
    keys: ["g", link.dataset["go"] ?? ""] as const,
    label: link.title,
    group: "Go to" as const,
    // Read when the key is pressed: the link has the range of the page.
    run: () => location.assign(link.href),
  })),
]);
rememberLinks();
roveRows();
startCopying();
startAges();
startTips();
startRange();
startNewer();
keepControls();
listenForKeys();

type PageModule = { readonly start: () => void };

// `client.ts` of a page's folder is a separate chunk; a page without one is static markup.
const modules = {
  ...import.meta.glob<PageModule>("../../pages/*/client.ts"),
  ...import.meta.glob<PageModule>("../../pages/*/client.tsx"),
};
const page = document.body.dataset["page"];
const path = Object.keys(modules).find((file) => file.startsWith(`../../pages/${page}/client.`));
const started = path === undefined ? undefined : modules[path]?.().then(({ start }) => start());
// The page's own module may draw the control.
void Promise.resolve(started).then(returnToControl);
