import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { SETTINGS } from "../../../src/config.ts";
import { type Lab, ROOT } from "../lab/lab.ts";

// Helm is not in Debian. Its templates are Go's with the functions of Sprig, and both are.

type Kubernetes = { apiVersion: string; kind: string; metadata: { name: string }; spec?: { template?: { spec: Pod } } };
type Pod = { enableServiceLinks?: boolean; containers: Container[] };
type Container = {
  env: { name: string; value?: string }[];
  readinessProbe?: { periodSeconds: number; failureThreshold: number };
};
type Model = new (object: object) => { validate(): void };
type Render = (values: string) => Kubernetes[];

/** The schemas of Kubernetes, and of the operators whose objects are used, by the group of the objects. */
const MODELS: Record<string, readonly [name: string, version: string]> = {
  "": ["kubernetes-models", "5.1.0"],
  "monitoring.coreos.com": ["@kubernetes-models/prometheus-operator", "6.0.0"],
  "postgresql.cnpg.io": ["@kubernetes-models/cloudnative-pg", "2.0.0"],
};

const EVERYTHING = `
ingress: { enabled: true, className: nginx, host: laurel.example.com, tlsSecret: laurel-tls, annotations: { a: b } }
autoscaling: { enabled: true }
serviceMonitor: { enabled: true }
firstKeys: { secret: laurel-first-keys }
imagePullSecrets: [{ name: registry }]
nodeSelector: { disk: fast }
tolerations: [{ key: shop, operator: Exists }]
affinity: { nodeAffinity: {} }
settings: { LAUREL_TRUST_PROXY: 10.244.0.0/16, LAUREL_DOCS: "off" }
`;

export async function run(lab: Lab): Promise<void> {
  const check = installSchemas(lab);
  const render = buildRenderer(lab);
  const [few, all] = [render(""), render(EVERYTHING)];
  for (const one of [...few, ...all]) await check(one);
  const kinds = (objects: readonly Kubernetes[]) =>
    objects
      .map(({ kind }) => kind)
      .sort()
      .join(", ");
  lab.figure("objects by default", kinds(few), { is: "Deployment, Job, PodDisruptionBudget, Service" });
  lab.figure("objects with everything on", kinds(all), {
    is: "Deployment, HorizontalPodAutoscaler, Ingress, Job, PodDisruptionBudget, Service, ServiceMonitor",
  });
  await tellPods(lab, render);
  const [cluster] = parseAllDocuments(fs.readFileSync(join(ROOT, "ops/cloudnative-pg/cluster.yaml"), "utf8"));
  await check(cluster!.toJS() as Kubernetes);
  // The check must be able to fail.
  const WRONG: Record<string, object> = {
    "a wrong object": {
      ...few.find(({ kind }) => kind === "Deployment")!,
      spec: { replicas: "two" },
    },
    "a wrong cluster": { ...cluster!.toJS(), spec: { instances: 3, postgresql: { synchronous: { method: "some" } } } },
  };
  for (const [what, object] of Object.entries(WRONG))
    lab.figure(`${what} is refused`, await isRefused(() => check(object as Kubernetes)), { is: "yes" });
}

async function isRefused(run: () => unknown): Promise<string> {
  try {
    await run();
    return "no";
  } catch {
    return "yes";
  }
}

/** What the pods are told, and how long they are asked. */
async function tellPods(lab: Lab, render: Render): Promise<void> {
  const podsOf = (values: string) => render(values).flatMap(({ spec }) => spec?.template?.spec ?? []);
  const pods = [...podsOf(""), ...podsOf(EVERYTHING)];
  const linked = pods.filter(({ enableServiceLinks }) => enableServiceLinks !== false);
  lab.figure("pods that get variables of Services", linked.length, { is: 0 });
  const names = pods.flatMap(({ containers }) => containers[0]!.env.map(({ name }) => name));
  lab.figure("variables that are no settings", names.filter((name) => !(name in SETTINGS)).length, { is: 0 });
  const toldIn = (values: string, setting: string) => {
    const each = podsOf(values).map(({ containers }) => containers[0]!.env.filter(({ name }) => name === setting));
    return [...new Set(each.map((found) => found.map(({ value }) => value).join(" and ") || "unset"))].join(", ");
  };
  const TOLD: readonly (readonly [values: string, setting: string, is: string])[] = [
    [EVERYTHING, "LAUREL_PUBLIC_URL", "https://laurel.example.com"],
    [EVERYTHING.replace("tlsSecret: laurel-tls,", ""), "LAUREL_PUBLIC_URL", "http://laurel.example.com"],
    [EVERYTHING, "LAUREL_METRICS", "direct"],
    ["metrics: { enabled: false }", "LAUREL_METRICS", "unset"],
    ["settings: { LAUREL_METRICS: 'on' }", "LAUREL_METRICS", "on"],
  ];
  for (const [values, setting, is] of TOLD) lab.figure(`${setting} is ${is}`, toldIn(values, setting), { is });
  const { periodSeconds, failureThreshold } = pods.find(({ containers }) => containers[0]!.readinessProbe)!
    .containers[0]!.readinessProbe!;
  // As long as reliability.md promises that a failover takes.
  lab.figure("seconds that a pod may be without its database", periodSeconds * failureThreshold, { atLeast: 45 });
  const REFUSED: Record<string, string> = {
    "an Ingress without a host": "ingress: { enabled: true }\nsettings: { LAUREL_TRUST_PROXY: 10.0.0.1 }",
    "an Ingress without LAUREL_TRUST_PROXY": "ingress: { enabled: true, host: laurel.example.com }",
  };
  for (const [what, values] of Object.entries(REFUSED))
    lab.figure(`${what} is refused`, await isRefused(() => render(values)), { is: "yes" });
}

/** Holds an object against the schema of its kind. */
function installSchemas(lab: Lab): (object: Kubernetes) => Promise<void> {
  const models = join(lab.dir, "models");
  fs.mkdirSync(models);
  fs.writeFileSync(join(models, "package.json"), '{"type":"module"}');
  const packages = Object.values(MODELS).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", ...packages], { cwd: models });
  lab.say(`schemas: ${packages.join(", ")}`);
  return async (object) => {
    const { apiVersion, kind, metadata } = object;
    const [name] = MODELS[apiVersion.split("/")[0]!] ?? MODELS[""]!;
    const file = join(models, "node_modules", name, apiVersion, `${kind}.mjs`);
    const found = fs.existsSync(file) ? file : file.replace(/mjs$/, "js");
    const model = ((await import(pathToFileURL(found).href)) as Record<string, Model>)[kind]!;
    new model(object).validate();
    lab.say(`${kind} ${metadata.name} fits its schema`);
  };
}

function buildRenderer(lab: Lab): Render {
  const renderer = join(lab.dir, "render-chart");
  const env = {
    ...process.env,
    GO111MODULE: "off",
    GOPATH: "/usr/share/gocode",
    GOFLAGS: "",
    GOCACHE: join(lab.dir, "go"),
  };
  execFileSync("go", ["build", "-o", renderer, join(ROOT, "test/ops/lab/render-chart.go")], { env });
  return (values) =>
    parseAllDocuments(execFileSync(renderer, [join(ROOT, "ops/helm/laurel"), "shop"], { input: values }).toString())
      .map((document) => {
        if (document.errors.length > 0) throw document.errors[0]!;
        return document.toJS() as Kubernetes | null;
      })
      .filter((one) => one !== null);
}
