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
  "coding-agents": list("claude code, claude, codex, codex cli, openai codex, openai codex cli"),
  go: list("golang"),
  java: list("javaagent"),
  langchain: list(
    "langchainjs, openinference, openllmetry node, openllmetry nodejs, openllmetry js, " +
      "openllmetry javascript, openllmetry typescript, traceloop node",
  ),
  langgraph: list("langgraphjs, langchain langgraph"),
  mcp: list("model context protocol"),
  modules: list("es modules, esm, commonjs, cjs, import, require"),
  nextjs: list("next js, next"),
  "node-sdk": list("node, nodejs, nodesdk, js, javascript, typescript, ts"),
  "openai-agents": list("agents"),
  "openai-sdk": list("openai"),
  "other-languages": list("opentelemetry, otel, otlp, grpc"),
  python: list("py, openllmetry, traceloop"),
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
      "bun, electron, bullmq, voltagent, llamaindexts, anthropic ai sdk",
  ),
  "other-languages": list(
    "c, cpp, csharp, fsharp, crystal, dart, dotnet, asp dotnet, aspdotnet, elixir, erlang, fortran, " +
      "haskell, julia, lua, nim, ocaml, perl, php, r, ruby, rust, swift, zig, rails, laravel, " +
      "symfony, semantic kernel, agent framework, microsoft agent framework",
  ),
  python: list(
    "django, flask, fastapi, starlette, tornado, aiohttp, celery, streamlit, gradio, chainlit, " +
      "llamaindex, llama index, crewai, crew ai, autogen, ag2, haystack, pydantic ai, pydanticai, " +
      "dspy, smolagents, agno, phidata, google adk, adk, strands, strands agents, litellm, fastmcp, " +
      "letta, memgpt, langflow, instructor, guidance, vllm, logfire, mlflow, pipecat",
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

/** Names of these languages themselves, where a name of Node stands beside them. */
const languageNames: ReadonlySet<string> = new Set(
  list("go, golang, java, python, py, kotlin, scala, csharp, dotnet, php, ruby, rust, elixir"),
);

/** A package of npm with a scope, such as `@traceloop/instrumentation-mcp`. */
const isScoped = (text: string): boolean => /(?:^|\s)@[\w.-]+\/\w/.test(text);

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
  return chosenOf(found, isScoped(framework));
}

/** The page of the names within a longer one. */
function chosenOf(found: readonly GuideName[], scoped: boolean): FoundGuide | undefined {
  // OpenTelemetry is in every page, and Node in those of frameworks. A language decides over a
  // framework, whose page shows code for Node alone.
  const others = found.filter(({ words }) => !general.has(words.join(" ")));
  const isNode = scoped || others.some(({ page, exact }) => page === "node-sdk" && exact);
  const isMixed = others.some(({ words }) => languageNames.has(words.join(" ")));
  // For Node, the page of another language is not the one of a library that exists in both.
  const here = isNode && !isMixed ? others.filter(({ page }) => !languages.has(page)) : others;
  const first =
    here.find(({ page }) => languages.has(page)) ??
    here.find(({ page }) => page !== "node-sdk") ??
    here[0];
  if (first === undefined) {
    const page = others.length > 0 ? "node-sdk" : found[0]?.page;
    return page === undefined ? undefined : { page, exact: others.length === 0, also: [] };
  }
  const { page } = first;
  const also = new Set(here.filter(({ exact }) => exact).map((name) => name.page));
  also.delete(page);
  // The page of a language is about none of the frameworks that stand beside its name.
  const beside = languages.has(page)
    ? also.size > 0 || here.some((name) => !name.exact)
    : page === "node-sdk" && here.length < others.length;
  also.delete("node-sdk");
  return { page, exact: first.exact && !beside, also: [...also] };
}
