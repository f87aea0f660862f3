import { useParams } from "react-router";
import { getLoggedRequest } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { JsonBlock } from "../../kit/json/json-block.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { Facts } from "../../kit/page/facts.tsx";
import { Page } from "../../kit/page/page.tsx";
import { Section } from "../../kit/page/section.tsx";
import { HttpStatus } from "../../kit/status/http-status.tsx";
import { useText } from "../../text/text.ts";
import classes from "./developers.module.css";

const mono = (text: string | null) => text && <span className="mono">{text}</span>;

/** One request: what was asked, what was answered, and how long it took. */
export default function RequestPage() {
  const t = useText();
  const { timezone } = useProject();
  const { requestId = "" } = useParams();
  const logged = useOp(getLoggedRequest, { requestId });
  return (
    <Page
      of={logged}
      title={({ method, route }) => `${method} ${route}`}
      below={(one) =>
        [
          formatMoment(one.created_at, timezone),
          t("developers.ms", { ms: formatCount(one.duration_ms) }),
          one.operation,
        ].join(" · ")
      }
      call={[getLoggedRequest, { requestId }]}
    >
      {(one) => (
        <div className={classes.stack}>
          <Section title={t("developers.about")}>
            <Facts
              of={{
                [t("developers.answered")]: <HttpStatus status={one.status} />,
                [t("developers.errorKey")]: one.error_key,
                [t("developers.url")]: mono(one.url),
                [t("developers.key")]: mono(`${one.key.type} ${one.key.id}`),
                [t("developers.channel")]: one.channel,
                [t("developers.codes")]: mono(one.codes.join(", ")),
                [t("developers.customers")]: mono(one.customers.join(", ")),
                [t("developers.requestId")]: mono(one.id),
              }}
            />
          </Section>
          <div className={classes.columns}>
            <Section title={t("developers.sent")}>
              <JsonBlock value={one.request_body ?? ""} label={t("developers.sent")} />
            </Section>
            <Section title={t("developers.answer")}>
              <JsonBlock value={one.response_body ?? ""} label={t("developers.answer")} />
            </Section>
          </div>
        </div>
      )}
    </Page>
  );
}
