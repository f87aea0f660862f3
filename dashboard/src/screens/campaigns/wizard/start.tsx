import { Button, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { deleteCampaignTemplate, listCampaignTemplates } from "../../../api/operations.gen.ts";
import { useCan, useProject } from "../../../api/session.ts";
import { useOp } from "../../../api/use-op.ts";
import { ShowAsCall } from "../../../kit/call/show-as-call.tsx";
import { confirm } from "../../../kit/confirm/confirm.ts";
import { MoreMenu } from "../../../kit/page/more-menu.tsx";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Panel } from "../../../kit/page/panel.tsx";
import { Loaded } from "../../../kit/states/loaded.tsx";
import { useAct } from "../../../kit/undo/use-act.ts";
import { campaignSentence } from "../../../registry/campaign-sentence.ts";
import { useText } from "../../../text/text.ts";
import { KINDS } from "../kinds.ts";
import classes from "./start.module.css";
import { STARTS, type Start, startOf } from "./starts.ts";
import { offerIn } from "./values.ts";

const TEMPLATES = { limit: 100, order: "-id" } as const;

type CardProps = { title: string; kind: string; says: string; to: string; menu?: React.ReactNode };

function Card({ title, kind, says, to, menu }: CardProps) {
  return (
    <Panel>
      <div className={classes.card}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Text size="xs" c="dimmed">
              {kind}
            </Text>
            <Title order={3} size="lg">
              <Link to={to} className={classes.link}>
                {title}
              </Link>
            </Title>
          </div>
          {menu}
        </Group>
        <Text size="sm">{says}</Text>
      </div>
    </Panel>
  );
}

function OwnTemplates() {
  const t = useText();
  const templates = useOp(listCampaignTemplates, TEMPLATES);
  const remove = useAct(deleteCampaignTemplate);
  const ask = async (id: string, name: string) => {
    const act = { title: t("templates.delete"), says: t("templates.deleteSays", { name }), act: t("templates.delete") };
    if (await confirm({ ...act, isDangerous: true }))
      await remove.run({ params: { campaignTemplateId: id } }, t("templates.deleted"));
  };
  return (
    <Loaded of={templates}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">{t("templates.none")}</Text>
        ) : (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {data.map(({ id, name, description, campaign_type }) => (
              <Card
                key={id}
                title={name}
                kind={t(KINDS[campaign_type])}
                says={description ?? t("templates.noDescription")}
                to={`/campaigns/start/${id}`}
                menu={
                  <MoreMenu
                    items={[
                      {
                        ...{ text: t("templates.delete"), can: "deleteCampaignTemplate", isDangerous: true },
                        run: () => void ask(id, name),
                      },
                    ]}
                  />
                }
              />
            ))}
          </SimpleGrid>
        )
      }
    </Loaded>
  );
}

/** Where a campaign begins: a template of this project, something that most shops have, or nothing. */
export default function StartCampaign() {
  const t = useText();
  const can = useCan();
  const { currency, timezone } = useProject();
  const sentenceOf = (start: Start) => campaignSentence(offerIn(startOf(start)), { t, currency, zone: timezone });
  return (
    <Stack gap="xl">
      <PageHead title={t("campaigns.new")} below={t("templates.below")}>
        <Button component={Link} to="/campaigns/new">
          {t("templates.fromNothing")}
        </Button>
        <ShowAsCall operation={listCampaignTemplates} params={TEMPLATES} />
      </PageHead>
      <section aria-labelledby="starts">
        <Title order={2} id="starts" mb="md">
          {t("templates.starts")}
        </Title>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {(Object.keys(STARTS) as Start[]).map((start) => (
            <Card
              key={start}
              title={t(`templates.start.${start}`)}
              kind={t(KINDS[STARTS[start].campaign_type])}
              says={sentenceOf(start)}
              to={`/campaigns/new?start=${start}`}
            />
          ))}
        </SimpleGrid>
      </section>
      {can("listCampaignTemplates") && (
        <section aria-labelledby="templates">
          <Title order={2} id="templates" mb="md">
            {t("templates.own")}
          </Title>
          <OwnTemplates />
        </section>
      )}
    </Stack>
  );
}
