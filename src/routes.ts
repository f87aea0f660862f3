import { categoryRoutes } from "./resources/categories/routes.ts";
import { customEventSchemaRoutes } from "./resources/custom-event-schemas/routes.ts";
import { metadataSchemaRoutes } from "./resources/metadata-schemas/routes.ts";
import { oauthRoutes } from "./resources/oauth/routes.ts";
import { projectRoutes } from "./resources/projects/routes.ts";
import { stackingRulesRoutes } from "./resources/stacking-rules/routes.ts";

// Every operation. The server, the OpenAPI document, the scopes and the tests that walk all routes read this table.
export const ALL_ROUTES = [
  ...categoryRoutes,
  ...customEventSchemaRoutes,
  ...metadataSchemaRoutes,
  ...oauthRoutes,
  ...projectRoutes,
  ...stackingRulesRoutes,
];
