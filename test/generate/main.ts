/**
 * @module Generate: writes every file that is made from the registry (`npm run generate`), or
 * prints which ones are out of step (`npm run generate -- --check`, exit code 1). A generator is a
 * module beside this one that gives a file's path and text; it is added to the list below.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { runnerImport } from "vite";

import { apiAnswers, apiAnswersFile } from "./api-answers.ts";
import {
  callUsageDdl,
  callUsageDdlFile,
  turnSetsDdl,
  turnSetsDdlFile,
  turnsDdl,
  turnsDdlFile,
} from "./clickhouse-ddl.ts";
import { attributeSchema, attributeSchemaFile } from "./attribute-schema.ts";
import { contractSchema, contractSchemaFile } from "./contract-schema.ts";
import { collectorReadme, collectorReadmeFile } from "./collector-readme.ts";
import { dataPage, dataPageFile } from "./data-page.ts";
import { eventAttributesFile, eventAttributesModule } from "./event-attributes.ts";
import { evidenceReadme, evidenceReadmeFile } from "./evidence-readme.ts";
import { conventionsDocument, conventionsFile } from "./conventions-readme.ts";
import { guides, guidesFile } from "./guides.ts";
import { instrumentPage, instrumentPages } from "./instrument-pages.ts";
import { judgeRulesFile, judgeRulesModule } from "./judge-rules.ts";
import { semconvReadme, semconvReadmeFile } from "./semconv-readme.ts";
import type { Endpoints } from "../../collector/src/http/endpoint.ts";

/** A file that is made, and how. */
interface GeneratedFile {
  readonly path: string;
  readonly make: () => string;
}

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

const endpoints = await endpointsOf();
const generated: readonly GeneratedFile[] = [
  { path: apiAnswersFile, make: apiAnswers },
  { path: eventAttributesFile, make: eventAttributesModule },
  { path: semconvReadmeFile, make: semconvReadme },
  { path: conventionsFile, make: conventionsDocument },
  { path: turnsDdlFile, make: turnsDdl },
  { path: turnSetsDdlFile, make: turnSetsDdl },
  { path: callUsageDdlFile, make: callUsageDdl },
  { path: attributeSchemaFile, make: attributeSchema },
  { path: contractSchemaFile, make: contractSchema },
  { path: collectorReadmeFile, make: () => collectorReadme(endpoints) },
  { path: guidesFile, make: guides },
  { path: dataPageFile, make: dataPage },
  { path: judgeRulesFile, make: judgeRulesModule },
  { path: evidenceReadmeFile, make: evidenceReadme },
  ...instrumentPages.map((path) => ({ path, make: () => instrumentPage(path) })),
];

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
