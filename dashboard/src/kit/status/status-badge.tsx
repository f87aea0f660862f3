import {
  IconArchive,
  IconArrowBackUp,
  IconCheck,
  IconCircle,
  IconCircleFilled,
  IconClock,
  IconMail,
  IconPencil,
  IconPlayerPause,
  IconX,
  type TablerIcon,
} from "@tabler/icons-react";
import { type TextKey, useText } from "../../text/text.ts";
import classes from "./status-badge.module.css";

type Look = { look: string; icon: TablerIcon; text: TextKey };
const LOOKS = {
  active: { look: "active", icon: IconCircleFilled, text: "kit.status.active" },
  scheduled: { look: "scheduled", icon: IconClock, text: "kit.status.scheduled" },
  draft: { look: "draft", icon: IconPencil, text: "kit.status.draft" },
  disabled: { look: "disabled", icon: IconPlayerPause, text: "kit.status.disabled" },
  usedUp: { look: "usedUp", icon: IconCircle, text: "kit.status.usedUp" },
  expired: { look: "expired", icon: IconCheck, text: "kit.status.expired" },
  archived: { look: "expired", icon: IconArchive, text: "kit.status.archived" },
  failed: { look: "failed", icon: IconX, text: "kit.status.failed" },
  failing: { look: "failed", icon: IconX, text: "kit.status.failing" },
  succeeded: { look: "active", icon: IconCheck, text: "kit.status.succeeded" },
  rolledBack: { look: "expired", icon: IconCircle, text: "kit.status.rolledBack" },
  rollback: { look: "expired", icon: IconArrowBackUp, text: "kit.status.rollback" },
  working: { look: "scheduled", icon: IconClock, text: "kit.status.working" },
  waiting: { look: "scheduled", icon: IconClock, text: "kit.status.waiting" },
  delivered: { look: "active", icon: IconCheck, text: "kit.status.delivered" },
  invited: { look: "draft", icon: IconMail, text: "kit.status.invited" },
  approved: { look: "active", icon: IconCheck, text: "kit.status.approved" },
  applies: { look: "active", icon: IconCheck, text: "kit.status.applies" },
  doesNotApply: { look: "disabled", icon: IconX, text: "kit.status.doesNotApply" },
  skipped: { look: "expired", icon: IconPlayerPause, text: "kit.status.skipped" },
  rejected: { look: "failed", icon: IconX, text: "kit.status.rejected" },
} as const satisfies Record<string, Look>;

/** What the server calls a status, as one of the looks. */
const OF_SERVER: Record<string, keyof typeof LOOKS> = {
  ACTIVE: "active",
  SCHEDULED: "scheduled",
  DRAFT: "draft",
  DISABLED: "disabled",
  INACTIVE: "disabled",
  USED_UP: "usedUp",
  EXPIRED: "expired",
  ARCHIVED: "archived",
  FAILED: "failed",
  FAILURE: "failed",
  FAILING: "failing",
  SUCCESS: "succeeded",
  SUCCEEDED: "succeeded",
  DONE: "succeeded",
  ROLLED_BACK: "rolledBack",
  redemption_rollback: "rollback",
  IN_PROGRESS: "working",
  ACCEPTED: "working",
  PROCESSING: "working",
  ENQUEUED: "waiting",
  PENDING: "waiting",
  WAITING: "waiting",
  DELIVERED: "delivered",
  INVITED: "invited",
  APPROVED: "approved",
  REJECTED: "rejected",
  APPLICABLE: "applies",
  INAPPLICABLE: "doesNotApply",
  SKIPPED: "skipped",
  ERROR: "failed",
};

/** Always an icon and a word. A status that this page does not know is shown by its own name. */
export function StatusBadge({ status }: { status: string }) {
  const t = useText();
  const known = OF_SERVER[status];
  if (!known) return <span className={`${classes.badge} ${classes.expired}`}>{status}</span>;
  const { look, icon: Icon, text } = LOOKS[known];
  return (
    <span className={`${classes.badge} ${classes[look]}`} data-status={status}>
      <Icon size={look === "active" && known === "active" ? 9 : 13} stroke={2} aria-hidden />
      {t(text)}
    </span>
  );
}
