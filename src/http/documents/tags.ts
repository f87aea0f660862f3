type Tag = { name: string; description: string; paths: RegExp };

const v2 = "^/v2/loyalties";
const ofMembers = "/programs/\\{programId\\}/members/\\{memberId\\}";

/** The tags of the document, in the order in which a reader meets them. The first that fits a path is its tag. */
const GROUPS: Readonly<Record<string, readonly Tag[]>> = {
  Checkout: [
    {
      name: "Qualifications",
      description: "What a customer can use: codes, promotions and campaigns that apply to a cart.",
      paths: /^\/v1\/(qualifications|(vouchers|campaigns)\/qualification$)/,
    },
    {
      name: "Validations",
      description: "Check redeemables against a cart and see the price. Nothing is used up; a session can hold it.",
      paths:
        /^\/v1\/(validations|vouchers\/\{code\}\/(validate|sessions)|promotions\/(tiers\/\{promotionTierId\}\/)?validation)/,
    },
    {
      name: "Redemptions",
      description: "Use redeemables for an order, list what was redeemed, roll it back, and see why it came out so.",
      paths: /^\/v1\/(redemptions|vouchers\/\{code\}\/redemption|promotions\/tiers\/\{promotionTierId\}\/redemption)/,
    },
    { name: "Orders", description: "Orders of the shop. A redemption stores its order too.", paths: /^\/v1\/orders/ },
  ],
  Promotions: [
    {
      name: "Campaign templates",
      description: "Campaigns and promotion tiers to be made again.",
      paths: /^\/v1\/templates/,
    },
    {
      name: "Campaigns",
      description: "Coupons, gift cards, referral programs, promotions and loyalty programs, and the codes they have.",
      paths: /^\/v1\/(?:campaigns|conflicts)/,
    },
    {
      name: "Vouchers",
      description: "Codes: discounts, gift cards and loyalty cards.",
      paths: /^\/v1\/(?:vouchers|gift-cards)/,
    },
    {
      name: "Promotions",
      description: "Discounts without a code: promotion tiers, and stacks of them.",
      paths: /^\/v1\/promotions/,
    },
    {
      name: "Registry",
      description: "The rules, operators, formulas and discounts there are: what forms are made from.",
      paths: /^\/v1\/registry/,
    },
    {
      name: "Validation rules",
      description: "Conditions on carts and customers, and what they are assigned to.",
      paths: /^\/v1\/validation-rules/,
    },
    { name: "Publications", description: "Give codes to customers.", paths: /^\/v1\/publications/ },
    { name: "Referrals", description: "Friends who hold a code that somebody shares.", paths: /^\/v1\/referrals/ },
  ],
  "Loyalty v1": [
    {
      name: "Loyalty v1: earning rules",
      description: "How the cards of a loyalty campaign earn points.",
      paths: /^\/v1\/loyalties\/\{campaignId\}\/earning-rules/,
    },
    {
      name: "Loyalty v1: tiers",
      description: "Tiers of a loyalty campaign.",
      paths: /^\/v1\/loyalties\/\{campaignId\}\/tiers/,
    },
    {
      name: "Loyalty v1: rewards",
      description: "What points of loyalty cards are given for, and in which campaigns.",
      paths: /^\/v1\/(rewards|loyalties\/\{campaignId\}\/reward)/,
    },
    {
      name: "Loyalty v1: cards",
      description: "Loyalty cards, their points and what is done with them.",
      paths: /^\/v1\/loyalties\/(members|\{campaignId\}\/(members|pending-points|transactions|qualifications))/,
    },
    {
      name: "Loyalty v1: campaigns",
      description: "Loyalty programs of version 1. They are campaigns whose codes are loyalty cards.",
      paths: /^\/v1\/loyalties/,
    },
  ],
  "Loyalty v2": [
    {
      name: "Loyalty v2: reports",
      description: "What happened in a program, by day and in total.",
      paths: new RegExp(`${v2}/.*/reports/`),
    },
    {
      name: "Loyalty v2: cards",
      description: "Points of a member: balances, buckets, movements.",
      paths: new RegExp(`${v2}${ofMembers}/cards`),
    },
    {
      name: "Loyalty v2: spending",
      description: "Buy rewards, pay orders, and list what was bought, paid and given.",
      paths: new RegExp(`${v2}/.*/(purchases|payments|transactions)`),
    },
    {
      name: "Loyalty v2: members",
      description: "Customers in a program.",
      paths: new RegExp(`${v2}/(memberships|programs/\\{programId\\}/member)`),
    },
    {
      name: "Loyalty v2: programs",
      description: "Loyalty programs and what they use.",
      paths: new RegExp(`${v2}/programs`),
    },
    {
      name: "Loyalty v2: card definitions",
      description: "What points are: how they expire, wait and pay.",
      paths: new RegExp(`${v2}/card-definitions`),
    },
    {
      name: "Loyalty v2: tier structures",
      description: "Tiers, how members reach them and how they lose them.",
      paths: new RegExp(`${v2}/tier-structures`),
    },
    {
      name: "Loyalty v2: earning rules",
      description: "What brings points and benefits.",
      paths: new RegExp(`${v2}/earning-rules`),
    },
    { name: "Loyalty v2: benefits", description: "What is given beside points.", paths: new RegExp(`${v2}/benefits`) },
    { name: "Loyalty v2: rewards", description: "What points are spent on.", paths: new RegExp(`${v2}/rewards`) },
    {
      name: "Loyalty v2: examine",
      description: "What a customer would earn or could buy. Nothing is stored.",
      paths: new RegExp(`${v2}/examine`),
    },
  ],
  "Customers and catalogue": [
    { name: "Customers", description: "Customers, what they hold and what they did.", paths: /^\/v1\/customers/ },
    { name: "Segments", description: "Groups of customers, named or found by a filter.", paths: /^\/v1\/segments/ },
    {
      name: "Events",
      description:
        "Custom events: what customers do, from which points follow. And the feed of all that happened, to catch up with.",
      paths: /^\/v1\/events/,
    },
    { name: "Products", description: "Products and their SKUs.", paths: /^\/v1\/(products|skus)/ },
    {
      name: "Product collections",
      description: "Groups of products, named or found by a filter.",
      paths: /^\/v1\/product-collections/,
    },
    { name: "Categories", description: "Labels that decide how redeemables combine.", paths: /^\/v1\/categories/ },
    { name: "Locations", description: "Areas that customers can be in.", paths: /^\/v1\/locations/ },
    { name: "Metadata schemas", description: "What metadata may hold.", paths: /^\/v1\/metadata-schemas/ },
  ],
  "Client-side": [
    {
      name: "Client-side",
      description:
        "Calls from a browser or an app, with the keys for client applications. The page's origin must be trusted.",
      paths: /^\/client\//,
    },
  ],
  Operation: [
    {
      name: "Figures",
      description: "What happened, added up by hour and day: for charts and reports.",
      paths: /^\/v1\/(time-series|project-summary)/,
    },
    {
      name: "Exports",
      description: "Rows as a file, made in the background and downloaded with a token.",
      paths: /^\/v1\/exports/,
    },
    {
      name: "Results of tasks",
      description: "Reports of long work, to be downloaded.",
      paths: /^\/v1\/task-results/,
    },
    { name: "Async actions", description: "Long work, and how far it is.", paths: /^\/v1\/async-actions/ },
    {
      name: "Trash bin",
      description: "Deleted campaigns, codes and products, to be deleted for good.",
      paths: /^\/v1\/trash-bin/,
    },
    { name: "Audit log", description: "Who changed which configured object, and when.", paths: /^\/v1\/audit-log/ },
    {
      name: "Search",
      description: "One question for codes, customers, campaigns, orders, redemptions and requests.",
      paths: /^\/v1\/search/,
    },
    {
      name: "Refusals",
      description: "Why validations and redemptions of the last 30 days were refused.",
      paths: /^\/v1\/refusals/,
    },
    {
      name: "Request log",
      description: "What was asked and answered in the last days.",
      paths: /^\/v1\/request-log/,
    },
    { name: "OAuth", description: "Tokens for your servers and for version 2.", paths: /^\/v1\/oauth/ },
  ],
  Management: [
    {
      name: "Management: stacking rules",
      description: "How the redeemables of one request combine.",
      paths: /^\/management\/.*\/stacking-rules/,
    },
    {
      name: "Management: metadata schemas",
      description: "Define what metadata may hold.",
      paths: /^\/management\/.*\/metadata-schemas/,
    },
    {
      name: "Management: custom event schemas",
      description: "Define custom events.",
      paths: /^\/management\/.*\/custom-event-schemas/,
    },
    {
      name: "Management: webhooks",
      description: "Be told what happens: where to, what was sent, and sending it again.",
      paths: /^\/management\/.*\/webhook/,
    },
    {
      name: "Management: templates",
      description: "Copy campaign templates to other projects.",
      paths: /^\/management\/.*\/templates/,
    },
    {
      name: "Management: test clock",
      description: "Move the time of a sandbox project ahead.",
      paths: /^\/management\/.*\/test-clock/,
    },
    {
      name: "Management: audit log",
      description: "Who changed what, in a project and in the installation.",
      paths: /^\/management\/.*\/audit-log/,
    },
    {
      name: "Management: request log",
      description: "What was asked and answered, of a project and of the installation.",
      paths: /^\/management\/.*\/request-log/,
    },
    {
      name: "Management: branding",
      description: "Who the shop is, for what is sent in its name.",
      paths: /^\/management\/.*\/branding/,
    },
    {
      name: "Management: keys",
      description: "The key pairs of a project: made, given another secret, switched off.",
      paths: /^\/management\/.*\/keys/,
    },
    {
      name: "Management: users",
      description: "Users, their roles, and invitations.",
      paths: /^\/(?:management\/.*\/users|invitations\/)/,
    },
    {
      name: "Management: sessions",
      description: "Sign in and out with a browser.",
      paths: /^\/management\/v1\/(?:session|single-sign-on|password-reset)/,
    },
    { name: "Management: roles", description: "What users may do.", paths: /^\/management\/v1\/roles/ },
    { name: "Management: projects", description: "Projects and their settings.", paths: /^\/management\// },
  ],
};
const TAGS = Object.values(GROUPS).flat();

/** The tag of the operations at a path. */
export function tagOf(path: string): string {
  const tag = TAGS.find(({ paths }) => paths.test(path));
  if (!tag) throw new Error(`No tag of the OpenAPI document fits ${path}. Add one to src/http/documents/tags.ts.`);
  return tag.name;
}

export const tagsShown = TAGS.map(({ name, description }) => ({ name, description }));
export const tagGroups = Object.entries(GROUPS).map(([name, tags]) => ({ name, tags: tags.map((tag) => tag.name) }));
