import { compare, perSecond, warmUp } from "../compare.ts";
import { scanAll, withoutLineIds } from "../full-scan.ts";
import type { Lab, Server } from "../lab.ts";
import type { Line } from "../line.ts";
import { fewPromotions, manyPromotions } from "../promotions.ts";
import { type Cart, openShop, randomCarts, type Shop } from "../shop.ts";

const PATH = "/v1/qualifications";
const FEW = 10;

type Answer = { redeemables: { data: { id: string }[]; total: number } };
type Prepared = {
  shop: Shop;
  bodies: readonly Cart[];
  requests: Buffer[] /** Bytes of a mean answer. */;
  size: number;
  notes: string[];
};

/** A shop with promotions, and its carts: every answer about one of them equals what a full scan finds. */
export async function prepareQualifications(
  lab: Lab,
  server: Server,
  { promotions, carts }: { promotions: number; carts: number },
): Promise<Prepared> {
  const shop = await openShop(server, await lab.createProject("Qualifications"), 1);
  await (promotions === FEW ? fewPromotions : manyPromotions)(lab.db, shop, promotions);
  await lab.settle();
  const bodies: Cart[] = randomCarts(11, { count: carts, lines: 5 });
  const scanned = await scanAll(lab.db, shop.project.id, bodies);
  let size = 0;
  for (const [n, body] of bodies.entries()) {
    const answer = await server.call<Answer>(shop.project, `POST ${PATH}`, body);
    const { redeemables } = answer;
    if (withoutLineIds(redeemables) !== scanned[n]!.redeemables)
      throw new Error(`the answer about cart ${n} is not what a full scan finds`);
    size += JSON.stringify(answer).length / bodies.length;
  }
  const share = (of: "candidates" | "matches") => {
    const counts = scanned.flatMap((one) => one[of] ?? []);
    return `${((100 * counts.reduce((sum, one) => sum + one, 0)) / (promotions * counts.length)).toFixed(1)}% ${of}`;
  };
  return {
    shop,
    bodies,
    requests: bodies.map((body) => server.request(shop.project, PATH, body)),
    size,
    notes: [
      `${promotions} promotions: ${share("candidates")}, ${share("matches")}; ${carts} answers equal a full scan`,
    ],
  };
}

export const qualifications: Line = {
  name: "qualifications",
  floor: 0.5,
  aim: 0.8,
  better: "higher",
  run: async (lab, { quick }) => {
    const server = await lab.startServer();
    const carts = quick ? 20 : 200;
    const many = await prepareQualifications(lab, server, { promotions: quick ? 400 : 10_000, carts });
    const few = await prepareQualifications(lab, server, { promotions: FEW, carts });
    const seconds = quick ? 0.2 : 6;
    for (const { requests } of [few, many]) await server.measure(requests, warmUp(quick));
    const compared = await compare(
      {
        baseline: () => server.measure(few.requests, { seconds }),
        engine: () => server.measure(many.requests, { seconds }),
      },
      perSecond,
    );
    await server.stop();
    return {
      title: "POST /v1/qualifications, 10,000 active promotions, page of 5, against 10",
      unit: "req/s",
      ...compared,
      notes: [...many.notes, `answers ${(many.size / 1000).toFixed(1)} kB, with 10 ${(few.size / 1000).toFixed(1)} kB`],
    };
  },
};
