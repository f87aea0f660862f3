import { useQuery } from "@tanstack/react-query";
import { getSingleSignOn } from "./operations.gen.ts";
import { send } from "./send.ts";

/** What this server offers to who signs in: another provider, and mails. It is the same until the server starts again. */
export const useOffer = () =>
  useQuery({
    queryKey: ["single-sign-on"],
    queryFn: () => send(getSingleSignOn, {}),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
