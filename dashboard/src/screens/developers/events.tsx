import { Anchor, Button, Group, TextInput } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import { type FeedEvent, streamEvents } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { formatSeconds } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { useKeys } from "../../kit/keys/letters.ts";
import { TagsInput } from "../../kit/later/fields.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { Empty, Failure } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import classes from "./developers.module.css";
import { type Filters, useLiveEvents } from "./use-live-events.ts";

/** The interface takes many more; what was seen is offered as well. */
const COMMON = [
  "customer.redemption.succeeded",
  "customer.redemption.failed",
  "customer.redemption.rollback.succeeded",
  "customer.validation.succeeded",
  "customer.validation.failed",
  "customer.order.paid",
  "customer.created",
  "campaign.updated",
];

function Row({ event }: { event: FeedEvent }) {
  const t = useText();
  const { timezone } = useProject();
  return (
    <details className={classes.attempt}>
      <summary>
        <time dateTime={event.created_at}>{formatSeconds(event.created_at, timezone)}</time>
        <strong className="mono">{event.type}</strong>
        {event.customer_id && (
          <Anchor component={Link} to={`/customers/${event.customer_id}`} inherit>
            {t("developers.customer")}
          </Anchor>
        )}
        {event.campaign_id && (
          <Anchor component={Link} to={`/campaigns/${event.campaign_id}`} inherit>
            {t("developers.campaign")}
          </Anchor>
        )}
      </summary>
      <div className={classes.inside}>
        <JsonBlock value={event} label={event.type} />
      </div>
    </details>
  );
}

/** What happens, as it happens. The filters are in the address. */
export default function LiveEvents() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const types = query.getAll("type");
  const customer = query.get("customer_id") ?? "";
  const filters: Filters = { ...(types.length > 0 && { type: types }), ...(customer && { customer_id: customer }) };
  const live = useLiveEvents(filters);
  const { isPaused } = live;
  const suggested = [...new Set([...COMMON, ...live.events.map(({ type }) => type)])].sort();
  useKeys({ p: live.toggle });
  const set = (name: string, values: readonly string[]) =>
    setQuery(
      (old) => {
        const next = new URLSearchParams(old);
        next.delete(name);
        for (const value of values) if (value !== "") next.append(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <>
      <PageHead title={t("developers.liveEvents")} below={t(`developers.stream.${isPaused ? "paused" : live.state}`)}>
        <Button
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={live.toggle}
        >
          {isPaused ? t("developers.goOn", { count: live.missed }) : t("developers.pause")}
        </Button>
        <Button variant="default" onClick={live.clear}>
          {t("developers.clear")}
        </Button>
        <ShowAsCall operation={streamEvents} params={filters} />
      </PageHead>
      <Group mb="md" gap="sm" align="flex-start" component="search">
        <TagsInput
          aria-label={t("developers.eventTypes")}
          placeholder={types.length === 0 ? t("developers.eventTypes") : ""}
          data={suggested}
          value={types}
          onChange={(values) => set("type", values)}
          clearable
          clearButtonProps={{ "aria-label": t("kit.clearFilters") }}
          w={{ base: "100%", sm: 380 }}
        />
        <TextInput
          aria-label={t("developers.customerId")}
          placeholder={t("developers.customerId")}
          defaultValue={customer}
          onBlur={({ currentTarget }) => set("customer_id", [currentTarget.value.trim()])}
          onKeyDown={(event) => event.key === "Enter" && set("customer_id", [event.currentTarget.value.trim()])}
        />
      </Group>
      <Panel>
        {live.error !== null ? (
          <Failure error={live.error} />
        ) : live.events.length === 0 ? (
          <Empty title="developers.noEventsYet" help="developers.noEventsYetHelp" />
        ) : (
          <div role="log" aria-label={t("developers.liveEvents")}>
            {live.events.map((event) => (
              <Row key={event.id} event={event} />
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}
