import { getKey, getUser } from "../api/operations.gen.ts";
import { useCan, useProject, useSession } from "../api/session.ts";
import { useOp } from "../api/use-op.ts";
import { useText } from "../text/text.ts";

type Person = { first_name: string; last_name: string; login: string };
const personName = ({ first_name, last_name, login }: Person) => `${first_name} ${last_name}`.trim() || login;

/** Who sent a request: a person or a key by name. For who may not read these, and where there is none any more, the id. */
export function CallerName({ id }: { id: string }) {
  const t = useText();
  const can = useCan();
  const { session } = useSession();
  const { id: projectId } = useProject();
  const isUser = id.startsWith("user_");
  const own = session?.user.id === id ? session.user : null;
  const user = useOp(getUser, { projectId, userId: id }, { enabled: isUser && !own && can("getUser") });
  const key = useOp(getKey, { projectId, keyId: id }, { enabled: !isUser && can("getKey") });
  const person = own ?? user.data;
  const name = person ? personName(person) : key.data && `${t("names.kinds.key")} ${key.data.name}`;
  return name ? <span title={id}>{name}</span> : <span className="mono">{id}</span>;
}
