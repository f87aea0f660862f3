import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { createMailer } from "../../src/mail.ts";
import { deactivationMail } from "../../src/webhooks/notify.ts";
import { testDatabase } from "../support/engine.ts";
import { startMailServer } from "../support/mail-server.ts";
import { testShop } from "../support/shop.ts";

const { db } = await testDatabase();

async function world(callout: object) {
  const shop = await testShop(db, { name: "Shop of\nAnn" });
  const path = `/management/v1/projects/${shop.project.id}`;
  await shop.ok(`PUT ${path}`, { webhooks_callout_notifications: { webhooks: callout } });
  const webhook = { project_id: shop.project.id, id: "wh_1", target_url: "https://shop.example/hooks" };
  return deactivationMail(db, webhook);
}

test("those who are named are told by e-mail that a webhook was switched off", async (t) => {
  const mail = (await world({ email: true, emails: ["ann@example.com", "bob@example.com"] }))!;
  assert.deepEqual(mail.to, ["ann@example.com", "bob@example.com"]);
  assert.equal(mail.subject, "A webhook of Shop of Ann was switched off");
  const server = await startMailServer();
  t.after(server.close);
  const send = createMailer(server.url, "laurel@example.com");
  await send(mail);
  assert.equal(server.mails.length, 1);
  const [text] = server.mails;
  assert.match(text!, /^From: laurel@example\.com/m);
  assert.match(text!, /^To: ann@example\.com, bob@example\.com/m);
  assert.match(text!, /^Subject: A webhook of Shop of Ann was switched off/m);
  assert.match(text!, /wh_1/);
});

test("nobody is told who does not want to be", async () => {
  assert.equal(await world({ email: false, emails: ["ann@example.com"] }), null);
  assert.equal(await world({ email: true, emails: [] }), null);
});

// In a process of its own: here the module may be loaded already.
test("a mail that could not be sent because a module was not loaded leaves the next one unharmed", () => {
  const script = `
    import { registerHooks } from "node:module";
    let isBroken = true;
    const load = (url, context, next) => {
      if (isBroken && url.includes("/nodemailer/")) throw new Error("too many open files");
      return next(url, context);
    };
    registerHooks({ load });
    const { createMailer } = await import(${JSON.stringify(new URL("../../src/mail.ts", import.meta.url).href)});
    // Nobody listens there: what fails is the connection, once there is a module to make one.
    const send = createMailer("smtp://127.0.0.1:1", "laurel@shop.example");
    const failure = () => send({ to: ["ann@shop.example"], subject: "Hello", text: "Hello" }).then(() => null, (error) => error);
    const first = await failure();
    isBroken = false;
    const second = await failure();
    console.log(JSON.stringify([first.message, second.code]));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(printed), ["too many open files", "ESOCKET"]);
});
