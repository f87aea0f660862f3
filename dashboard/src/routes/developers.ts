import type { Screen } from "./screen.ts";

/** Keys, webhooks, requests and events. */
export const developers: readonly Screen[] = [
  {
    path: "/webhooks",
    screen: () => import("../screens/developers/webhooks.tsx"),
    needs: "listWebhooks",
    title: "developers.webhooks",
    nav: { group: "developers", icon: "webhooks" },
  },
  {
    path: "/webhooks/new",
    screen: () => import("../screens/developers/webhook-form.tsx"),
    needs: "createWebhook",
    title: "developers.newWebhook",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId",
    screen: () => import("../screens/developers/webhook.tsx"),
    needs: "getWebhook",
    title: "developers.webhooks",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId/edit",
    screen: () => import("../screens/developers/webhook-form.tsx"),
    needs: "updateWebhook",
    title: "developers.editWebhook",
    nav: null,
  },
  {
    path: "/webhooks/:webhookId/deliveries/:deliveryId",
    screen: () => import("../screens/developers/delivery.tsx"),
    needs: "getWebhookDelivery",
    title: "developers.delivery",
    nav: null,
  },
  {
    path: "/keys",
    screen: () => import("../screens/developers/keys.tsx"),
    needs: "listKeys",
    title: "developers.keys",
    nav: { group: "developers", icon: "keys" },
  },
  {
    path: "/requests",
    screen: () => import("../screens/developers/requests.tsx"),
    needs: "listRequestLog",
    title: "developers.requests",
    nav: { group: "developers", icon: "requests" },
  },
  {
    path: "/requests/:requestId",
    screen: () => import("../screens/developers/request.tsx"),
    needs: "getLoggedRequest",
    title: "developers.request",
    nav: null,
  },
  {
    path: "/events",
    screen: () => import("../screens/developers/events.tsx"),
    needs: "streamEvents",
    title: "developers.liveEvents",
    nav: { group: "developers", icon: "events" },
  },
];
