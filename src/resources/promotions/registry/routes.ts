import { REGISTRY } from "../../../core/registry/registry.ts";
import { read } from "../../../http/route.ts";
import { Registry } from "./schema.ts";

export const registryRoutes = [
  read(
    "GET /v1/registry",
    {
      id: "getRegistry",
      summary: "Read the registry",
      description:
        "Every rule, operator, formula function and type of discounts, with a sentence about it, the values that it takes and an example. It is the same for all projects of one version of Laurel.",
      ok: Registry,
    },
    async () => REGISTRY,
  ),
];
