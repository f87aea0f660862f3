import type { Page } from "playwright-core";

// The pictures of the guide to the dashboard: which page, how it is looked at, and what somebody has done there.

/** What pictures are about: ids differ from demo to demo. */
export type ShotIds = Record<"campaign" | "redemption" | "customer" | "program" | "member" | "rule" | "shirt", string>;
export type Shot = {
  name: string;
  path: (ids: ShotIds) => string;
  scheme?: "light" | "dark";
  /** 1280 unless it is said; `narrow` is a telephone. */
  isNarrow?: true;
  /** It is told what happens while it is open. */
  isLive?: true;
  act?: (page: Page, ids: ShotIds) => Promise<unknown>;
};

const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

/** A code for VIP customers, put together as far as its check. */
async function fillWizard(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Winter thank you");
  await tab(page, "Offer");
  await page.getByLabel("Percent off").fill("15");
  await tab(page, "Codes");
  await page.getByLabel("One code for everybody").check();
  await page.getByRole("textbox", { name: /^Code/ }).fill("WINTER15");
  await tab(page, "Who and when");
  await page.getByLabel("Only orders of at least").fill("50");
  await page.getByRole("combobox", { name: "Only customers in this segment" }).click();
  await page.getByRole("option", { name: "VIP customers" }).click();
  await text(page, "get 15% off");
}

/** A discount on some products only. */
async function chooseGoods(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Shirts in spring");
  await tab(page, "Offer");
  await page.getByLabel("Percent off").fill("20");
  await page.getByLabel("Only these").check();
  await page.getByRole("combobox", { name: "Add a product or a variant" }).fill("shirt");
  await page.getByRole("option", { name: "T-shirt", exact: true }).click();
  const sentence = page.getByText("20% off T-shirt").first();
  await sentence.waitFor();
  await sentence.scrollIntoViewIfNeeded();
}

/** A webhook that cannot be reached, and its attempts. */
async function tryWebhook(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/hook");
  await page.getByLabel("redemption.succeeded", { exact: true }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "http://127.0.0.1:9/hook" }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await text(page, "is not on the internet");
}

/** The same, tried on a cart. */
async function tryCart(page: Page): Promise<void> {
  await fillWizard(page);
  await tab(page, "Check");
  await page.getByRole("combobox", { name: "Customer" }).fill("ali");
  await page.getByRole("option", { name: /alice/i }).first().click();
  // Until the answer for alice is there, the one before it stands there.
  await page
    .getByText(/Sign in first/)
    .first()
    .waitFor({ state: "detached" });
  const verdict = page.getByText(/^(does not apply|applies)$/).first();
  await verdict.waitFor();
  await verdict.scrollIntoViewIfNeeded();
}

/** A cart that is refused, and then looked for. The refusal is written behind the answer. */
async function findRefusal(page: Page): Promise<void> {
  await text(page, "10.00 short");
  do await page.goto("/why?q=FREESHIP");
  while (await text(page, /refusals? in 30 days|Nothing was refused here/).then(() => isNothing(page)));
  await text(page, "Refused by the rule");
}
const isNothing = async (page: Page) => (await page.getByText("Nothing was refused here").count()) > 0;

/** A formula that somebody is in the middle of. */
async function typeFormula(page: Page): Promise<void> {
  await tab(page, "Offer");
  await page.getByRole("switch", { name: "Work it out by a formula" }).click();
  await page.getByRole("textbox", { name: /^Formula of/ }).click();
  await page.keyboard.type("MIN(ORDER_AMO");
  await page
    .getByRole("option", { name: /^ORDER_AMOUNT/ })
    .first()
    .waitFor();
}

async function askToErase(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Erase…" }).click();
  await text(page, "because limits and budgets count them");
}

async function findCampaigns(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Pages, campaigns").fill("news");
  await page.getByRole("dialog").getByText("Newsletter").first().waitFor();
}

async function showCall(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show as API call" }).click();
  await page.getByRole("dialog").getByText("curl").first().waitFor();
}

