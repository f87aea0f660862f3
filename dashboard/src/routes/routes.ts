import { customers } from "./customers.ts";
import { developers } from "./developers.ts";
import { loyalty } from "./loyalty.ts";
import { promotions } from "./promotions.ts";
import type { Screen } from "./screen.ts";
import { settings } from "./settings.ts";

// Every page of the dashboard. No JSX in here: the browser tests read this table with plain Node.
export const SCREENS: readonly Screen[] = [
  {
    path: "/",
    screen: () => import("../screens/home/home.tsx"),
    needs: null,
    title: "home.title",
    nav: { group: "top", icon: "home" },
  },
  ...promotions,
  ...customers,
  ...loyalty,
  ...developers,
  ...settings,
];
