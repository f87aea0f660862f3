import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadDemo } from "../../src/demo/load.ts";
import { demoClock, demoIds } from "../../src/demo/requests.ts";
import { newId, testDatabase, testEngine, testProject } from "../support/engine.ts";
import { runDocument } from "./examples.ts";

const { db } = await testDatabase();

/** A Saturday night: the recipes move the test clock to where they need it. */
const SATURDAY_NIGHT = "2026-04-18T23:10:00.000Z";

/** A folder with the credentials files of a reader, and the address of a server with the demo. */
async function startServer() {
  const clone = fs.mkdtempSync(join(os.tmpdir(), "laurel-recipes-"));
  after(() => fs.rmSync(clone, { recursive: true, force: true }));
  const project = await testProject(db, { name: "Sandbox", currency: "USD" });
  const clock = demoClock(() => SATURDAY_NIGHT);
  const ids = demoIds(newId);
  const { app } = await testEngine(db, project, { now: clock.now, newId: ids.newId, v2Auth: "either" });
  await loadDemo(app, { projectId: project.id, keys: project, clock, ids, historyDays: 0 });
  fs.mkdirSync(join(clone, "data/credentials"), { recursive: true });
  const { app: own, management } = project;
  const headers = {
    app: `X-App-Id: ${own.id}\nX-App-Token: ${own.secret}\n`,
    management: `X-Management-Id: ${management.id}\nX-Management-Token: ${management.secret}\n`,
  };
  for (const [kind, text] of Object.entries(headers))
    fs.writeFileSync(join(clone, `data/credentials/${kind}.headers`), text);
  await app.listen({ host: "127.0.0.1", port: 0 });
  return { clone, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
}

test("every recipe is configured by the requests it shows, and gives the numbers it shows", async () => {
  await runDocument("docs/guides/recipes.md", await startServer());
});
