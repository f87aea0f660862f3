import { exportedPointsExpiration, exportedTransactions } from "./card-store.ts";
import { exportedOrders, exportedPublications } from "./checkout-store.ts";
import { exportedCustomers } from "./customer-store.ts";
import { exportedProducts, exportedSkus } from "./goods-store.ts";
import { exportedRequests } from "./request-store.ts";

/** What is exported as nobody else reads it. `steps/bulk/export-objects.ts` has the others. */
export const OTHER_OBJECTS = {
  customer: exportedCustomers,
  publication: exportedPublications,
  order: exportedOrders,
  points_expiration: exportedPointsExpiration,
  voucher_transactions: exportedTransactions,
  product: exportedProducts,
  sku: exportedSkus,
  api_log: exportedRequests,
} as const;
