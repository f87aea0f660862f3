export type Geopoint = { latitude: number; longitude: number };

const GEOPOINT = /^\s*(-?\d{1,2}(?:\.\d{1,30})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,30})?)\s*$/;

/** A point written as `latitude, longitude`, or null. */
export function parseGeopoint(value: unknown): Geopoint | null {
  const match = typeof value === "string" ? GEOPOINT.exec(value) : null;
  if (!match) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}
