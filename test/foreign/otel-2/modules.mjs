/**
 * @module ES modules, CommonJS and `--import` as docs/instrument/modules.md prints them: by its
 * commands, in an application that has nothing of ours but a turn.
 */
import { copyFileSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { commandsOf, runAsPrinted } from "../printed.mjs";

const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), "turnproof-modules-"));
symlinkSync(join(here, "node_modules"), join(work, "node_modules"));
copyFileSync(join(here, "modules-telemetry.mjs"), join(work, "telemetry.mjs"));
const first = readFileSync(join(here, "modules-first.cjs"), "utf8");
const turn = 'withTurn({ agentId: "desk", threadId: "thread-1" }, async () => "CANARY");';
const required = `const { withTurn } = require("@turnproof/instrumentation");\n${turn}`;
const imported = `import { withTurn } from "@turnproof/instrumentation";\n${turn}`;
writeFileSync(join(work, "app.js"), required);
writeFileSync(join(work, "app.mjs"), imported);
writeFileSync(join(work, "app.cjs"), `${first}\n${required}`);
for (const line of commandsOf("modules.md")) await runAsPrinted(line, work);
