/**
 * @module Bundle: the program and its threads with what they use in few files, because a
 * start spent most of its CPU on finding and reading 1,300 modules. Hosts import the files of tsc.
 */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

import { build } from "rolldown";

import { thirdPartyLicenses } from "./third-party-licenses.mjs";

const dist = join(import.meta.dirname, "dist");
const dir = join(dist, "program");

/** The folder of the package that a file belongs to. */
function packageOf(file) {
  let folder = dirname(file);
  while (!/^(packages\/[^/]+|collector)$/.test(relative(join(import.meta.dirname, ".."), folder))) {
    folder = dirname(folder);
  }
  return folder;
}

/** The place of a file of a package, as the bundle finds it: another package is resolved. */
function placeOf(file, path) {
  const target = resolve(dirname(file), path);
  const folder = packageOf(file);
  const slash = path.endsWith("/") ? "/" : "";
  if (folder === import.meta.dirname) {
    return `new URL("${relative(dir, target)}${slash}", import.meta.url)`;
  }
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const inside = relative(folder, target);
  return `new URL("./${inside}${slash}", import.meta.resolve("${name}/package.json"))`;
}

await build({
  input: {
    main: join(dist, "main.js"),
    "judging-thread": join(dist, "reading/judging-thread.js"),
    "reading-thread": join(dist, "reading/reading-thread.js"),
    "file-check-thread": join(dist, "../../packages/store/dist/filesystem/file-check-thread.js"),
    "ingest-thread": join(dist, "receive/otlp/ingest-thread.js"),
    "block-worker": join(dist, "receive/otlp/block-worker.js"),
  },
  platform: "node",
  // Drivers are the installation's own, and are loaded when a store is opened.
  external: [
    ...builtinModules,
    /^node:/,
    /^(chdb|chdb\/connection|mongodb|pg|@clickhouse\/client|@electric-sql\/.*)$/,
    "@pydantic/genai-prices",
  ],
  plugins: [
    thirdPartyLicenses(),
    {
      name: "places",
      transform: {
        filter: { code: "import.meta.url", id: /\/(collector|packages\/[^/]+)\/dist\// },
        handler: (code, file) =>
          code.replaceAll(/new URL\("(\.\.\/[^"]+)", import\.meta\.url\)/g, (_, path) =>
            placeOf(file, path),
          ),
      },
    },
  ],
  // Threads find each other by name, so all files are in one folder.
  output: {
    dir,
    chunkFileNames: "chunk-[hash].js",
    cleanDir: true,
    // Less text to read, decode and keep in memory, in each thread. Names stay: errors are logged
    // by the name of their class.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
    // What most entries share of this package would be a file for each set of entries.
    codeSplitting: {
      groups: [{ name: "semconv", test: /packages\/semconv\/dist\//, minShareCount: 4 }],
    },
  },
});
