/**
 * The Helm chart: Helm renders it, Kubernetes' models know every field of what comes out, and a
 * collector takes the variables and answers the probes.
 */
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { ephemeral } from "@turnproof/store";
import { endpoints } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { variables } from "../../../collector/src/config/config-variables.ts";
import { listen } from "../../../collector/src/server.ts";
import { startHelm } from "../../servers/helm.ts";
import type { Helm, Manifest, Rendered } from "../../servers/helm.ts";
import { openDesk, quiet } from "../collector/desk.ts";
import { full, least, shared, signIn } from "./helm-values.ts";

const root = join(import.meta.dirname, "../../..");
const chart = join(root, "dashboards/helm/turnproof");
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");

let helm: Helm;
let small: Rendered;
let large: Rendered;
beforeAll(async () => {
  helm = await startHelm();
  const page = await read("docs/operate/scaling.md");
  const [, sample = ""] = /^## Kubernetes$[^]*?^```yaml$([^]*?)^```$/m.exec(page) ?? [];
  small = await helm.render(chart, parse(sample) as object);
  large = await helm.render(chart, full);
});
afterAll(() => helm[Symbol.asyncDispose]());

/** One object by its kind, and by its name where there are two. */
function only<T = Manifest>({ manifests }: Rendered, kind: string, name = "turnproof"): T {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name);
  expect([kind, found.length]).toEqual([kind, 1]);
  return found[0] as T;
}

interface Pods {
  readonly spec: { readonly template: Template };
}

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: object;
    readonly containers: readonly [Container];
    readonly volumes: readonly object[];
  };
}

interface Schedule {
  readonly spec: { readonly jobTemplate: Pods };
}

interface Policy {
  readonly spec: { readonly egress: readonly object[] };
}

interface Container {
  readonly args?: readonly string[];
  readonly envFrom: readonly object[];
  readonly securityContext: object;
  readonly volumeMounts: readonly object[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly image: string;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

const podOf = (rendered: Rendered): Template["spec"] =>
  only<Pods>(rendered, "StatefulSet").spec.template.spec;

/** Variables that the pods of a rendered chart get, apart from those of Secrets. */
function environmentOf(rendered: Rendered): Record<string, string> {
  const { data } = only<{ readonly data: Record<string, string> }>(rendered, "ConfigMap");
  const own = podOf(rendered).containers[0].env.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value.replace("$(POD_IP)", "10.1.2.3")] as const],
  );
  return { ...data, ...Object.fromEntries(own) };
}

