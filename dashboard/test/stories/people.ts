import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { stepAt } from "../../../src/core/users/totp.ts";
import { codeIn } from "../../../src/resources/platform/users/totp-store.ts";
import { faultsOf, OWNER, type Shop, VIEWER } from "../browser.ts";

/** How people come in and look after their own account, and the keys of programs. */
export async function people(t: TestContext, shop: Shop): Promise<void> {
  await t.test("single sign-on links a password account once, then it is one click", async () => {
    const { page, complaints, close } = await shop.open();
    shop.provider.state.signedInAs = { sub: "stranger", email: "stranger@example.com", email_verified: true };
    await page.goto(`${shop.url}/campaigns?campaign_type=PROMOTION`);
    await page.getByRole("button", { name: "Continue with The Office" }).click();
    await page.getByText("stranger@example.com was not invited").waitFor();
    assert.deepEqual(await faultsOf(page), []);
    // Somebody else sits down: the provider would know who was here before.
    await page.context().clearCookies();
    shop.provider.state.signedInAs = { sub: "cy", email: VIEWER.email, email_verified: true };
    await page.goto(`${shop.url}/campaigns?campaign_type=PROMOTION`);
    await page.getByRole("button", { name: "Continue with The Office" }).click();
    await page.getByRole("heading", { name: "Is this your account?" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Link and sign in" }).click();
    await page.getByText("This is not the password of the account.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(VIEWER.password);
    await page.getByRole("button", { name: "Link and sign in" }).click();
    // The page that was asked for, with its filter.
    await page.getByRole("heading", { level: 1, name: "Campaigns" }).waitFor();
    await page.waitForURL(/\/campaigns\?campaign_type=PROMOTION$/);
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Continue with The Office" }).click();
    await page.getByRole("heading", { level: 1, name: "Campaigns" }).waitFor();
    // And the link is ended by who knows the password.
    await page.goto(`${shop.url}/settings/account`);
    await page.getByRole("button", { name: "End the link" }).click();
    const window = page.getByRole("dialog");
    await window.getByLabel("Current password").fill("not the password");
    await window.getByRole("button", { name: "End the link" }).click();
    await window.getByText("This is not your password.").waitFor();
    await window.getByLabel("Current password").fill(VIEWER.password);
    await window.getByRole("button", { name: "End the link" }).click();
    await window.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Single sign-on" }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Second factor" }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("a second factor is set up with a picture and switched off; other sessions end", async () => {
    const elsewhere = await shop.signIn();
    const { page, complaints, close } = await shop.signIn();
    await page.goto(`${shop.url}/settings/account`);
    await page.getByRole("button", { name: "Set it up" }).click();
    await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    const secret = (await page.getByRole("group", { name: "Secret for the app" }).textContent())!.trim();
    await page.getByLabel("Code from your authenticator app").fill("000000");
    await page.getByRole("button", { name: "Switch it on" }).click();
    await page.getByText("This code is wrong.").waitFor();
    await page.getByLabel("Code from your authenticator app").fill(codeIn(secret, stepAt(new Date().toISOString())));
    await page.getByRole("button", { name: "Switch it on" }).click();
    const codes = await page.getByRole("group", { name: "Your recovery codes" }).textContent();
    assert.equal(codes!.trim().split(/\s+/).length, 10);
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByRole("button", { name: "Switch it off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill("not the password");
    await dialog.getByRole("button", { name: "Switch it off" }).click();
    await dialog.getByText("This is not your password.").waitFor();
    await dialog.getByLabel("Current password").fill(OWNER.password);
    await dialog.getByRole("button", { name: "Switch it off" }).click();
    await page.getByRole("button", { name: "Set it up" }).waitFor();
    assert.deepEqual(complaints, []);
    await elsewhere.page.goto(shop.url);
    await elsewhere.page.getByRole("heading", { name: "Sign in to Laurel" }).waitFor();
    await elsewhere.close();
    await close();
  });

  await t.test("a wrong current password is told at its field, and nobody is signed out", async () => {
    const { page, close } = await shop.signIn();
    await page.goto(`${shop.url}/settings/account`);
    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password").fill("short");
    await page.getByRole("button", { name: "Change the password" }).click();
    assert.equal(await page.getByText("At least 12 characters.").count(), 2);
    await page.getByLabel("New password").fill("a long enough password");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("This is not your password.").waitFor();
    const other = await shop.signIn();
    await page.reload();
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await page.getByText("You are signed in here only").waitFor();
    await other.page.goto(shop.url);
    await other.page.getByRole("heading", { name: "Sign in to Laurel" }).waitFor();
    await other.close();
    await close();
  });

  await t.test("a key is made, shown once, works, and is switched off", async () => {
    const { page, complaints, close } = await shop.signIn();
    await page.goto(`${shop.url}/keys`);
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create the key" }).click();
    await page
      .getByRole("dialog")
      .getByText(/required|Fill in/i)
      .first()
      .waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("Till in Hamburg");
    await page.getByRole("button", { name: "Create the key" }).click();
    const shown = (await page.getByRole("group", { name: "The key with its secret" }).textContent())!;
    const [, id, secret] = /X-App-Id: (\S+)\s+X-App-Token: (\S+)/.exec(shown)!;
    const call = () =>
      fetch(`${shop.server.url}/v1/categories`, { headers: { "x-app-id": id!, "x-app-token": secret! } });
    assert.equal((await call()).status, 200);
    await page.getByRole("button", { name: "I have copied it" }).click();
    const row = page.getByRole("row").filter({ hasText: "Till in Hamburg" });
    await row.waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await row.getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Switch it off" }).click();
    await page.getByRole("button", { name: "Switch Till in Hamburg off" }).click();
    await page.getByText("Till in Hamburg is switched off").waitFor();
    assert.equal((await call()).status, 401);
    assert.ok(!(await page.content()).includes(secret!));
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("who forgot the password asks for a link, and is not told whose address is known", async () => {
    const { page, complaints, close } = await shop.open({ width: 380 });
    await page.goto(shop.url);
    // This server has no mail server, so it says who can help.
    await page.getByText("laurel user reset").waitFor();
    assert.equal(await page.getByRole("button", { name: "Forgotten your password?" }).count(), 0);
    await page.route("**/management/v1/single-sign-on", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), sends_mail: true } });
    });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/password-reset")) asked.push(request.postData()!);
    });
    const said: (string | null)[] = [];
    for (const email of [VIEWER.email, "nobody@example.com"]) {
      await page.goto(shop.url);
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Forgotten your password?" }).click();
      // What was typed comes along.
      await page.getByRole("button", { name: "Send the link" }).click();
      const told = page.getByRole("status").filter({ hasText: "If " });
      said.push((await told.textContent())!.replace(email, "…"));
    }
    assert.deepEqual(await faultsOf(page), []);
    assert.equal(said[0], said[1]);
    assert.deepEqual(asked, [`{"email":"${VIEWER.email}"}`, '{"email":"nobody@example.com"}']);
    await page.getByRole("button", { name: "Back to the sign-in page" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("without a mail server the owner is shown the link of an invitation, and it works", async () => {
    const { page, complaints, close } = await shop.signIn();
    await page.goto(`${shop.url}/settings/users`);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("eve@example.com");
    await dialog.getByLabel("First name").fill("Eve");
    await dialog.getByLabel("Last name").fill("Evans");
    await dialog.getByRole("button", { name: "Invite and show the link" }).click();
    const shown = page.getByRole("group", { name: "Invitation link for eve@example.com" });
    const first = (await shown.textContent())!.trim();
    await page.getByText(/It works once, until \d/).waitFor();
    await page.getByRole("button", { name: "Copy: Invitation link for eve@example.com" }).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole("button", { name: "I have copied it" }).click();
    const row = page.getByRole("row").filter({ hasText: "eve@example.com" });
    await row.getByText("Invited").waitFor();
    // It was lost: another one takes its place.
    await row.getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Make a new invitation link" }).click();
    const link = (await shown.textContent())!.trim();
    assert.notEqual(link, first);
    const guest = await shop.open();
    await guest.page.goto(first);
    await guest.page.getByText("a newer one was sent").waitFor();
    await guest.page.goto("about:blank");
    await guest.page.goto(link);
    await guest.page.locator("#password").fill("a long enough password");
    await guest.page.getByRole("button", { name: "Accept the invitation" }).click();
    await guest.page.getByRole("heading", { name: "Welcome, Eve" }).waitFor();
    await guest.page.getByRole("link", { name: "Sign in" }).click();
    const address = guest.page.getByLabel("E-mail");
    await address.waitFor();
    assert.equal(await address.inputValue(), "eve@example.com");
    await guest.close();
    assert.deepEqual(complaints, []);
    await close();
  });

  await t.test("a user who is switched off is signed out, and the list says so", async () => {
    const other = await shop.signIn(VIEWER);
    const { page, close } = await shop.signIn();
    await page.goto(`${shop.url}/settings/users`);
    const row = page.getByRole("row").filter({ hasText: VIEWER.email });
    await row.getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Switch the account off" }).click();
    await page.getByRole("button", { name: /^Switch .* off$/ }).click();
    await row.getByText("Disabled").waitFor();
    await other.page.goto(shop.url);
    await other.page.getByRole("heading", { name: "Sign in to Laurel" }).waitFor();
    await row.getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Switch the account on" }).click();
    await row.getByText("Active").waitFor();
    await other.close();
    await close();
  });
}
