/**
 * @module Ages: shows how long ago a time was, beside the exact one: in its tooltip, and where a
 * page has a place for it. Computed when it is shown, so that it is never outdated.
 */
import { agoText, timeText } from "../display/figures.ts";
import { findAll } from "./page.ts";
import { clock } from "./preferences.ts";

const renewMs = 30_000;

/** Starts showing ages. */
export function startAges(): void {
  document.addEventListener("pointerover", ({ target }) => {
    const time = (target as Element).closest<HTMLTimeElement>("time[data-form]");
    if (time === null) return;
    const ago = agoText(time.dateTime, Date.now());
    time.title = [timeText(time.dateTime, clock(), "full"), ago].filter(Boolean).join(" · ");
  });
  const places = findAll("[data-ago]");
  if (places.length === 0) return;
  const notify = (): void => {
    for (const place of places) {
      place.textContent = agoText(place.dataset["ago"] ?? "", Date.now());
    }
  };
  notify();
  setInterval(notify, renewMs);
}
