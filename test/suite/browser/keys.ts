/** @module Keys as a person presses them. */
import type { Page } from "playwright-core";

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The script of a list has its keys by now; what the server drew says nothing of it. */
export async function listReady(page: Page): Promise<void> {
  await page.locator("[data-filter] [role=combobox]").waitFor();
}
