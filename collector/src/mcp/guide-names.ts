/**
 * @module GuideNames: which page of the documentation is about a framework. Names are compared as
 * whole words, so that `django` has nothing of `go`.
 */

/** A page about a framework; `exact` is false where it is only the nearest one. */
export interface FoundGuide {
  readonly page: string;
  readonly exact: boolean;
  /** Pages about other parts of the name. */
  readonly also: readonly string[];
}

const list = (text: string): readonly string[] => text.split(", ");

/** Names of what a page is about, beside the name of the page. */
const named: Readonly<Record<string, readonly string[]>> = {
  "ai-sdk": list("vercel ai, vercel, ai, generatetext, streamtext"),
  bundles: list("browser, browsers, edge, edge runtime, esbuild, vite, bundler, bundlers"),
  "coding-agents": list("claude code, claude, codex, codex cli"),
  go: list("golang"),
  java: list("javaagent"),
  langchain: list("langchainjs, openinference, openllmetry, traceloop"),
  langgraph: list("langgraphjs, langchain langgraph"),
  mcp: list("model context protocol"),
  modules: list("es modules, esm, commonjs, cjs, import, require"),
  nextjs: list("next js, next"),
  "node-sdk": list("node, nodejs, nodesdk, js, javascript, typescript, ts"),
  "openai-agents": list("agents"),
  "openai-sdk": list("openai"),
  "other-languages": list("opentelemetry, otel, otlp, grpc"),
  python: list("py"),
  "to-success": list("success, verdict, intent, artifact, delivery"),
};

/** Names without a page of their own, by the page that helps most. */
const nearest: Readonly<Record<string, readonly string[]>> = {
  bundles: list(
    "webpack, rollup, rolldown, parcel, cloudflare, cloudflare workers, react, angular, vue",
  ),
  "coding-agents": list("claude agent, claude agent sdk"),
  go: list("gin, echo, fiber, chi, eino, langchaingo, adk go"),
  java: list(
    "spring, spring boot, spring ai, langchain4j, quarkus, micronaut, kotlin, koog, scala, groovy, " +
      "clojure, jvm, adk java",
  ),
  "node-sdk": list(
    "koa, hono, nest, nestjs, nuxt, nuxtjs, svelte, sveltekit, remix, astro, adonisjs, hapi, deno, " +
      "bun, electron, bullmq, voltagent, llamaindexts",
  ),
  "other-languages": list(
    "c, cpp, csharp, fsharp, crystal, dart, dotnet, asp dotnet, aspdotnet, elixir, erlang, fortran, " +
      "haskell, julia, lua, nim, ocaml, perl, php, r, ruby, rust, swift, zig, rails, laravel, " +
      "symfony, semantic kernel",
  ),
  python: list(
    "django, flask, fastapi, starlette, tornado, aiohttp, celery, streamlit, gradio, chainlit, " +
      "llamaindex, llama index, crewai, crew ai, autogen, ag2, haystack, pydantic ai, pydanticai, " +
      "dspy, smolagents, agno, phidata, google adk, adk, strands, strands agents, litellm, fastmcp, " +
      "letta, memgpt, langflow, instructor, guidance, vllm",
  ),
};

/** Too common to be found within a longer name. */
const alone: ReadonlySet<string> = new Set(
  list(
    "agents, ai, artifact, c, chi, claude, delivery, echo, edge, guidance, import, instructor, " +
      "intent, next, r, require, success, verdict",
  ),
);

/** Pages of languages: a framework's page shows the code of Node alone. */
const languages: ReadonlySet<string> = new Set(["go", "java", "other-languages", "python"]);

/** Names of what every language has. */
const general: ReadonlySet<string> = new Set(named["other-languages"]);

/** Words that name no framework. */
const plain: ReadonlySet<string> = new Set(
  list(
    "a, an, and, app, application, cli, client, for, framework, in, library, my, of, sdk, the, with",
  ),
);

/** Words of a name, without versions. */
function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .replaceAll("c++", "cpp")
    .replaceAll(/\b([cf])#/g, "$1sharp")
    .replaceAll(/\.net\b/g, " dotnet")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !/^v?\d+$/.test(word));
}

interface GuideName {
  readonly words: readonly string[];
  readonly page: string;
  readonly exact: boolean;
}

/** All names, those of most words first. */
function namesOf(pages: readonly string[]): readonly GuideName[] {
  const rows = (of: Readonly<Record<string, readonly string[]>>, exact: boolean) =>
    Object.entries(of).flatMap(([page, names]) =>
      names.map((name) => ({ words: name.split(" "), page, exact })),
    );
  return [
    ...pages.map((page) => ({ words: page.split("-"), page, exact: true })),
    ...rows(named, true),
    ...rows(nearest, false),
  ].toSorted((a, b) => b.words.length - a.words.length);
}

const joined = (words: readonly string[]): string => words.join("");
const specific = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !plain.has(word));

/** The names within these words, in the order in which they stand there; a word counts once. */
function within(words: readonly string[], names: readonly GuideName[]): readonly GuideName[] {
  const free = [...words];
  const found: { readonly at: number; readonly name: GuideName }[] = [];
  for (const name of names) {
    if (alone.has(name.words.join(" "))) continue;
    const at = free.findIndex((_, from) =>
      name.words.every((word, place) => free[from + place] === word),
    );
    if (at === -1) continue;
    free.fill("", at, at + name.words.length);
    found.push({ at, name });
  }
  return found.toSorted((a, b) => a.at - b.at).map(({ name }) => name);
}

/** The page about a framework, of these pages; undefined where no page is near. */
export function guideFor(framework: string, pages: readonly string[]): FoundGuide | undefined {
  const names = namesOf(pages);
  const words = wordsOf(framework);
  const whole = [words, specific(words)]
    .filter((some) => some.length > 0)
    .map((some) => names.find((name) => joined(name.words) === joined(some)))
    .find((name) => name !== undefined);
  if (whole !== undefined) return { page: whole.page, exact: whole.exact, also: [] };
  const found = within(words, names);
  // OpenTelemetry is in every page, and Node in those of frameworks. A language decides over a
  // framework, whose page shows code for Node alone.
  const isOpenTelemetry = ({ words: name }: GuideName): boolean => general.has(name.join(" "));
  const others = found.filter((name) => !isOpenTelemetry(name));
  const first =
    others.find(({ page }) => languages.has(page)) ??
    others.find(({ page }) => page !== "node-sdk") ??
    others[0] ??
    found[0];
  if (first === undefined) return undefined;
  const also = new Set(others.filter(({ exact }) => exact).map(({ page }) => page));
  also.delete(first.page);
  const exact = first.exact && !(languages.has(first.page) && also.size > 0);
  also.delete("node-sdk");
  return { page: first.page, exact, also: [...also] };
}
