/**
 * @module The playground without script: its form is answered with a page, in a session, and the
 * next question goes on in the same thread.
 */
import { expect, test } from "vitest";

import { axeViolations, sidewaysOverflow } from "./browser.ts";
import { openedSite, signIn } from "./opened-site.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const root = "b".repeat(32);

/** The agent's questions, in order. */
const requested: object[] = [];

const mounted = {
  agents: {
    list: () => Promise.resolve(["echo"]),
    run: (_agent: string, input: object) => {
      requested.push(input);
      const text = `Answer ${requested.length}: <b>bold</b> & plain`;
      return Promise.resolve({ text, thread_id: "thr_9", trace_context: { root_trace_id: root } });
    },
    async *stream() {
      yield { type: "run.started" };
    },
  },
};

const { site, visit } = openedSite({
  env: { TURNPROOF_UI_ACCOUNTS: JSON.stringify({ otto: { token, role: "operator" } }) },
  hooks: mounted,
});

test("its form answers a page, whose form goes on in the same scope", async () => {
  const page = await visit("/login", { width: 390, theme: "dark", script: false });
  await signIn(page, token);
  await page.goto(`${site.url}/agents/echo`);
  await page.locator("textarea[name=query]").fill("What do you know?");
  await page.locator("input[name=user_id]").fill("usr_bo");
  await page.getByRole("button", { name: "Run" }).click();
  const answer = page.locator("#answer");
  await answer.getByText("Answer 1: <b>bold</b> & plain", { exact: true }).waitFor();
  expect(await answer.locator(".said b").count()).toBe(0);
  expect(await answer.getByRole("link").getAttribute("href")).toBe(`/traces/${root}`);
  expect(await page.locator("h1").innerText()).toBe("Run");
  expect(await page.locator("link[rel=alternate]").count()).toBe(0);
  expect(await sidewaysOverflow(page)).toBe(0);

  await page.locator("textarea[name=query]").fill("And what else?");
  await page.getByRole("button", { name: "Run" }).click();
  await answer.getByText("Answer 2: <b>bold</b> & plain", { exact: true }).waitFor();
  expect(requested).toEqual([
    { query: "What do you know?", tenant: "usr_bo" },
    { query: "And what else?", tenant: "usr_bo", threadId: "thr_9" },
  ]);
});

test("a browser's page of a run holds before axe, with the script of the frame", async () => {
  const page = await visit("/login");
  await signIn(page, token);
  await page.goto(`${site.url}/agents/echo`);
  // The form itself is sent, past the script that would have streamed.
  await page.locator("textarea[name=query]").fill("Once more?");
  await page.locator("form.playground").evaluate((form: HTMLFormElement) => form.submit());
  await page.locator("#answer .said").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBe(0);
});
