import { answeredId, type DemoRequest, type Seeded } from "./requests.ts";

// The shop itself: what it sells, and to whom. Prices are in cents.

type Product = { source_id: string; name: string; price: number; kind: string; brand?: string };
const PRODUCTS: readonly Product[] = [
  { source_id: "tee", name: "T-shirt", price: 2000, kind: "clothing", brand: "Field" },
  { source_id: "polo", name: "Polo shirt", price: 3000, kind: "clothing", brand: "Field" },
  { source_id: "hoodie", name: "Hoodie", price: 4500, kind: "clothing", brand: "Harbour" },
  { source_id: "beans", name: "Coffee beans", price: 1500, kind: "coffee", brand: "Harbour" },
  { source_id: "grinder", name: "Coffee grinder", price: 8000, kind: "coffee", brand: "Mill" },
  { source_id: "mug", name: "Mug", price: 1200, kind: "coffee", brand: "Mill" },
  // The price of a delivery is a line of the cart like any other: so it can be discounted.
  { source_id: "shipping", name: "Shipping", price: 499, kind: "shipping" },
];
const ADJECTIVES = ["Blue", "Folding", "Heavy", "Light", "Plain", "Round", "Small", "Striped", "Tall", "Woven"];
const NOUNS = ["apron", "basket", "bowl", "cushion", "jar", "lamp", "notebook", "poster", "tray", "vase"];

const madeUp = ({ pick, integer }: Seeded, n: number): Product => ({
  source_id: `extra-${n}`,
  name: `${pick(ADJECTIVES)} ${pick(NOUNS)} ${n}`,
  price: integer(5, 60) * 100 - 1,
  kind: "home",
  brand: pick(["Field", "Harbour", "Mill"]),
});

const SKUS = [
  { product: "tee", sizes: ["s", "m", "l"], attributes: ["size"] },
  { product: "hoodie", sizes: ["m", "l"], attributes: ["size"] },
];

function catalogue(random: Seeded, moreProducts: number): DemoRequest[] {
  const products = [...PRODUCTS, ...Array.from({ length: moreProducts }, (_, n) => madeUp(random, n + 1))];
  return [
    ...products.map(({ source_id, name, price, kind, brand }) => ({
      line: "POST /v1/products",
      body: {
        source_id,
        name,
        price,
        attributes: SKUS.find(({ product }) => product === source_id)?.attributes ?? [],
        metadata: { kind, ...(brand && { brand }) },
      },
      as: source_id,
    })),
    ...SKUS.flatMap(({ product, sizes }) =>
      sizes.map((size) => ({
        line: `POST /v1/products/${answeredId(product)}/skus`,
        body: { source_id: `${product}-${size}`, sku: `${product}, ${size.toUpperCase()}`, attributes: { size } },
        as: `${product}-${size}`,
      })),
    ),
    { line: `POST /v1/products/${answeredId("tee")}/skus`, body: { source_id: "tee-xl", sku: "tee, XL", price: 2200 } },
    {
      line: "POST /v1/product-collections",
      body: {
        name: "Shirts",
        type: "STATIC",
        products: ["tee", "polo"].map((name) => ({ id: answeredId(name), object: "product" })),
      },
      as: "Shirts",
    },
    {
      line: "POST /v1/product-collections",
      body: {
        name: "Goods",
        type: "AUTO_UPDATE",
        filter: { junction: "and", "metadata.kind": { conditions: { $is_not: ["shipping"] } } },
      },
      as: "Goods",
    },
    {
      line: "POST /v1/product-collections",
      body: {
        name: "Coffee",
        type: "AUTO_UPDATE",
        filter: { junction: "and", "metadata.kind": { conditions: { $is: ["coffee"] } } },
      },
      as: "Coffee",
    },
  ];
}

const CUSTOMERS = [
  { source_id: "alice", name: "Alice Park", email: "alice@shop.example", metadata: { vip: true, member_years: 6 } },
  { source_id: "bob", name: "Bob Reyes", email: "bob@shop.example", metadata: { vip: false, member_years: 1 } },
  { source_id: "carol", name: "Carol Lund", email: "carol@shop.example", metadata: { vip: true, member_years: 20 } },
];
const FIRST = ["Ada", "Ben", "Chloe", "Dan", "Ewa", "Finn", "Gia", "Hugo", "Ines", "Jon"];
const LAST = ["Abel", "Brandt", "Costa", "Dahl", "Erdem", "Fox", "Grant", "Hahn", "Ito", "Jansen"];
export const CITIES = ["Berlin", "Lisbon", "Oslo", "Warsaw"];

function customers({ pick, integer }: Seeded, more: number): DemoRequest[] {
  const others = Array.from({ length: more }, (_, n) => ({
    source_id: `customer-${n + 1}`,
    name: `${pick(FIRST)} ${pick(LAST)}`,
    email: `customer-${n + 1}@shop.example`,
    address: { city: pick(CITIES) },
    metadata: { member_years: integer(0, 9), newsletter: integer(0, 1) === 1, shoe_size: integer(36, 46) },
  }));
  return [
    ...[...CUSTOMERS, ...others].map((body) => ({ line: "POST /v1/customers", body, as: body.source_id })),
    {
      line: "POST /v1/segments",
      body: {
        name: "VIP customers",
        type: "passive",
        filter: { junction: "and", "metadata.vip": { conditions: { $is: [true] } } },
      },
      as: "VIP customers",
    },
    {
      line: "POST /v1/segments",
      body: { name: "Friends of the house", type: "static", customers: [answeredId("bob")] },
      as: "Friends of the house",
    },
  ];
}

function orders({ pick, integer }: Seeded, count: number): DemoRequest[] {
  const people = CUSTOMERS.map(({ source_id }) => source_id);
  const things = PRODUCTS.map(({ source_id }) => source_id);
  return Array.from({ length: count }, (_, n) => ({
    line: "POST /v1/orders",
    body: {
      source_id: `order-${n + 1}`,
      status: pick(["CREATED", "PAID", "FULFILLED"]),
      customer: { source_id: people[n % people.length] },
      items: [
        { source_id: pick(things), related_object: "product", quantity: integer(1, 3) },
        { source_id: "shipping", related_object: "product", quantity: 1 },
      ],
      metadata: { channel: pick(["web", "app", "store"]) },
    },
  }));
}

/** What a larger shop would have more of. */
export type ShopSize = { moreProducts?: number; moreCustomers?: number; orders?: number };

export const shopRequests = (random: Seeded, size: ShopSize = {}): DemoRequest[] => [
  ...catalogue(random, size.moreProducts ?? 10),
  ...customers(random, size.moreCustomers ?? 12),
  ...orders(random, size.orders ?? 6),
];
