import { getSession, useSession } from "../../../api/session.ts";
import { ShowAsCall } from "../../../kit/call/show-as-call.tsx";
import { Facts } from "../../../kit/page/facts.tsx";
import { PageHead } from "../../../kit/page/page-head.tsx";
import { Section } from "../../../kit/page/section.tsx";
import { useText } from "../../../text/text.ts";
import { SettingsFrame } from "../frame.tsx";
import classes from "../settings.module.css";
import { OwnPassword } from "./own-password.tsx";
import { OwnProvider } from "./own-provider.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { OwnTotp } from "./own-totp.tsx";

/** Who is signed in, what they may do where, how they sign in, and where they are signed in. */
export default function Account() {
  const t = useText();
  const { session } = useSession();
  if (session === null) return null;
  const { user, projects } = session;
  return (
    <SettingsFrame>
      <PageHead title={t("settings.account")} below={user.login}>
        <ShowAsCall operation={getSession} params={{}} />
      </PageHead>
      <div className={classes.stack}>
        <Section title={t("settings.you")}>
          <Facts
            of={{
              [t("settings.name")]: [user.first_name, user.last_name].filter(Boolean).join(" "),
              [t("settings.email")]: user.login,
              [t("account.provider")]: t(user.has_identity ? "settings.yes" : "settings.no"),
              [t("settings.owner")]: t(user.is_owner ? "settings.yes" : "settings.no"),
              ...Object.fromEntries(projects.map(({ name, role }) => [t("settings.roleIn", { project: name }), role])),
            }}
          />
        </Section>
        <OwnPassword user={user} />
        <OwnProvider user={user} />
        <OwnTotp user={user} />
        <OwnSessions />
      </div>
    </SettingsFrame>
  );
}
