import { Anchor, Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { type Campaign, listCampaigns } from "../api/operations.gen.ts";
import { useOp } from "../api/use-op.ts";
import { ShowAsCall } from "../kit/call/show-as-call.tsx";
import { PageHead } from "../kit/page/page-head.tsx";
import { Panel } from "../kit/page/panel.tsx";
import { Loaded } from "../kit/states/loaded.tsx";
import { Empty } from "../kit/states/states.tsx";
import { StatusBadge } from "../kit/status/status-badge.tsx";
import { type TextKey, useText } from "../text/text.ts";

const MANY = 50;

type Props = {
  type: Campaign["campaign_type"];
  texts: { title: TextKey; help: TextKey; empty: TextKey; emptyHelp: TextKey };
  /** Of all of them together. */
  above?: ReactNode;
  children: (campaign: Campaign) => ReactNode;
};

/** A page of all campaigns of a kind: each on a ground of its own, with its name and its status. */
export function CampaignPanels({ type, texts, above, children }: Props) {
  const t = useText();
  const params = { campaign_type: type, limit: MANY };
  const campaigns = useOp(listCampaigns, params);
  return (
    <>
      <PageHead title={t(texts.title)} below={t(texts.help)}>
        <ShowAsCall operation={listCampaigns} params={params} />
      </PageHead>
      <Loaded of={campaigns} rows={8}>
        {({ campaigns: all }) =>
          all.length === 0 ? (
            <Empty title={texts.empty} help={texts.emptyHelp} />
          ) : (
            <Stack gap="lg">
              {above}
              {all.map((campaign) => (
                <Panel key={campaign.id}>
                  <Group mb="md">
                    <Title order={2}>
                      <Anchor component={Link} to={`/campaigns/${campaign.id}`} inherit>
                        {campaign.name}
                      </Anchor>
                    </Title>
                    {campaign.status && <StatusBadge status={campaign.status} />}
                  </Group>
                  {children(campaign)}
                </Panel>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}
