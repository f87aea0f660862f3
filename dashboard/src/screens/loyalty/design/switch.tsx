import { Button } from "@mantine/core";
import type { AnyOp } from "../../../api/op.ts";
import {
  activateCardDefinition,
  activateEarningRule,
  activateProgram,
  activateReward,
  activateTierStructure,
  deactivateProgram,
  type LoyaltyProgram,
  listProgramMembers,
} from "../../../api/operations.gen.ts";
import { send } from "../../../api/send.ts";
import { useCan } from "../../../api/session.ts";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { notifyFailed } from "../../../kit/undo/undo.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { useText } from "../../../text/text.ts";
import type { Design } from "./parts.ts";
import { useDesign } from "./use-design.ts";

const MANY = 100;

/** What has to be active before the program is, in the order in which one needs the other. */
const stepsOf = ({ wallets, structure, rules, rewards }: Design): [AnyOp, object][] => {
  const waiting = <R extends { id: string; status: string }>(records: readonly R[]) =>
    records.filter(({ status }) => status !== "ACTIVE").map(({ id }) => id);
  return [
    ...waiting(wallets).map((id): [AnyOp, object] => [activateCardDefinition, { cardDefinitionId: id }]),
    ...waiting(structure ? [structure] : []).map((id): [AnyOp, object] => [
      activateTierStructure,
      { tierStructureId: id },
    ]),
    ...waiting(rules).map((id): [AnyOp, object] => [activateEarningRule, { earningRuleId: id }]),
    ...waiting(rewards.map(({ reward }) => reward)).map((id): [AnyOp, object] => [activateReward, { rewardId: id }]),
  ];
};

/** Switches a program on, with all its parts, after it was said what that touches; or off. */
export function Switch({ program }: { program: LoyaltyProgram }) {
  const t = useText();
  const can = useCan();
  const design = useDesign(program.id);
  const activate = useAct(activateProgram);
  const deactivate = useAct(deactivateProgram);
  const params = { programId: program.id };
  const isActive = program.status === "ACTIVE";
  if (!can(isActive ? "deactivateProgram" : "activateProgram")) return null;
  const start = async () => {
    const steps = design.data ? stepsOf(design.data) : [];
    const members = await send(listProgramMembers, { ...params, limit: MANY });
    const count = members.data.length;
    const says = [
      t(members.cursor ? "designer.manyMembers" : "designer.members", { count }),
      t("loyalty.activateSays"),
      ...(steps.length > 0 ? [t("designer.withParts", { count: steps.length })] : []),
    ].join(" ");
    if (!(await confirm({ title: program.name, says, act: t("loyalty.activate") }))) return;
    for (const [operation, of] of steps) await send(operation, of);
    await activate.run({ params }, t("loyalty.started"));
  };
  const press = () => {
    if (isActive) return deactivate.run({ params }, t("loyalty.stopped"), () => activate.run({ params }));
    return start().catch(notifyFailed);
  };
  return (
    <Button
      variant={isActive ? "default" : "filled"}
      loading={activate.isPending || deactivate.isPending}
      onClick={() => void press()}
    >
      {t(isActive ? "loyalty.deactivate" : "loyalty.activate")}
    </Button>
  );
}
