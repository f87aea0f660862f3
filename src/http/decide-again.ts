import { revisionOf } from "../catalog/catalog.ts";
import type { Answer } from "../core/answer.ts";
import { ApiError } from "../core/errors.ts";
import { restarted } from "../core/steps.ts";
import type { Ctx } from "../ctx.ts";
import { OldConfiguration } from "../db/batches/commit.ts";
import type { Engine } from "./engine.ts";

/** Limits come rarely, and who decides again knows the new one. */
const TIMES_MAX = 5;

/** Runs what is decided with the catalog of the request, and again with that of now when a limit has come meanwhile. */
export async function decideAgain(
  { catalogs, share }: Engine,
  { catalog, project, steps }: Pick<Ctx, "catalog" | "project" | "steps">,
  run: (catalog: Ctx["catalog"]) => Promise<Answer>,
): Promise<Answer> {
  const newest: Ctx["catalog"] = async () => {
    const catalog_revision = await share(project.id, (db) => revisionOf(db, project.id));
    return catalogs.catalogOf({ id: project.id, catalog_revision });
  };
  for (let times = 1; times <= TIMES_MAX; times += 1) {
    try {
      return await run(times === 1 ? catalog : newest);
    } catch (error) {
      if (!(error instanceof OldConfiguration)) throw error;
      restarted(steps);
    }
  }
  throw new ApiError("overloaded", { details: "New limits came again and again" });
}
