import { Button, Fieldset, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { listCustomEventSchemas } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { Select } from "../../../kit/later/fields.ts";
import { useText } from "../../../text/text.ts";
import { GiftFields, RewardFields } from "./reward-fields.tsx";
import { COUNTS, type GiftKind, NO_REFERRAL, type Referral } from "./values.ts";

type Props = {
  defaultValue?: Referral;
  onChange?: (referral: Referral) => void;
  error?: ReactNode;
  "data-path"?: string;
};

const FRIEND_KINDS = ["LOYALTY_PROGRAM", "GIFT_VOUCHERS"] as const;
const NOTHING = "nothing";
type PartProps = { referral: Referral; put: (change: Partial<Referral>) => void };

/** What makes a friend count. */
function Counting({ referral: { counts, event }, put, path }: PartProps & { path: string | undefined }) {
  const t = useText();
  const { id: projectId } = useProject();
  const mayList = useCan()("listCustomEventSchemas");
  const { data } = useOp(listCustomEventSchemas, { projectId }, { enabled: mayList && counts === "custom_event" });
  const events = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <Select
        label={t("referrals.counts")}
        allowDeselect={false}
        data={COUNTS.map((value) => ({
          value,
          label: t(`referrals.countsWhen.${value.replace(".", "_") as "redemption"}`),
        }))}
        value={counts}
        onChange={(chosen) => put({ counts: chosen as Referral["counts"], event: null })}
        {...(path !== undefined && { "data-path": path })}
      />
      {counts === "custom_event" && (
        <Select
          label={t("designer.whichEvent")}
          required
          data={event && !events.some(({ value }) => value === event.value) ? [event, ...events] : events}
          value={event?.value ?? null}
          onChange={(_, option) => put({ event: option ? { value: option.value, label: option.label } : null })}
        />
      )}
    </Group>
  );
}

function Friend({ referral: { friend }, put }: PartProps) {
  const t = useText();
  return (
    <Fieldset legend={t("referrals.friend")}>
      <Stack gap="md">
        <Select
          label={t("referrals.friendGets")}
          allowDeselect={false}
          data={[
            { value: NOTHING, label: t("referrals.nothingMore") },
            ...FRIEND_KINDS.map((value) => ({ value, label: t(`referrals.gifts.${value}`) })),
          ]}
          value={friend?.kind ?? NOTHING}
          onChange={(kind) =>
            put({ friend: kind === NOTHING ? null : { kind: kind as GiftKind, campaign: null, amount: null } })
          }
        />
        {friend && (
          <GiftFields
            key={friend.kind}
            gift={friend}
            onChange={(change) => put({ friend: { ...friend, ...change } })}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

/** What a referral program gives: to the friend beside the discount, to who brought them, and what for. */
export default function ReferralField({ defaultValue = NO_REFERRAL, onChange, error, "data-path": path }: Props) {
  const t = useText();
  const can = useCan();
  const [referral, setReferral] = useState(defaultValue);
  const put = (change: Partial<Referral>) => {
    const next = { ...referral, ...change };
    setReferral(next);
    onChange?.(next);
  };
  const { referrer } = referral;
  const add = () => {
    const key = Math.max(-1, ...referrer.map((one) => one.key)) + 1;
    const gift = { kind: "LOYALTY_PROGRAM" as const, campaign: null, amount: null };
    put({ referrer: [...referrer, { ...gift, key, tier: null, isOnce: false, min: null }] });
  };
  return (
    <Stack gap="lg">
      <Counting referral={referral} put={put} path={path} />
      <Friend referral={referral} put={put} />
      <Stack gap="sm">
        <Text size="sm" fw={600}>
          {t("referrals.referrerGets")}
        </Text>
        {referrer.length === 0 && (
          <Text size="sm" c="dimmed">
            {t("referrals.nothingYet")}
          </Text>
        )}
        {referrer.map((reward, place) => (
          <RewardFields
            key={reward.key}
            reward={reward}
            number={place + 1}
            change={(change) =>
              put({ referrer: referrer.map((one) => (one.key === reward.key ? { ...one, ...change } : one)) })
            }
            drop={() => put({ referrer: referrer.filter(({ key }) => key !== reward.key) })}
          />
        ))}
        {can("createCampaignReward") && can("createRewardAssignment") && (
          <Button
            variant="default"
            size="xs"
            style={{ alignSelf: "flex-start" }}
            leftSection={<IconPlus size={14} stroke={1.75} />}
            onClick={add}
          >
            {t("referrals.addReward")}
          </Button>
        )}
      </Stack>
      {error && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}
