import { campaigns } from "./stories/campaigns.ts";
import { goods } from "./stories/goods.ts";
import { keys } from "./stories/keys.ts";
import { loyalty } from "./stories/loyalty.ts";
import { marketers } from "./stories/marketers.ts";
import { questions } from "./stories/questions.ts";
import { rules } from "./stories/rules.ts";
import { twoPeople } from "./stories/two-people.ts";
import { tell } from "./tell.ts";

tell("stories of marketers in a browser", {
  rules,
  campaigns,
  goods,
  marketers,
  loyalty,
  keys,
  questions,
  twoPeople,
});
