import { campaigns } from "./de/campaigns.ts";
import { codes } from "./de/codes.ts";
import { customers } from "./de/customers.ts";
import { developers } from "./de/developers.ts";
import { home } from "./de/home.ts";
import { kit } from "./de/kit.ts";
import { layout } from "./de/layout.ts";
import { redemptions } from "./de/redemptions.ts";
import { signIn } from "./de/sign-in.ts";
import { worth } from "./de/worth.ts";
import type { en } from "./en.ts";

// A text that is missing here does not compile.
export const de = { layout, kit, signIn, home, campaigns, redemptions, customers, worth, developers, codes } satisfies typeof en;
