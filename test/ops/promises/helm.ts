import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseAllDocuments } from "yaml";
import { type Lab, ROOT } from "../lab/lab.ts";

// Helm is not in Debian. Its templates are Go's with the functions of Sprig, and both are.

type Kubernetes = { apiVersion: string; kind: string; metadata: { name: string } };
type Model = new (object: object) => { validate(): void };

const MODELS = "kubernetes-models@5.1.0";
/** Their schemas belong to the operators that bring them. */
const FOREIGN = ["ServiceMonitor", "Cluster"];

const EVERYTHING = `
ingress: { enabled: true, className: nginx, tlsSecret: laurel-tls, annotations: { a: b } }
autoscaling: { enabled: true }
serviceMonitor: { enabled: true }
firstKeys: { secret: laurel-first-keys }
imagePullSecrets: [{ name: registry }]
nodeSelector: { disk: fast }
tolerations: [{ key: shop, operator: Exists }]
affinity: { nodeAffinity: {} }
settings: { LAUREL_PUBLIC_URL: "https://laurel.example.com" }
`;

export async function run(lab: Lab): Promise<void> {
  const models = join(lab.dir, "models");
  fs.mkdirSync(models);
  fs.writeFileSync(join(models, "package.json"), '{"type":"module"}');
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", MODELS], { cwd: models });
  lab.say(`schemas: ${MODELS}`);
  const renderer = join(lab.dir, "render-chart");
  const env = {
    ...process.env,
    GO111MODULE: "off",
    GOPATH: "/usr/share/gocode",
    GOFLAGS: "",
    GOCACHE: join(lab.dir, "go"),
  };
  execFileSync("go", ["build", "-o", renderer, join(ROOT, "test/ops/lab/render-chart.go")], { env });
  const render = (values: string) =>
    parseAllDocuments(execFileSync(renderer, [join(ROOT, "ops/helm/laurel"), "shop"], { input: values }).toString())
      .map((document) => {
        if (document.errors.length > 0) throw document.errors[0]!;
        return document.toJS() as Kubernetes | null;
      })
      .filter((one) => one !== null);

  const modelOf = async ({ apiVersion, kind }: Kubernetes): Promise<Model> => {
    const file = join(models, "node_modules/kubernetes-models", apiVersion, `${kind}.mjs`);
    const found = fs.existsSync(file) ? file : file.replace(/mjs$/, "js");
    return ((await import(pathToFileURL(found).href)) as Record<string, Model>)[kind]!;
  };
  const check = async (objects: readonly Kubernetes[]) => {
    for (const one of objects) {
      if (FOREIGN.includes(one.kind)) continue;
      const model = await modelOf(one);
      new model(one).validate();
      lab.say(`${one.kind} ${one.metadata.name} fits its schema`);
    }
  };
  const [few, all] = [render(""), render(EVERYTHING)];
  await check(few);
  await check(all);
  const names = (objects: readonly Kubernetes[]) =>
    objects
      .map(({ kind }) => kind)
      .sort()
      .join(", ");
  lab.figure("objects by default", names(few), { is: "Deployment, Job, PodDisruptionBudget, Service" });
  lab.figure("objects with everything on", names(all), {
    is: "Deployment, HorizontalPodAutoscaler, Ingress, Job, PodDisruptionBudget, Service, ServiceMonitor",
  });
  // The check must be able to fail.
  const broken = structuredClone(few.find(({ kind }) => kind === "Deployment")!) as Kubernetes & {
    spec: { replicas: unknown };
  };
  broken.spec.replicas = "two";
  const refused = await check([broken]).then(
    () => "no",
    () => "yes",
  );
  lab.figure("a wrong object is refused", refused, { is: "yes" });
  const [cluster] = parseAllDocuments(fs.readFileSync(join(ROOT, "ops/cloudnative-pg/cluster.yaml"), "utf8"));
  lab.figure(
    "instances of the CloudNativePG example",
    (cluster!.toJS() as { spec: { instances: number } }).spec.instances,
    { is: 3 },
  );
}
