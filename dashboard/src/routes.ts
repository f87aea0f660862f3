import type { ComponentType } from "react";
import type { TextKey } from "./text/text.ts";
import type { IconName } from "./theme/icons.ts";

// Every page of the dashboard. No JSX in here: the browser tests read this table with plain Node.

/** The part of the navigation that a page stands in, from top to bottom. */
export const GROUPS = ["promotions", "customers", "loyalty", "insight", "developers", "settings"] as const;
export type Group = (typeof GROUPS)[number];

export type Screen = {
  path: string;
  screen: () => Promise<{ default: ComponentType }>;
  /** The id of the operation without which the page shows nothing; null: everybody may open it. */
  needs: string | null;
  title: TextKey;
  /** Where it stands in the navigation; null: it is reached from another page. Above all groups: `top`. */
  nav: { group: Group | "top"; icon: IconName } | null;
};

export const SCREENS: readonly Screen[] = [
  {
    path: "/",
    screen: () => import("./screens/home/home.tsx"),
    needs: null,
    title: "home.title",
    nav: { group: "top", icon: "home" },
  },
  {
    path: "/campaigns",
    screen: () => import("./screens/campaigns/list.tsx"),
    needs: "listCampaigns",
    title: "campaigns.title",
    nav: { group: "promotions", icon: "campaigns" },
  },
  {
    path: "/redemptions",
    screen: () => import("./screens/redemptions/list.tsx"),
    needs: "listRedemptions",
    title: "redemptions.title",
    nav: { group: "promotions", icon: "redemptions" },
  },
  {
    path: "/redemptions/:redemptionId",
    screen: () => import("./screens/redemptions/receipt.tsx"),
    needs: "getRedemption",
    title: "redemptions.receipt",
    nav: null,
  },
  {
    path: "/customers",
    screen: () => import("./screens/customers/list.tsx"),
    needs: "listCustomers",
    title: "customers.title",
    nav: { group: "customers", icon: "customers" },
  },
  {
    path: "/customers/new",
    screen: () => import("./screens/customers/form.tsx"),
    needs: "createCustomer",
    title: "customers.new",
    nav: null,
  },
  {
    path: "/customers/:customerId",
    screen: () => import("./screens/customers/customer.tsx"),
    needs: "getCustomer",
    title: "customers.customer",
    nav: null,
  },
  {
    path: "/customers/:customerId/edit",
    screen: () => import("./screens/customers/form.tsx"),
    needs: "updateCustomer",
    title: "customers.edit",
    nav: null,
  },
  {
    path: "/webhooks",
    screen: () => import("./screens/developers/webhooks.tsx"),
    needs: "listWebhooks",
    title: "developers.webhooks",
    nav: { group: "developers", icon: "webhooks" },
  },
  {
    path: "/webhooks/new",
    screen: () => import("./screens/developers/webhook-form.tsx"),
    needs: "createWebhook",
    title: "developers.newWebhook",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId",
    screen: () => import("./screens/developers/webhook.tsx"),
    needs: "getWebhook",
    title: "developers.webhooks",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId/edit",
    screen: () => import("./screens/developers/webhook-form.tsx"),
    needs: "updateWebhook",
    title: "developers.editWebhook",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId/deliveries/:deliveryId",
    screen: () => import("./screens/developers/delivery.tsx"),
    needs: "getWebhookDelivery",
    title: "developers.delivery",
    nav: null,
  },
  {
    path: "/requests",
    screen: () => import("./screens/developers/requests.tsx"),
    needs: "listRequestLog",
    title: "developers.requests",
    nav: { group: "developers", icon: "requests" },
  },
  {
    path: "/requests/:requestId",
    screen: () => import("./screens/developers/request.tsx"),
    needs: "getLoggedRequest",
    title: "developers.request",
    nav: null,
  },
  {
    path: "/events",
    screen: () => import("./screens/developers/events.tsx"),
    needs: "streamEvents",
    title: "developers.liveEvents",
    nav: { group: "developers", icon: "events" },
  },
  {
    path: "/codes",
    screen: () => import("./screens/codes/list.tsx"),
    needs: "listVouchers",
    title: "codes.title",
    nav: { group: "promotions", icon: "codes" },
  },
  {
    path: "/codes/new",
    screen: () => import("./screens/codes/new.tsx"),
    needs: "createVoucher",
    title: "codes.new",
    nav: null,
  },
  {
    path: "/codes/import",
    screen: () => import("./screens/codes/import.tsx"),
    needs: "importVouchersCsv",
    title: "codes.import",
    nav: null,
  },
  {
    path: "/codes/print",
    screen: () => import("./screens/codes/print.tsx"),
    needs: "listVouchers",
    title: "codes.print",
    nav: null,
  },
  {
    path: "/codes/:code",
    screen: () => import("./screens/codes/code.tsx"),
    needs: "getVoucher",
    title: "codes.codePage",
    nav: null,
  },
  {
    path: "/codes/:code/edit",
    screen: () => import("./screens/codes/edit.tsx"),
    needs: "updateVoucher",
    title: "codes.edit",
    nav: null,
  },
  {
    path: "/products",
    screen: () => import("./screens/products/list.tsx"),
    needs: "listProducts",
    title: "products.title",
    nav: { group: "customers", icon: "products" },
  },
  {
    path: "/products/new",
    screen: () => import("./screens/products/form.tsx"),
    needs: "createProduct",
    title: "products.new",
    nav: null,
  },
  {
    path: "/products/:productId",
    screen: () => import("./screens/products/product.tsx"),
    needs: "getProduct",
    title: "products.product",
    nav: null,
  },
  {
    path: "/products/:productId/edit",
    screen: () => import("./screens/products/form.tsx"),
    needs: "updateProduct",
    title: "products.edit",
    nav: null,
  },
  {
    path: "/collections",
    screen: () => import("./screens/collections/list.tsx"),
    needs: "listProductCollections",
    title: "collections.title",
    nav: { group: "customers", icon: "collections" },
  },
  {
    path: "/collections/new",
    screen: () => import("./screens/collections/form.tsx"),
    needs: "createProductCollection",
    title: "collections.new",
    nav: null,
  },
  {
    path: "/collections/:productCollectionId",
    screen: () => import("./screens/collections/collection.tsx"),
    needs: "getProductCollection",
    title: "collections.collection",
    nav: null,
  },
  {
    path: "/collections/:productCollectionId/edit",
    screen: () => import("./screens/collections/form.tsx"),
    needs: "updateProductCollection",
    title: "collections.edit",
    nav: null,
  },
  {
    path: "/segments",
    screen: () => import("./screens/segments/list.tsx"),
    needs: "listSegments",
    title: "segments.title",
    nav: { group: "customers", icon: "segments" },
  },
  {
    path: "/segments/new",
    screen: () => import("./screens/segments/form.tsx"),
    needs: "createSegment",
    title: "segments.new",
    nav: null,
  },
  {
    path: "/segments/:segmentId",
    screen: () => import("./screens/segments/segment.tsx"),
    needs: "getSegment",
    title: "segments.segment",
    nav: null,
  },
  {
    path: "/segments/:segmentId/edit",
    screen: () => import("./screens/segments/form.tsx"),
    needs: "updateSegment",
    title: "segments.edit",
    nav: null,
  },
  {
    path: "/locations",
    screen: () => import("./screens/locations/list.tsx"),
    needs: "listLocations",
    title: "locations.title",
    nav: { group: "customers", icon: "locations" },
  },
  {
    path: "/gift-cards",
    screen: () => import("./screens/gifts/gifts.tsx"),
    needs: "listCampaigns",
    title: "gifts.title",
    nav: { group: "promotions", icon: "gifts" },
  },
  {
    path: "/referrals",
    screen: () => import("./screens/referrals/referrals.tsx"),
    needs: "listCampaigns",
    title: "referrals.title",
    nav: { group: "promotions", icon: "referrals" },
  },
];
