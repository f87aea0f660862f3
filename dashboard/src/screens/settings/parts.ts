import type { TextKey } from "../../text/text.ts";
import type { IconName } from "../../theme/icons.ts";

type Part = { path: string; title: TextKey; help: TextKey; needs: string | null; icon: IconName };

/** The parts of the settings, in the order in which they stand. */
export const PARTS: readonly Part[] = [
  {
    path: "/settings/project",
    title: "settings.project",
    help: "settings.projectHelp",
    needs: "getProject",
    icon: "settings",
  },
  {
    path: "/settings/schemas",
    title: "settings.schemas",
    help: "settings.schemasHelp",
    needs: "listProjectMetadataSchemas",
    icon: "rules",
  },
  {
    path: "/settings/users",
    title: "settings.users",
    help: "settings.usersHelp",
    needs: "listUsers",
    icon: "customers",
  },
  { path: "/settings/roles", title: "settings.roles", help: "settings.rolesHelp", needs: "listRoles", icon: "keys" },
  {
    path: "/settings/audit",
    title: "settings.audit",
    help: "settings.auditHelp",
    needs: "listAuditLog",
    icon: "audit",
  },
  {
    path: "/settings/jobs",
    title: "settings.jobs",
    help: "settings.jobsHelp",
    needs: "listAsyncActions",
    icon: "jobs",
  },
  {
    path: "/settings/trash",
    title: "settings.trash",
    help: "settings.trashHelp",
    needs: "listBinEntries",
    icon: "trash",
  },
  {
    path: "/settings/branding",
    title: "settings.branding",
    help: "settings.brandingHelp",
    needs: "listBranding",
    icon: "branding",
  },
  {
    path: "/settings/sandbox",
    title: "settings.sandbox",
    help: "settings.sandboxHelp",
    needs: "getTestClock",
    icon: "sandbox",
  },
  {
    path: "/settings/account",
    title: "settings.account",
    help: "settings.accountHelp",
    needs: null,
    icon: "customers",
  },
];
