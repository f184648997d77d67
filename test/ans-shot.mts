import { chromium } from "playwright-core";
const [url, name, path = "", widths = "1440,900,390", themes = "light,dark"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const width of widths.split(",").map(Number)) for (const theme of themes.split(",")) {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 844 : 900 }, colorScheme: theme as "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && console.log("console", m.text()));
  await page.goto(url! + path);
  await page.waitForTimeout(800);
  console.log(name, width, theme, await page.evaluate(() => [document.querySelectorAll("*").length, document.documentElement.scrollWidth, innerWidth]));
  await page.screenshot({ path: `/tmp/ans-${name}-${width}-${theme}.png`, fullPage: process.env["FULL"] === "1" });
  await context.close();
}
await browser.close();
