import { chromium } from "playwright-core";
import { setTextSpacing } from "./suite/browser/layout-audit.ts";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 320, height: 844 } })).newPage();
await page.goto("http://127.0.0.1:47318/graph");
await page.waitForTimeout(500);
await setTextSpacing(page);
console.log(await page.evaluate(() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > 320 && e.closest(".scroll table") === null).slice(0, 12).map((e) => `${e.tagName}.${e.getAttribute("class")} ${Math.round(e.getBoundingClientRect().right)}`)]));
await browser.close();
