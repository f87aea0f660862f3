import type { Webhook } from "../../api/operations.gen.ts";
import { Facts } from "../../kit/page/facts.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { useText } from "../../text/text.ts";

const lines = (texts: readonly string[]) =>
  texts.map((text) => (
    <div key={text} className="mono">
      {text}
    </div>
  ));

export default function WebhookSettings({ record }: { record: Webhook }) {
  const t = useText();
  const headers = Object.entries(record.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Panel>
      <Facts
        of={{
          [t("developers.target")]: <span className="mono">{record.target_url}</span>,
          [t("developers.events")]: lines(record.events),
          [t("developers.headers")]: headers.length > 0 ? lines(headers) : null,
          ID: <span className="mono">{record.id}</span>,
        }}
      />
    </Panel>
  );
}
