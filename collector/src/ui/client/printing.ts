/** @module Printing: runs before a page is printed and after. */

/** Calls with true before the page is printed or shown as a print preview, with false after. */
export function whilePrinted(run: (printed: boolean) => void): void {
  let printed = false;
  const turn = (on: boolean): void => {
    if (on === printed) return;
    printed = on;
    run(on);
  };
  window.addEventListener("beforeprint", () => turn(true));
  window.addEventListener("afterprint", () => turn(false));
  matchMedia("print").addEventListener("change", ({ matches }) => turn(matches));
}
