import { useState } from "react";
import type { StackingRules } from "../../api/operations.gen.ts";
import { listCategories, listStackingRules } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { useText } from "../../text/text.ts";
import { Categories } from "./categories.tsx";
import { Matrix } from "./matrix.tsx";
import { RulesForm, type StackingDraft } from "./rules-form.tsx";
import classes from "./stacking.module.css";
import { TryIt } from "./try-it.tsx";

const ALL = 100;

/** In which order offers apply, which of them go together, and a cart to try it on. */
export default function Stacking() {
  const t = useText();
  const { id: projectId } = useProject();
  const [draft, setDraft] = useState<StackingDraft | null>(null);
  const categories = useOp(listCategories, { limit: ALL, order: "hierarchy" });
  const rules = useOp(listStackingRules, { projectId });
  const withBoth = (show: (stacking: StackingRules) => React.ReactNode) => (
    <Loaded of={rules}>{({ data }) => (data[0] ? show(data[0]) : null)}</Loaded>
  );
  return (
    <>
      <PageHead title={t("stacking.title")} below={t("stacking.help")}>
        <ShowAsCall operation={listStackingRules} params={{ projectId }} />
      </PageHead>
      <div className={classes.columns}>
        <div className={classes.stack}>
          <Section title={t("stacking.categories")} help={t("stacking.categoriesHelp")}>
            <Loaded of={categories}>
              {({ data }) => withBoth((stacking) => <Categories categories={data} rules={stacking} />)}
            </Loaded>
          </Section>
          <Section title={t("stacking.rules")}>
            <RulesForm onEdit={setDraft} />
          </Section>
        </div>
        <div className={classes.stack}>
          <Section title={t("stacking.matrix")} help={t("stacking.matrixHelp")}>
            <Loaded of={categories}>
              {({ data }) => withBoth((stacking) => <Matrix categories={data} rules={stacking} />)}
            </Loaded>
          </Section>
          <TryIt draft={draft} />
        </div>
      </div>
    </>
  );
}
