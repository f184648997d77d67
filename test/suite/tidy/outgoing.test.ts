/**
 * @module The collector sends requests to configured addresses only (faults W11): the modules that
 * send any are listed here with the source of their address.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const sends =
  /(?<![.\w#])fetch\((?!request:)|from "(?:openid-client|undici|axios)"|import \{[^}]*\b(?:request|get|connect)\b[^}]*\} from "node:(?:http|https|http2|net|tls)"/;
/** Modules of the browser, whose requests go to the collector, and commands, which have options. */
const elsewhere = /^collector\/src\/(?:pages\/.*\/client\.tsx?$|ui\/client\/|cli\/)/;

test("requests leave from listed modules, and no event has their address", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "collector/src"], {
    cwd: root,
    encoding: "utf8",
  });
  const found = files
    .split("\n")
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\./.test(path) && !elsewhere.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => sends.test(text));
  expect(found.map(({ path }) => path.replace("collector/src/", ""))).toEqual([
    // TURNPROOF_AUDIT_SHIP.
    "access/audit/ship.ts",
    // TURNPROOF_UI_OIDC_ISSUER, and what its discovery document names.
    "access/oidc.ts",
    "access/provider-metadata.ts",
    // TURNPROOF_ALERT_RULES.
    "alerts/deliver.ts",
    // TURNPROOF_FORWARD_URL.
    "receive/forward/send-request.ts",
  ]);
  for (const { path, text } of found) {
    expect([path, /@turnproof\/evidence|TurnEvent/.test(text)]).toEqual([path, false]);
  }
});

test("a planted request is found", () => {
  expect(sends.test("await fetch(event.url)")).toBe(true);
  expect(sends.test('import { request } from "node:https";')).toBe(true);
  expect(sends.test("app.fetch(request)")).toBe(false);
});
