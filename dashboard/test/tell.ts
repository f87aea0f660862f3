import { type TestContext, test } from "node:test";
import { openShop, type Shop, skip } from "./browser.ts";

type Story = (t: TestContext, shop: Shop) => Promise<void>;

/** `STORY=loyalty node scripts/test.ts dashboard/test/stories` runs one of them, for who works on it. */
const only = process.env.STORY?.split(",");

/**
 * What people do with the dashboard, from signing in to the end. All stories of a file happen in one shop, one after the other:
 * starting a shop and a browser takes longer than most stories.
 */
export function tell(name: string, stories: Readonly<Record<string, Story>>): void {
  const chosen = Object.entries(stories).filter(([story]) => only === undefined || only.includes(story));
  if (chosen.length === 0) return;
  test(name, { skip }, async (t) => {
    const shop = await openShop();
    for (const [story, run] of chosen)
      await t.test(story, async (inner) => {
        // What one story broke does not break the next.
        shop.faults.clear();
        await run(inner, shop);
      });
  });
}
