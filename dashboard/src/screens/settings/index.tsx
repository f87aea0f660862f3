import { Link } from "react-router";
import { getSession, useCan } from "../../api/session.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { useText } from "../../text/text.ts";
import { ICONS } from "../../theme/icons.ts";
import { PARTS } from "./parts.ts";
import classes from "./settings.module.css";

export default function Settings() {
  const t = useText();
  const can = useCan();
  return (
    <>
      <PageHead title={t("settings.title")}>
        <ShowAsCall operation={getSession} params={{}} />
      </PageHead>
      <div className={classes.cards}>
        {PARTS.filter(({ needs }) => needs === null || can(needs)).map(({ path, title, help, icon }) => {
          const Icon = ICONS[icon];
          return (
            <Link key={path} to={path} className={classes.card!}>
              <Icon size={20} stroke={1.75} aria-hidden />
              <strong>{t(title)}</strong>
              <span>{t(help)}</span>
            </Link>
          );
        })}
      </div>
    </>
  );
}
