/**
 * @module Printing: what is done before a page goes to paper and undone after.
 */

/** Calls with true before the page is printed or looked at as paper, with false after. */
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
