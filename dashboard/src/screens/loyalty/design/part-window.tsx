import { Button, Divider, Modal, Stack } from "@mantine/core";
import { type ComponentType, lazy, Suspense, useState } from "react";
import type { AnyOp } from "../../../api/op.ts";
import {
  type LoyaltyProgram,
  listCardDefinitions,
  listEarningRules,
  listRewards,
  listTierStructures,
} from "../../../api/operations.gen.ts";
import { useCan } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Select } from "../../../kit/later/fields.ts";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { notifyDone, notifyFailed } from "../../../kit/undo/undo.tsx";
import { useText } from "../../../text/text.ts";
import { ASSIGNS, useAssign } from "./assign.ts";
import { type Design, isOpen, type Kind, type Part } from "./parts.ts";

export type PartFormProps = { program: LoyaltyProgram; design: Design; onDone: () => void };

const FORMS: Record<Kind, ComponentType<PartFormProps & { id: string | null }>> = {
  rule: lazy(() => import("./rule-form.tsx")),
  wallet: lazy(() => import("./wallet-form.tsx")),
  tier: lazy(() => import("./tier-form.tsx")),
  reward: lazy(() => import("./reward-form.tsx")),
};
const LISTS: Record<Kind, AnyOp> = {
  rule: listEarningRules,
  wallet: listCardDefinitions,
  tier: listTierStructures,
  reward: listRewards,
};

/** Takes what is there already into the program: another one may use it too. */
function TakeExisting({ kind, program, design, onDone }: PartFormProps & { kind: Kind }) {
  const t = useText();
  const can = useCan();
  const { assign } = useAssign(kind, program.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const { data } = useOp(LISTS[kind], { limit: 100, order: ["name"] }, { enabled: can(ASSIGNS[kind].id) });
  const used = new Set([
    ...[...design.rules, ...design.wallets].map(({ id }) => id),
    ...design.rewards.map(({ reward }) => reward.id),
  ]);
  const free = ((data?.data ?? []) as { id: string; name: string }[]).filter(({ id }) => !used.has(id));
  if (free.length === 0 || (kind === "tier" && design.structure !== null)) return null;
  const take = () =>
    assign(chosen!).then(() => {
      notifyDone(t("designer.taken"));
      onDone();
    }, notifyFailed);
  return (
    <>
      <Select
        label={t(`designer.existing.${kind}`)}
        searchable
        data={free.map(({ id, name }) => ({ value: id, label: name }))}
        value={chosen}
        onChange={setChosen}
      />
      {chosen !== null && <Button onClick={() => void take()}>{t("designer.take")}</Button>}
      <Divider label={t("designer.orNew")} />
    </>
  );
}

/** Takes a part out of the program. It stays what it is, so undo puts it back. */
function Remove({ part, program, design, onDone }: PartFormProps & { part: Part }) {
  const t = useText();
  const can = useCan();
  const { assign, unassign } = useAssign(part.kind, program.id);
  if (!can(ASSIGNS[part.kind].id) || !isOpen(part.kind, program) || part.kind === "tier") return null;
  const stock = design.rewards.find(({ reward }) => reward.id === part.id)?.assigned.stock;
  const press = () =>
    unassign(part.id).then(() => {
      notifyDone(t("designer.removed", { name: part.name }), () => assign(part.id, stock));
      onDone();
    }, notifyFailed);
  return (
    <>
      <Divider />
      <div>
        <Button variant="default" onClick={() => void press()}>
          {t("designer.remove")}
        </Button>
      </div>
    </>
  );
}

type Props = PartFormProps & { kind: Kind; part: Part | null };
/** The form of one part, over the flow. */
export default function PartWindow({ kind, part, onDone, ...rest }: Props) {
  const t = useText();
  const Form = FORMS[kind];
  const saved = () => {
    notifyDone(t("kit.form.saved"));
    onDone();
  };
  return (
    <Modal
      opened
      onClose={onDone}
      size="lg"
      title={part?.name ?? t(`designer.new.${kind}`)}
      closeButtonProps={{ "aria-label": t("kit.close") }}
    >
      <Stack gap="lg">
        {part === null && <TakeExisting kind={kind} onDone={onDone} {...rest} />}
        <Suspense fallback={<LoadingRows rows={3} />}>
          <Form id={part?.id ?? null} onDone={saved} {...rest} />
        </Suspense>
        {part !== null && <Remove part={part} onDone={onDone} {...rest} />}
      </Stack>
    </Modal>
  );
}
