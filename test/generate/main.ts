/**
 * @module Generate: writes every file that is made from the registry (`npm run generate`), or
 * prints which ones are out of step (`npm run generate -- --check`, exit code 1). A generator is a
 * module beside this one that gives a file's path and text; it is added to `generated-files.ts`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

import { generatedFiles } from "./generated-files.ts";
import type { Endpoints } from "../../collector/src/http/endpoint.ts";

const collector = new URL("../../collector/", import.meta.url);

/** The endpoints stand beside pages in JSX, which Node does not read. */
async function endpointsOf(): Promise<Endpoints> {
  const path = fileURLToPath(new URL("src/pages/index.ts", collector));
  const { module } = await runnerImport<{ readonly endpoints: Endpoints }>(path, {
    configFile: false,
    root: fileURLToPath(collector),
    logLevel: "error",
    resolve: { conditions: ["@turnproof/source"] },
    ssr: { resolve: { conditions: ["@turnproof/source"] } },
    oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
  });
  return module.endpoints;
}

const generated = generatedFiles(await endpointsOf());
const check = process.argv.includes("--check");
for (const { path, make } of generated) {
  const text = make();
  const stands = existsSync(path) && readFileSync(path, "utf8") === text;
  const name = relative(process.cwd(), path);
  if (stands) {
    console.log(`up to date  ${name}`);
  } else if (check) {
    console.log(`out of step ${name}`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`written     ${name}`);
  }
}
