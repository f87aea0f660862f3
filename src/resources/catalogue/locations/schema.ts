import { type Static, Type } from "typebox";
import { Choice, DateOrDateTime, DateTime, Filters, Nullable } from "../../../http/schemas.ts";

const Coordinates = Type.Array(Type.Unknown(), { description: "As in GeoJSON: longitude first." });
const Circle = Type.Object({
  type: Type.Literal("circle"),
  format: Type.Literal("distance"),
  distance: Type.Object({
    center: Type.String({ description: "`latitude,longitude`" }),
    radius: Type.String({ description: "A number with its unit." }),
  }),
});
const Polygon = Type.Object({
  type: Type.Literal("polygon"),
  format: Type.Literal("geojson"),
  geojson: Type.Object({ type: Choice(["Polygon", "MultiPolygon"]), coordinates: Coordinates }),
});

export const Location = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    shape: Type.Union([Circle, Polygon]),
    created_at: DateTime,
    updated_at: Nullable(DateTime),
    object: Type.Literal("location"),
  },
  { title: "Location" },
);
export type Location = Static<typeof Location>;

export const LocationList = Type.Object({
  object: Type.Literal("list"),
  data_ref: Type.Literal("data"),
  data: Type.Array(Location),
  total: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean(),
});
export type LocationList = Static<typeof LocationList>;
export const LocationQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
  order: Type.Optional(
    Choice(["created_at", "-created_at", "updated_at", "-updated_at"], {
      description: "A leading dash means descending.",
    }),
  ),
  end_date: Type.Optional(
    Type.Unsafe<string>({
      ...DateOrDateTime,
      description: "Those created before. With the `created_at` of the last one, the next page.",
    }),
  ),
  filters: Type.Optional(Filters),
});
export type LocationQuery = Static<typeof LocationQuery>;
export const ByLocation = Type.Object({ locationId: Type.String() });