describe("the objects", () => {
  test("are of Kubernetes and of the Prometheus operator, in every field", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "turnproof-helm-"));
    await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
    const lines: string[] = [];
    const all = [...small.manifests, ...large.manifests];
    for (const [index, manifest] of all.entries()) {
      const { apiVersion, kind } = manifest;
      const models = apiVersion.startsWith("monitoring")
        ? `@kubernetes-models/prometheus-operator/${apiVersion}`
        : `kubernetes-models/${apiVersion}`;
      const module = (await import(models)) as Record<string, new (data: object) => Model>;
      const Kind = module[kind];
      expect([kind, Kind !== undefined]).toEqual([kind, true]);
      if (Kind !== undefined) new Kind(manifest).validate();
      lines.push(`import type { I${kind} as Kind${index} } from "${models}";`);
      lines.push(`export const object${index}: Kind${index} = ${JSON.stringify(manifest)};`);
    }
    // A field that there is not: without its error the directive is one.
    lines.push('import type { IService } from "kubernetes-models/v1";', "// @ts-expect-error");
    lines.push('export const typo: IService = { apiVersion: "v1", kind: "Service", specs: {} };');
    expect(await unknownFields(folder.path, lines)).toBe("");
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(9);
  });

  test("give the collector no right beyond its data directory", () => {
    for (const rendered of [small, large]) {
      const pod = podOf(rendered);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          fsGroupChangePolicy: "OnRootMismatch",
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
          },
        ],
      });
      expect(pod).not.toHaveProperty("containers.0.lifecycle");
    }
  });

  test("delete evidence by age as the first replica does, and only where it is requested", async () => {
    expect(small.manifests.map(({ kind }) => kind)).not.toContain("CronJob");
    expect(small.notes).toContain("No evidence is deleted by age");
    expect(large.notes).not.toContain("No evidence is deleted by age");
    const job = only<Schedule>(large, "CronJob", "turnproof-retention");
    const { metadata, spec } = job.spec.jobTemplate.spec.template;
    const [container] = spec.containers;
    expect(job.spec).toMatchObject({ schedule: "5 4 * * *", concurrencyPolicy: "Forbid" });
    // The collector's program, variables, secrets, user and files.
    const pod = podOf(large);
    const [collector] = pod.containers;
    expect(container.args).toEqual(["retention", "--apply"]);
    for (const field of ["image", "envFrom", "securityContext", "volumeMounts"] as const) {
      expect([field, container[field]]).toEqual([field, collector[field]]);
    }
    const own = new Set(["POD_IP", "TURNPROOF_UI_ORIGIN"]);
    expect(container.env).toEqual(collector.env.filter(({ name }) => !own.has(name)));
    expect(spec.securityContext).toEqual(pod.securityContext);
    expect(spec.volumes[0]).toEqual({
      name: "data",
      persistentVolumeClaim: { claimName: "data-turnproof-0" },
    });
    // No Service, policy or budget of the collectors selects it; a policy of its own admits no one.
    const labels = { "app.kubernetes.io/name": "turnproof-retention" };
    expect(metadata.labels).toEqual(labels);
    const { spec: policy } = only<Policy>(large, "NetworkPolicy", "turnproof-retention");
    expect(policy).toEqual({
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      egress: only<Policy>(large, "NetworkPolicy").spec.egress,
    });
  });

  test("stop after the collector has stopped by itself", async () => {
    const deadlines = await Promise.all(
      ["collector/src/server.ts", "collector/src/collector.ts"].map(async (path) =>
        Number(/\bcloseDeadlineMs\b[ :=]+([\d_]+)/.exec(await read(path))?.[1]?.replace("_", "")),
      ),
    );
    const seconds = deadlines.reduce((sum, each) => sum + each, 0) / 1_000;
    expect(podOf(small).terminationGracePeriodSeconds).toBeGreaterThan(seconds);
    const schema = JSON.parse(await read("dashboards/helm/turnproof/values.schema.json")) as Schema;
    expect(schema.properties.terminationGracePeriodSeconds.minimum).toBe(seconds);
  });

  test("lead from the policy, the budget, the rules and the Services to the same pods", async () => {
    const labels = {
      "app.kubernetes.io/name": "turnproof",
      "app.kubernetes.io/instance": "turnproof",
    };
    expect(only(large, "StatefulSet")).toMatchObject({
      spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    });
    for (const name of ["turnproof", "turnproof-pods"]) {
      expect(only(large, "Service", name)).toMatchObject({ spec: { selector: labels } });
    }
    expect(only(large, "PodDisruptionBudget")).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
    expect(only(large, "NetworkPolicy")).toMatchObject({
      spec: { podSelector: { matchLabels: labels }, policyTypes: ["Ingress", "Egress"] },
    });
    // Prometheus takes a job's name from this label of the Service: the rules select by it.
    expect(only(large, "ServiceMonitor")).toMatchObject({
      spec: { jobLabel: "app.kubernetes.io/name", endpoints: [{ path: "/evidence/metrics" }] },
    });
    expect(only(large, "Service", "turnproof-pods").metadata.labels).not.toMatchObject(labels);
    expect(only(large, "PrometheusRule")["spec"]).toEqual(
      parse(await read("dashboards/prometheus/alerts.yml")),
    );
    const { version } = JSON.parse(await read("collector/package.json")) as { version: string };
    expect(parse(await read("dashboards/helm/turnproof/Chart.yaml"))).toMatchObject({
      version,
      appVersion: version,
    });
    expect(podOf(small).containers[0].image).toBe(`registry.example.com/turnproof:${version}`);
    expect(large.notes).toContain("https://turnproof.example.com/evidence/");
    expect(small.notes).toContain("port-forward service/turnproof 4318");
  });
});

interface Model {
  validate(): void;
}

/** What the compiler finds in objects that are written as values of their types. */
async function unknownFields(folder: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, "objects.ts");
  await writeFile(file, lines.join("\n"));
  const args = ["--noEmit", "--skipLibCheck", "--module", "nodenext", "--types", "", file];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "--ignoreConfig", ...args], {
    cwd: folder,
  }).then(
    () => "",
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}

interface Schema {
  readonly properties: {
    readonly terminationGracePeriodSeconds: { readonly minimum: number };
    readonly environment: { readonly propertyNames: { readonly enum: readonly string[] } };
    readonly secrets: { readonly propertyNames: { readonly enum: readonly string[] } };
  };
}

