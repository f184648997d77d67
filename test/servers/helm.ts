/**
 * @module Helm renders a chart: the engine in `kubernetes-mcp-server`, which receives a client's
 * request for an installation, over an API server that has kinds and holds nothing. Helm validates
 * the values, renders, reads its output as objects and stores the release before it creates any;
 * the store refuses, so that nothing waits for pods, and has the manifest.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parseAllDocuments } from "yaml";

/** An object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** What Helm made of a chart. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly notes: string;
}

/** A running Helm. */
export interface Helm extends AsyncDisposable {
  /**
   * Renders a chart as the release `turnproof` in the namespace `watch`.
   *
   * @throws Error with Helm's words, where it refuses values or templates
   */
  render(chart: string, values: object): Promise<Rendered>;
}

const program = createRequire(import.meta.url).resolve("kubernetes-mcp-server/bin/index.js");

/** Kinds by the group and version that the API server lists. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: ["ConfigMap", "Secret", "Service"],
  "apps/v1": ["StatefulSet"],
  "batch/v1": ["CronJob"],
  "policy/v1": ["PodDisruptionBudget"],
  "networking.k8s.io/v1": ["Ingress", "NetworkPolicy"],
  "monitoring.coreos.com/v1": ["ServiceMonitor", "PrometheusRule"],
};

/** Starts Helm over its API server. */
export async function startHelm(): Promise<Helm> {
  const home = await mkdtemp(join(tmpdir(), "helm-"));
  let release: Rendered | undefined;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const isRelease = request.method === "POST" && request.url?.includes("/secrets") === true;
      if (isRelease) release = releaseIn(body);
      const answer = request.method === "GET" ? answerTo(request.url ?? "") : undefined;
      const status = answer === undefined ? (isRelease ? forbidden : notFound) : 200;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { kind: "Status", apiVersion: "v1", code: status }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const kubeconfig = join(home, "kubeconfig");
  await writeFile(kubeconfig, JSON.stringify(configOf(server)));
  const args = [program, "--kubeconfig", kubeconfig, "--toolsets", "helm"];
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args, "--disable-multi-cluster", "--log-file", join(home, "log")],
      env: { HOME: home },
      stderr: "ignore",
    }),
  );
  return {
    async render(chart, values) {
      release = undefined;
      const call = { chart, values, name: "turnproof", namespace: "watch" };
      const { content } = await client.callTool(
        { name: "helm_install", arguments: call },
        { timeout: 20_000 },
      );
      if (release === undefined) throw new Error(JSON.stringify(content));
      return release;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      server.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

/**
 * The release in the Secret that Helm stores, as protocol buffers or as JSON: JSON, compressed, in
 * base64.
 */
function releaseIn(secret: string): Rendered {
  const text = secret.startsWith("{")
    ? Buffer.from((JSON.parse(secret) as Secret).data.release, "base64").toString("latin1")
    : secret;
  const [packed = ""] = /H4sI[\w+/=]+/.exec(text) ?? [];
  const { manifest, info } = JSON.parse(
    gunzipSync(Buffer.from(packed, "base64")).toString("utf8"),
  ) as { readonly manifest: string; readonly info: { readonly notes: string } };
  const manifests = parseAllDocuments(manifest, { strict: true, uniqueKeys: true }).map(
    (document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as Manifest;
    },
  );
  return { manifests, notes: info.notes };
}

interface Secret {
  readonly data: { readonly release: string };
}

const forbidden = 403;
const notFound = 404;

function configOf(server: Server): object {
  const { port } = server.address() as AddressInfo;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    users: [{ name: "test", user: {} }],
    "current-context": "test",
  };
}

/** The API server's description of itself; undefined for an object, since it has none. */
function answerTo(url: string): object | undefined {
  const [path = ""] = url.split("?");
  if (path === "/version") return { major: "1", minor: "34", gitVersion: "v1.34.0" };
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") return groups();
  if (path === "/openapi/v3") {
    const paths = Object.keys(kinds).map((each) => [
      `${each.includes("/") ? "apis" : "api"}/${each}`,
      { serverRelativeURL: `/openapi/v3/of/${each}` },
    ]);
    return { paths: Object.fromEntries(paths) as object };
  }
  if (path.endsWith("/secrets")) return { kind: "SecretList", apiVersion: "v1", items: [] };
  const [, described] = /^\/openapi\/v3\/of\/(.+)$/.exec(path) ?? [];
  if (described !== undefined) return validatesItself(described);
  const [, listed = ""] = /^\/apis?\/(.+)$/.exec(path) ?? [];
  return Object.hasOwn(kinds, listed) ? resources(listed) : undefined;
}

function groups(): object {
  const named = Object.keys(kinds).filter((each) => each.includes("/"));
  const all = named.map((groupVersion) => {
    const [name, version] = groupVersion.split("/");
    return {
      name,
      versions: [{ groupVersion, version }],
      preferredVersion: { groupVersion, version },
    };
  });
  return { kind: "APIGroupList", apiVersion: "v1", groups: all };
}

function resources(groupVersion: string): object {
  const all = (kinds[groupVersion] ?? []).map((kind) => ({
    kind,
    name: `${kind.toLowerCase()}s`.replace(/ys$/, "ies").replace(/ss$/, "sses"),
    singularName: kind.toLowerCase(),
    namespaced: true,
    verbs: ["get", "list", "create", "patch"],
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: all };
}

/** By its description the API server validates fields, so Helm requests no schemas. */
function validatesItself(groupVersion: string): object {
  const [version, group = ""] = groupVersion.split("/").toReversed();
  const paths = (kinds[groupVersion] ?? []).map((kind) => [
    `/${kind}`,
    {
      patch: {
        "x-kubernetes-group-version-kind": { group, version, kind },
        parameters: [{ name: "fieldValidation", in: "query" }],
        responses: {},
      },
    },
  ]);
  return {
    openapi: "3.0.0",
    info: { title: groupVersion, version: "1" },
    paths: Object.fromEntries(paths) as object,
  };
}
