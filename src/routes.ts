import { categoryRoutes } from "./resources/categories/routes.ts";
import { customEventSchemaRoutes } from "./resources/custom-event-schemas/routes.ts";
import { customerRoutes } from "./resources/customers/routes.ts";
import { locationRoutes } from "./resources/locations/routes.ts";
import { metadataSchemaRoutes } from "./resources/metadata-schemas/routes.ts";
import { oauthRoutes } from "./resources/oauth/routes.ts";
import { orderRoutes } from "./resources/orders/routes.ts";
import { productCollectionRoutes } from "./resources/product-collections/routes.ts";
import { productRoutes } from "./resources/products/routes.ts";
import { projectRoutes } from "./resources/projects/routes.ts";
import { segmentRoutes } from "./resources/segments/routes.ts";
import { skuRoutes } from "./resources/skus/routes.ts";
import { stackingRulesRoutes } from "./resources/stacking-rules/routes.ts";
import { trashBinRoutes } from "./resources/trash-bin/routes.ts";
import { validationRuleAssignmentRoutes } from "./resources/validation-rule-assignments/routes.ts";
import { validationRuleRoutes } from "./resources/validation-rules/routes.ts";

// Every operation. The server, the OpenAPI document, the scopes and the tests that walk all routes read this table.
export const ALL_ROUTES = [
  ...categoryRoutes,
  ...customEventSchemaRoutes,
  ...customerRoutes,
  ...locationRoutes,
  ...metadataSchemaRoutes,
  ...oauthRoutes,
  ...orderRoutes,
  ...productCollectionRoutes,
  ...productRoutes,
  ...projectRoutes,
  ...segmentRoutes,
  ...skuRoutes,
  ...stackingRulesRoutes,
  ...trashBinRoutes,
  ...validationRuleAssignmentRoutes,
  ...validationRuleRoutes,
];
