import { read } from "../../../http/route.ts";
import { ByLocation, Location, LocationList, LocationQuery } from "./schema.ts";
import { listLocations, locations as store, view } from "./store.ts";

export const locationRoutes = [
  read(
    "GET /v1/locations",
    { id: "listLocations", summary: "List locations", query: LocationQuery, ok: LocationList },
    async (c) => listLocations(c.db, c.project.id, { ...c.query, now: c.now }),
  ),
  read(
    "GET /v1/locations/{locationId}",
    { id: "getLocation", summary: "Read a location", params: ByLocation, ok: Location },
    async (c) => view(await store.get(c.db, c.project.id, c.params.locationId)),
  ),
];
