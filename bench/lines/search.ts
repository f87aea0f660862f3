import type { Line, Measured } from "../line.ts";
import { percentile } from "../load.ts";

const MANY = 1_000_000;
/** What a search may take, half of the time. */
const MOST_MS = 20;
const NAMES = ["Ada", "Bob", "Chidi", "Dina", "Emil", "Farah", "Goran", "Hanna", "Ines", "Jonas"];
/** What somebody types: letters that many names begin with, a name, an address, an id of the shop, a number, nothing that exists. */
const TYPED = ["ad", "ha", "jonas 12", "dina.4242", "shop-99", "+4915", "zzz", "emil 777777"];

/** `GET /v1/search` among many customers, for one person after the other. */
export const search: Line = {
  name: "search",
  floor: 1,
  aim: 0.5,
  better: "lower",
  run: async (lab, { quick }): Promise<Measured> => {
    const server = await lab.startServer();
    const project = await lab.createProject("Search");
    await lab.db`
      insert into customers (project_id, id, source_id, name, email, phone, created_at)
      select ${project.id}, 'cust_' || lpad(to_hex(n), 24, '0'), 'shop-' || n, first || ' ' || n,
        lower(first) || '.' || n || '@shop.example', '+49' || (1500000000 + n), now()
      from generate_series(1, ${quick ? 1_000 : MANY}::int) n,
        lateral (select (${NAMES}::text[])[1 + n % ${NAMES.length}::int] as first) as named`;
    await lab.settle();
    const requests = TYPED.map((text) => server.request(project, `/v1/search?q=${encodeURIComponent(text)}`));
    await server.measure(requests, { count: quick ? 8 : 80 }, 1);
    const measured = await server.measure(requests, { count: quick ? 8 : 400 }, 1);
    await server.stop();
    const engine = percentile(measured, 0.5);
    const worst = Math.round(percentile(measured, 0.99) * 10) / 10;
    return {
      title: "GET /v1/search with 1,000,000 customers, against 20 ms",
      unit: "ms",
      baseline: MOST_MS,
      engine,
      ratio: engine / MOST_MS,
      notes: [`99 of 100 within ${worst} ms`],
    };
  },
};
