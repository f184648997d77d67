/**
 * @module GeneratedFiles: every file that is made, in the order in which one run makes them: a file
 * comes after those that it is made from.
 */
import { apiAnswers, apiAnswersFile } from "./api-answers.ts";
import {
  callUsageDdl,
  callUsageDdlFile,
  reasonsDdl,
  reasonsDdlFile,
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
export interface GeneratedFile {
  readonly path: string;
  readonly make: () => string;
}

/** The files. @param endpoints those of the collector */
export function generatedFiles(endpoints: Endpoints): readonly GeneratedFile[] {
  return [
    { path: eventAttributesFile, make: eventAttributesModule },
    { path: semconvReadmeFile, make: semconvReadme },
    { path: conventionsFile, make: conventionsDocument },
    { path: turnsDdlFile, make: turnsDdl },
    { path: turnSetsDdlFile, make: turnSetsDdl },
    { path: callUsageDdlFile, make: callUsageDdl },
    { path: reasonsDdlFile, make: reasonsDdl },
    { path: attributeSchemaFile, make: attributeSchema },
    { path: contractSchemaFile, make: contractSchema },
    { path: collectorReadmeFile, make: () => collectorReadme(endpoints) },
    { path: guidesFile, make: guides },
    { path: dataPageFile, make: dataPage },
    { path: judgeRulesFile, make: judgeRulesModule },
    { path: evidenceReadmeFile, make: evidenceReadme },
    ...instrumentPages.map((path) => ({ path, make: () => instrumentPage(path) })),
    // Made from the types of the whole source, so also from the modules above.
    { path: apiAnswersFile, make: apiAnswers },
  ];
}
