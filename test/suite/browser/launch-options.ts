/** @module How Debian's Chromium is started. */
import type { LaunchOptions } from "playwright-core";

export const launchOptions: LaunchOptions = {
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
};
