/** @module Wheel: frames of a page while a wheel turns over its tree of rows. */
import type { Page } from "playwright-core";

/** Milliseconds between frames while the wheel turns for so long, sorted. */
export async function framesOf(page: Page, wheelMs: number): Promise<readonly number[]> {
  const scroll = page.locator("[role=treegrid]").locator("..");
  await scroll.scrollIntoViewIfNeeded();
  const box = await scroll.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 80, (box?.y ?? 0) + 120);
  const frames = page.evaluate(
    (ms) =>
      new Promise<number[]>((resolve) => {
        const between: number[] = [];
        const began = performance.now();
        let last = began;
        const frame = (now: number): void => {
          between.push(now - last);
          last = now;
          if (now - began < ms) requestAnimationFrame(frame);
          else resolve(between.slice(1));
        };
        requestAnimationFrame(frame);
      }),
    wheelMs,
  );
  let done = false;
  void frames.then(() => (done = true));
  while (!done) await page.mouse.wheel(0, 120);
  return (await frames).toSorted((a, b) => a - b);
}
