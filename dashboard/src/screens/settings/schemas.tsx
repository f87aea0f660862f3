import { Anchor, Button, Group } from "@mantine/core";
import { Link } from "react-router";
import type { RowOf } from "../../api/op.ts";
import { listCustomEventSchemas, listProjectMetadataSchemas } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Can } from "../../kit/page/can.tsx";
import { Facts } from "../../kit/page/facts.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Section } from "../../kit/page/section.tsx";
import { Loaded } from "../../kit/states/loaded.tsx";
import { Empty } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";
import classes from "./settings.module.css";

type Properties = RowOf<typeof listCustomEventSchemas>["schema"]["properties"];
type Row = { id: string; name: string; properties: Record<string, unknown> };

const namesOf = (properties: Record<string, unknown>) =>
  Object.entries(properties as Properties)
    .filter(([, { deleted }]) => !deleted)
    .map(([name, { type, optional }]) => `${name}: ${type}${optional ? "" : " *"}`)
    .join(", ");

function Schemas({ rows, to }: { rows: readonly Row[]; to: string }) {
  if (rows.length === 0) return <Empty title="settings.noSchemas" />;
  return (
    <Facts
      of={Object.fromEntries(
        rows.map(({ id, name, properties }) => [
          name,
          <Anchor key={id} component={Link} to={`${to}/${id}`} inherit className="mono">
            {namesOf(properties) || "–"}
          </Anchor>,
        ]),
      )}
    />
  );
}

export default function SchemasPage() {
  const t = useText();
  const { id: projectId } = useProject();
  const metadata = useOp(listProjectMetadataSchemas, { projectId });
  const events = useOp(listCustomEventSchemas, { projectId });
  const add = (to: string, can: string) => (
    <Can do={can}>
      <Group>
        <Button component={Link} to={to} variant="default">
          {t("settings.addSchema")}
        </Button>
      </Group>
    </Can>
  );
  return (
    <SettingsFrame>
      <PageHead title={t("settings.schemas")} below={t("settings.schemasHelp")}>
        <ShowAsCall operation={listProjectMetadataSchemas} params={{ projectId }} />
      </PageHead>
      <div className={classes.stack}>
        <Section
          title={t("settings.metadata")}
          help={t("settings.metadataHelp")}
          actions={add("/settings/schemas/metadata/new", "createMetadataSchema")}
        >
          <Loaded of={metadata}>
            {({ data }) => (
              <Schemas
                rows={data.map(({ related_object, ...one }) => ({ ...one, name: related_object }))}
                to="/settings/schemas/metadata"
              />
            )}
          </Loaded>
        </Section>
        <Section
          title={t("settings.customEvents")}
          help={t("settings.customEventsHelp")}
          actions={add("/settings/schemas/events/new", "createCustomEventSchema")}
        >
          <Loaded of={events}>
            {({ data }) => (
              <Schemas
                rows={data.map(({ id, name, schema }) => ({ id, name, properties: schema.properties }))}
                to="/settings/schemas/events"
              />
            )}
          </Loaded>
        </Section>
      </div>
    </SettingsFrame>
  );
}
