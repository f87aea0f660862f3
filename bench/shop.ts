import { seeded } from "../src/demo/requests.ts";
import type { BenchProject, Server } from "./lab.ts";

// The shop that is measured: products, customers and segments, made through the interface, and carts from a seed.
export const PRODUCTS = 500;
export const CUSTOMERS = 200;
/** A customer lives in one of the cities and is in one of the segments: each is about 4.5% of all. */
export const CITIES = Array.from({ length: 22 }, (_, n) => `City ${n}`);
const SEGMENTS = 22;
export const COUNTRIES = Array.from({ length: 10 }, (_, n) => `Country ${n}`);
export const CHANNELS = ["web", "app", "store"];

export type Shop = { project: BenchProject; segments: readonly string[]; products: readonly string[] };

export const productName = (n: number): string => `product-${n}`;
const customerName = (n: number): string => `customer-${n}`;

/** Runs the work of many requests, a few at a time. */
async function inTurns<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < values.length; at += 16)
    results.push(...(await Promise.all(values.slice(at, at + 16).map(work))));
  return results;
}
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export async function openShop(server: Server, project: BenchProject, seed: number): Promise<Shop> {
  const { integer, pick } = seeded(seed);
  const call = <R>(request: string, body: object) => server.call<R>(project, request, body);
  const products = await inTurns(numbers(PRODUCTS), async (n) => {
    const body = { source_id: productName(n), name: `Product ${n}`, price: 500 + ((n * 37) % 4500) };
    return (await call<{ id: string }>("POST /v1/products", body)).id;
  });
  const customers = await inTurns(numbers(CUSTOMERS), async (n) => {
    const metadata = { city: pick(CITIES), country: pick(COUNTRIES), points: integer(0, 1000) };
    const body = { source_id: customerName(n), name: `Customer ${n}`, metadata };
    return (await call<{ id: string }>("POST /v1/customers", body)).id;
  });
  const segments = await inTurns(numbers(SEGMENTS), async (n) => {
    const members = customers.filter((_, k) => k % SEGMENTS === n);
    const body = { name: `Segment ${n}`, type: "static", customers: members };
    return (await call<{ id: string }>("POST /v1/segments", body)).id;
  });
  return { project, segments, products };
}

export type Cart = { customer: { source_id: string }; order: { items: object[]; metadata: object } };

/** Carts of random customers with random products, each product once. */
export function randomCarts(seed: number, { count, lines }: { count: number; lines: number }): Cart[] {
  const { integer, pick } = seeded(seed);
  return numbers(count).map(() => {
    const chosen = new Set<number>();
    while (chosen.size < lines) chosen.add(integer(0, PRODUCTS - 1));
    const items = [...chosen].map((n) => ({
      source_id: productName(n),
      related_object: "product",
      quantity: integer(1, 4),
    }));
    return {
      customer: { source_id: customerName(integer(0, CUSTOMERS - 1)) },
      order: { items, metadata: { channel: pick(CHANNELS) } },
    };
  });
}