/** A file with a row that would be refused. */
async function tryFile(page: Page): Promise<void> {
  const content = ["my code;Value", "PAPER-1;10", "PAPER-2;ten"].join("\n");
  const file = { name: "codes.csv", mimeType: "text/csv", buffer: Buffer.from(content) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("combobox", { name: "Code", exact: true }).click();
  await page.getByRole("option", { name: "my code" }).click();
  await page.getByRole("combobox", { name: "What the codes give" }).click();
  await page.getByRole("option", { name: "Percent off" }).click();
  await page.getByRole("button", { name: "Try it" }).click();
  await text(page, "must be a number such as 1.5");
}

const CART = ({ shirt }: ShotIds) => `/simulator?item=${shirt}*2&as=alice&code=FREESHIP`;
const HOME = () => "/";
const DESIGNER = ({ program }: ShotIds) => `/loyalty/${program}/design`;

export const SHOTS: readonly Shot[] = [
  { name: "home", path: HOME },
  { name: "home-dark", path: HOME, scheme: "dark" },
  { name: "home-narrow", path: HOME, isNarrow: true },
  { name: "search", path: () => "/settings/sandbox", act: findCampaigns },
  { name: "campaigns", path: () => "/campaigns" },
  { name: "timeline", path: () => "/campaigns?view=timeline", scheme: "dark" },
  { name: "new-campaign", path: () => "/campaigns/start" },
  { name: "wizard", path: () => "/campaigns/new", act: fillWizard },
  { name: "which-products", path: () => "/campaigns/new", act: chooseGoods },
  { name: "formula", path: () => "/campaigns/new", act: typeFormula },
  { name: "try-on-a-cart", path: () => "/campaigns/new", act: tryCart },
  {
    name: "campaign",
    path: ({ campaign }) => `/campaigns/${campaign}`,
    act: (page) => page.getByRole("heading", { name: "Budget left" }).waitFor(),
  },
  {
    name: "rule",
    path: ({ rule, shirt }) => `/rules/${rule}?item=${shirt}*2&code=FREESHIP`,
    act: (page) => text(page, "10.00 short"),
  },
  {
    name: "simulator",
    path: CART,
    act: (page) => text(page, "10.00 short"),
  },
  { name: "why", path: CART, act: findRefusal },
  { name: "redemptions", path: () => "/redemptions" },
  {
    name: "receipt",
    path: ({ redemption }) => `/redemptions/${redemption}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Replay" }).click();
      await text(page, "Same to the byte");
    },
  },
  {
    name: "roll-back",
    path: ({ redemption }) => `/redemptions/${redemption}`,
    act: async (page) => {
      await page.getByRole("button", { name: "Roll back…" }).click();
      await page.getByLabel("Reason").fill("sent back");
    },
  },
  { name: "customer", path: ({ customer }) => `/customers/${customer}` },
  { name: "erase", path: ({ customer }) => `/customers/${customer}`, act: askToErase },
  { name: "offers", path: () => "/campaigns/Spend%20and%20save?tab=tiers" },
  { name: "earning", path: () => "/campaigns/Coffee%20club?tab=program" },
  {
    name: "tier-lasts",
    path: () => "/campaigns/Coffee%20club?tab=program",
    act: async (page) => {
      await page.getByRole("button", { name: "How long a tier lasts" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).waitFor();
    },
  },
  { name: "audience", path: ({ campaign }) => `/campaigns/${campaign}?tab=audience` },
  { name: "codes", path: () => "/codes" },
  {
    name: "generate",
    path: () => "/codes/new",
    act: async (page) => {
      await page.getByRole("combobox", { name: "Campaign" }).fill("spring");
      await page.getByRole("option", { name: "Spring mailing" }).click();
      await page.getByLabel("How many").fill("500");
    },
  },
  { name: "stacking", path: () => "/stacking" },
  { name: "designer", path: DESIGNER },
  {
    name: "designer-form",
    path: DESIGNER,
    scheme: "dark",
    act: async (page) => {
      await page.getByRole("button", { name: /^5\.00 coupon/ }).click();
      await page.getByLabel("How many there are").waitFor();
    },
  },
  { name: "designer-narrow", path: DESIGNER, isNarrow: true },
  { name: "member", path: ({ program, member }) => `/loyalty/${program}/members/${member}` },
  {
    name: "segment",
    path: () => "/segments/new",
    act: (page) => page.getByRole("button", { name: "Add a condition" }).click(),
  },
  {
    name: "collection",
    path: () => "/collections/new",
    act: async (page) => {
      await page.getByLabel("Name").fill("Shirts");
      await page.getByRole("button", { name: "Add a condition" }).click();
      await page.getByPlaceholder("Value, then Enter").fill("T-shirt");
      await page.keyboard.press("Enter");
      await text(page, "1 product today");
    },
  },
  { name: "program", path: ({ program }) => `/loyalty/${program}` },
  { name: "import", path: () => "/codes/import", act: tryFile },
  { name: "print", path: () => "/codes/print" },
  { name: "gift-cards", path: () => "/gift-cards" },
  { name: "referrals", path: () => "/referrals" },
  { name: "requests", path: () => "/requests", scheme: "dark" },
  { name: "api-call", path: () => "/redemptions?result=SUCCESS", act: showCall },
  { name: "events", path: () => "/events", isLive: true },
  { name: "webhooks", path: () => "/webhooks" },
  { name: "webhook", path: () => "/webhooks/new", act: tryWebhook },
  { name: "keys", path: () => "/keys" },
  { name: "audit", path: () => "/settings/audit" },
  { name: "users", path: () => "/settings/users" },
  { name: "jobs", path: () => "/settings/jobs" },
  { name: "sandbox", path: () => "/settings/sandbox" },
  { name: "products", path: () => "/products" },
];
