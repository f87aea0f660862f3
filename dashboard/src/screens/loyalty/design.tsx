import type { LoyaltyProgram } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { Loaded } from "../../kit/states/loaded.tsx";
import { useText } from "../../text/text.ts";
import { Outline } from "./design/outline.tsx";
import { linksOf, partsOf } from "./design/parts.ts";
import { useDesign } from "./design/use-design.ts";

/** What a program is made of, as a list: what earns, into which wallets, through which tiers, for which rewards. */
export default function Design({ record: { id } }: { record: LoyaltyProgram }) {
  const t = useText();
  const { currency } = useProject();
  return (
    <Loaded of={useDesign(id)}>
      {(design) => <Outline parts={partsOf(design, { t, currency })} links={linksOf(design)} />}
    </Loaded>
  );
}
