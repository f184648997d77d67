/**
 * @module How Debian's Chromium is started: its headless shell, which draws no window of a desktop
 * and takes a quarter less CPU, or the whole browser where only that is installed.
 */
import { existsSync } from "node:fs";

const [shell, whole] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

/** Path of the browser; `CHROMIUM` names another. */
export const executablePath = process.env["CHROMIUM"] ?? (existsSync(shell) ? shell : whole);

/**
 * A document runs for seconds: its optimized code costs more to compile than it saves. The
 * interpreter and the baseline compiler run the same scripts.
 */
const scripts = "--js-flags=--no-turbofan --no-maglev --single-threaded-gc";

/** Options of `chromium.launch`; drawing needs no process of its own. */
export const launchOptions = {
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--in-process-gpu", scripts],
};
