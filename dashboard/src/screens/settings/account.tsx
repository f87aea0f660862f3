import { useSession } from "../../api/session.ts";
import { formatMoment } from "../../kit/date/date.ts";
import { Facts } from "../../kit/page/facts.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Section } from "../../kit/page/section.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";
import classes from "./settings.module.css";

/** Who is signed in, until when, and what they may do where. */
export default function Account() {
  const t = useText();
  const { session, project } = useSession();
  if (session === null) return null;
  const { user, projects } = session;
  return (
    <SettingsFrame>
      <PageHead title={t("settings.account")} below={user.login} />
      <div className={classes.stack}>
        <Section title={t("settings.you")}>
          <Facts
            of={{
              [t("settings.name")]: [user.first_name, user.last_name].filter(Boolean).join(" "),
              [t("settings.email")]: user.login,
              [t("settings.owner")]: t(user.is_owner ? "settings.yes" : "settings.no"),
              ...Object.fromEntries(projects.map(({ name, role }) => [t("settings.roleIn", { project: name }), role])),
            }}
          />
        </Section>
        <Section title={t("settings.session")} help={t("settings.sessionHelp")}>
          <Facts
            of={{
              [t("settings.since")]: formatMoment(session.created_at, project?.timezone),
              [t("settings.until")]: formatMoment(session.expires_at, project?.timezone),
            }}
          />
        </Section>
      </div>
    </SettingsFrame>
  );
}
