import { list, read, write } from "../../../http/route.ts";
import { Empty } from "../../../http/schemas.ts";
import { Branding, BrandingCreate, BrandingList, BrandingUpdate, ByBranding, InProject } from "./schema.ts";
import { changedBranding, insertBranding, lockBranding, newBranding, branding as store, view } from "./store.ts";

export const brandingRoutes = [
  read(
    "GET /management/v1/projects/{projectId}/branding",
    {
      id: "listBranding",
      summary: "List the branding of a project",
      description: "One, or none.",
      params: InProject,
      ok: BrandingList,
    },
    async (c) => list(await store.list(c.db, c.project.id), view),
  ),
  write(
    "POST /management/v1/projects/{projectId}/branding",
    {
      id: "createBranding",
      summary: "Create the branding of a project",
      description: "Who the shop is, for what is sent in its name. A project has one.",
      params: InProject,
      body: BrandingCreate,
      ok: Branding,
    },
    async (c) => {
      const id = c.newId("brd");
      c.changed("branding", id);
      const stamps = { created_at: c.now, updated_at: null };
      return view(await insertBranding(c.db, { id, project_id: c.project.id, ...newBranding(c.body), ...stamps }));
    },
  ),
  read(
    "GET /management/v1/projects/{projectId}/branding/{brandingId}",
    { id: "getBranding", summary: "Read the branding of a project", params: ByBranding, ok: Branding },
    async (c) => view(await store.get(c.db, c.project.id, c.params.brandingId)),
  ),
  write(
    "PUT /management/v1/projects/{projectId}/branding/{brandingId}",
    {
      id: "updateBranding",
      summary: "Update the branding of a project",
      description: "Only the fields that are sent change, inside each part too.",
      params: ByBranding,
      body: BrandingUpdate,
      ok: Branding,
    },
    async (c) => {
      const before = await lockBranding(c.db, c.project.id, c.params.brandingId);
      c.changed("branding", before.id);
      const patch = { ...changedBranding(before, c.body), updated_at: c.now };
      return view(await store.update(c.db, c.project.id, before.id, patch));
    },
  ),
  write(
    "DELETE /management/v1/projects/{projectId}/branding/{brandingId}",
    { id: "deleteBranding", summary: "Delete the branding of a project", params: ByBranding, ok: Empty },
    async (c) => {
      c.changed("branding", c.params.brandingId);
      await store.remove(c.db, c.project.id, c.params.brandingId);
      return null;
    },
  ),
];
