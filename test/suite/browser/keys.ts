/** @module Keys as a person presses them. */
import type { Page } from "playwright-core";

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses a letter whose event is timed so many milliseconds after now, without the wait. */
export async function pressLater(page: Page, key: string, ms: number): Promise<void> {
  const tools = await page.context().newCDPSession(page);
  const timestamp = (Date.now() + ms) / 1_000;
  const code = `Key${key.toUpperCase()}`;
  await tools.send("Input.dispatchKeyEvent", { type: "keyDown", key, text: key, code, timestamp });
  await tools.send("Input.dispatchKeyEvent", { type: "keyUp", key, code });
  await tools.detach();
}

/** The scripts of a page that every page has ran to their end. */
export async function pageReady(page: Page): Promise<void> {
  await page.locator("[data-switches]:not([hidden]), .bare-main").first().waitFor();
}

/** The script of a list has its keys by now; what the server drew does not show it. */
export async function listReady(page: Page): Promise<void> {
  await page.locator("[data-filter] [role=combobox]").waitFor();
}
