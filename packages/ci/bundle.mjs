/** @module Bundle: the commands of a pipeline and what they use as one file. */
import { builtinModules } from "node:module";

import { build } from "rolldown";

import { thirdPartyLicenses } from "../../collector/third-party-licenses.mjs";

await build({
  input: `${import.meta.dirname}/../../collector/src/cli/ci.ts`,
  platform: "node",
  resolve: { conditionNames: ["@turnproof/source", "node", "import", "default"] },
  // Drivers of stores are loaded when a store is opened, which no command of a pipeline does.
  external: [
    ...builtinModules,
    /^node:/,
    /^(chdb|mongodb|pg|@clickhouse\/client|@electric-sql\/.*|@pydantic\/genai-prices)$/,
  ],
  plugins: [thirdPartyLicenses({ list: "bundled-packages.json" })],
  output: {
    file: `${import.meta.dirname}/dist/main.js`,
    banner: "#!/usr/bin/env node",
    minify: true,
    codeSplitting: false,
  },
});
