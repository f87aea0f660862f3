import type { Examples } from "../http/documents/openapi.ts";
import { club, exampleId, path, project, template, webhook } from "./example-ids.ts";

// Examples of moving data, and of setting up a project.

/** Keys are random: put one of yours. */
const keyId = "00000000-0000-0000-0000-000000000000";
const cardId = { memberId: "CLUB-DEMO" };
const newestFirst = { parameters: { order: "-created_at", fields: ["id", "type", "amount", "created_at"] } };
export const exports: Examples = {
  createExport: {
    body: {
      exported_object: "redemption",
      parameters: {
        order: "-created_at",
        fields: ["id", "date", "voucher_code", "customer_source_id", "order_amount", "result"],
        filters: { junction: "and", result: { conditions: { $is: ["SUCCESS"] } } },
      },
    },
  },
  exportOrders: {
    body: { parameters: { order: "-created_at", fields: ["id", "source_id", "status", "total_amount"] } },
  },
  exportVoucherTransactions: { ...path({ code: "CLUB-DEMO" }), body: newestFirst },
  exportCampaignTransactions: { ...path(club), body: newestFirst },
  exportLoyaltyTransactions: { ...path(club), body: newestFirst },
  exportLoyaltyCardTransactions: { ...path(cardId), body: newestFirst },
  exportLoyaltyMemberTransactions: { ...path({ ...club, ...cardId }), body: newestFirst },
  exportPointsExpiration: { ...path(club), body: { parameters: { order: "expires_at" } } },
};

export const management: Examples = {
  createOauthToken: { body: { grant_type: "client_credentials", scope: "api" } },
  introspectOauthToken: { body: { access_token: "paste a token here" } },
  revokeOauthToken: { body: { access_token: "paste a token here" } },
  createProject: {
    body: { name: "Second shop", timezone: "Europe/Oslo", currency: "NOK", case_sensitive_codes: false },
  },
  createKey: { ...path(project), body: { kind: "app", name: "Shop in Oslo" } },
  getKey: path({ ...project, keyId }),
  rotateKey: { ...path({ ...project, keyId }), body: { overlap_hours: 48 } },
  disableKey: path({ ...project, keyId }),
  updateProject: { ...path(project), body: { name: "Sandbox for trying things" } },
  createMetadataSchema: {
    ...path(project),
    body: { related_object: "voucher", properties: { printed: { type: "boolean", optional: true, array: false } } },
  },
  updateMetadataSchema: {
    ...path({ ...project, metadataSchemaId: exampleId("ms", "metadata of a product") }),
    body: { properties: { colour: { type: "string", optional: true, array: false } } },
  },
  createCustomEventSchema: {
    ...path(project),
    body: { name: "page_shared", schema: { properties: { page: { type: "string", optional: true } } } },
  },
  updateCustomEventSchema: {
    ...path({ ...project, customEventSchemaId: exampleId("ms", "store_visited") }),
    body: { schema: { properties: { counter: { type: "number", optional: true } } } },
  },
  inviteUser: {
    body: {
      email: "frank@shop.example",
      first_name: "Frank",
      last_name: "Fisher",
      projects: { [project.projectId]: "USER" },
    },
  },
  resendInvitation: path({ ...project, userId: "erin@shop.example" }),
  createInvitationLink: path({ ...project, userId: "erin@shop.example" }),
  disableUser: path({ ...project, userId: "erin@shop.example" }),
  enableUser: path({ ...project, userId: "erin@shop.example" }),
  endOwnSession: path({ sessionId: "0000000000000000" }),
  readInvitation: { body: { token: "the-end-of-the-link" } },
  acceptInvitation: { body: { token: "the-end-of-the-link", password: "correct horse battery staple" } },
  createSessionWithLink: { body: { token: "the-end-of-the-link" } },
  askPasswordReset: { body: { email: "erin@shop.example" } },
  acceptPasswordReset: { body: { token: "the-end-of-the-link", password: "correct horse battery staple" } },
  updateOwnPassword: { body: { current: "correct horse battery staple", password: "another horse battery staple" } },
  confirmTotp: { body: { code: "123456" } },
  removeTotp: { body: { password: "correct horse battery staple" } },
  startSingleSignOn: { body: { return_to: "/campaigns" } },
  finishSingleSignOn: { body: { query: "code=what-the-provider-sent&state=what-it-was-sent" } },
  confirmSingleSignOn: { body: { password: "correct horse battery staple" } },
  unlinkSingleSignOn: { body: { password: "correct horse battery staple" } },
  createSession: { body: { email: "erin@shop.example", password: "correct horse battery staple" } },
  assignUser: { ...path(project), body: { login: "erin@shop.example", role: "VIEWER" } },
  updateUserRole: { ...path({ ...project, userId: "erin@shop.example" }), body: { role: "USER" } },
  createRole: { body: { name: "Campaigns only", permissions: ["campaigns.manage", "vouchers.read"] } },
  updateRole: {
    ...path({ roleId: "role_000000000000000000000000" }),
    body: { permissions: ["campaigns.manage", "vouchers.read", "vouchers.export"] },
  },
  createBranding: {
    ...path(project),
    body: {
      brand: { name: "Field and Harbour", privacy_policy_url: "https://shop.example/privacy" },
      address: { street: "Harbour Street 1", city: "Hamburg", postal: "20457", country: "Germany" },
      contact: { email: "hello@shop.example", phone: "+49 40 123456" },
    },
  },
  updateBranding: {
    ...path({ ...project, brandingId: exampleId("brd", "branding") }),
    body: { contact: { phone: "+49 40 654321" } },
  },
  createWebhook: {
    ...path(project),
    body: { target_url: "https://shop.example/webhooks", events: ["redemption.succeeded", "customer.updated"] },
  },
  updateWebhook: {
    ...path({ ...project, webhookId: webhook }),
    body: {
      target_url: "https://shop.example/webhooks",
      events: ["redemption.succeeded"],
      headers: { "x-shop": "demo" },
    },
  },
  testWebhook: {
    ...path({ ...project, webhookId: webhook }),
    body: { type: "voucher.created" },
  },
  resendWebhookDeliveries: {
    ...path({ ...project, webhookId: webhook }),
    body: { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z", status: "FAILED" },
  },
  createStackingRules: { ...path(project), body: { redeemables_limit: 10 } },
  updateStackingRules: {
    ...path({ ...project, stackingRulesId: exampleId("stk", "stacking rules") }),
    body: { redeemables_limit: 20 },
  },
  copyCampaignTemplate: {
    ...path({ ...project, ...template }),
    body: { destination_project_id: project.projectId, name: "A mailing, copied" },
  },
};