describe("the values", () => {
  const refused: [string, object, RegExp][] = [
    ["a misspelled value", { ...least, replica: 2 }, /'replica' not allowed/],
    ["no sign-in", {}, /missing property 'TURNPROOF_UI_AUTH_TOKEN'/],
    [
      "a secret in plain text",
      { ...least, environment: { TURNPROOF_TOKEN: "x" } },
      /TURNPROOF_TOKEN/,
    ],
    [
      "a password in an address",
      { ...least, environment: { TURNPROOF_CLICKHOUSE_URL: "http://a:b@host:8123" } },
      /TURNPROOF_CLICKHOUSE_URL': .*does not match/,
    ],
    [
      "a variable of the chart",
      { ...least, environment: { TURNPROOF_HOST: "::" } },
      /TURNPROOF_HOST/,
    ],
    ["replicas on embedded stores", { secrets: { ...signIn, ...shared }, replicas: 2 }, /_URL'/],
    [
      "replicas with keys of their own",
      { ...full, secrets: signIn },
      /missing properties 'TURNPROOF_UI_SESSION_SECRET', 'TURNPROOF_IDENTITY_KEY'/,
    ],
    [
      "retention beside an embedded engine",
      { ...least, retention: { enabled: true } },
      /TURNPROOF_BACKEND|_URL'/,
    ],
    [
      "retention on a volume of one pod",
      { ...full, persistence: { accessMode: "ReadWriteOncePod" } },
      /accessMode/,
    ],
    [
      "any peer without a policy",
      { ...least, networkPolicy: { enabled: false } },
      /TURNPROOF_PROXY/,
    ],
    ["a policy that lets everyone in", { ...least, networkPolicy: { from: [] } }, /minItems/],
    [
      "an Ingress without TLS",
      { ...full, ingress: { enabled: true, host: "a.example" } },
      /tlsSecret/,
    ],
  ];

  test.each(refused)("that Helm refuses: %s", async (_, values, words) => {
    await expect(helm.render(chart, values)).rejects.toThrow(words);
  });

  test("name each variable of a collector once, with its secret apart", async () => {
    const { properties } = JSON.parse(
      await read("dashboards/helm/turnproof/values.schema.json"),
    ) as Schema;
    // Those that the chart sets, and those of other programs than the collector.
    const others = ["HOST", "PORT", "GRPC_PORT", "DATA_DIR", "UI_ORIGIN", "URL", "TOKEN"];
    const apart = new Set([...others, "INGEST_TOKEN", "FINGERPRINT_KEY"]);
    const names = (secret: boolean): string[] =>
      variables
        .filter((row) => row.secret === secret && !apart.has(row.name))
        .map(({ name }) => `TURNPROOF_${name}`);
    const addresses = ["TURNPROOF_CLICKHOUSE_URL", "TURNPROOF_POSTGRES_URL"];
    expect(properties.environment.propertyNames.enum.toSorted()).toEqual(
      [...names(false), ...addresses].toSorted(),
    );
    expect(properties.secrets.propertyNames.enum.toSorted()).toEqual(names(true).toSorted());
  });
});

describe("a collector with the variables of the chart", () => {
  test("answers the probes under the pod's address, and producers under the Service's name", async () => {
    for (const rendered of [small, large]) {
      const {
        TURNPROOF_CLICKHOUSE_URL: _,
        TURNPROOF_DATA_DIR: data,
        ...environment
      } = {
        ...environmentOf(rendered),
      };
      expect(data).toBe("/var/lib/turnproof/data");
      const token = { TURNPROOF_UI_AUTH_TOKEN: "operator-q7KxZt4Wm9Rc2Yd8" };
      const rules = { TURNPROOF_ALERT_RULES: "" };
      const desk = await openDesk(
        { ...environment, ...token, ...rules },
        { store: ephemeral(), judge: false },
      );
      const origins = (environment["TURNPROOF_UI_ORIGIN"] ?? "").split(",");
      const names = origins.map((origin) => new URL(origin).host);
      const server = await listen(desk.collector.app, {
        host: "127.0.0.1",
        port: 0,
        log: quiet,
        names,
      });
      const [container] = podOf(rendered).containers;
      const base = rendered === large ? "/evidence" : "";
      for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"] as const) {
        const { path } = container[probe].httpGet;
        expect(Object.keys(endpoints)).toContain(`GET ${path.slice(base.length)}`);
        for (const host of ["10.1.2.3:4318", "turnproof.watch.svc:4318"]) {
          expect([path, host, await status(server.port, path, host)]).toEqual([path, host, 200]);
        }
      }
      expect(await status(server.port, `${base}/healthz`, "10.1.2.4:4318")).not.toBe(200);
      await server.close(0);
      await desk.collector.close();
    }
  });
});

async function status(port: number, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
