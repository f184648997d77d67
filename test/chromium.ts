/**
 * @module How Debian's Chromium is started: its headless shell, which draws no window of a desktop
 * and takes a quarter less CPU, or the whole browser where only that is installed.
 */
import { existsSync } from "node:fs";

const [shell, whole] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;

/** Path of the browser; `CHROMIUM` names another. */
export const executablePath = process.env["CHROMIUM"] ?? (existsSync(shell) ? shell : whole);

/** Options of `chromium.launch`. */
export const launchOptions = { executablePath, args: ["--no-sandbox", "--disable-gpu"] };
