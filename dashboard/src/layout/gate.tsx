import { Center, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { useLocation } from "react-router";
import { statusOf } from "../api/errors.ts";
import { send } from "../api/send.ts";
import { getSession, signedIn, signedOut, useSession } from "../api/session.ts";
import { Failure } from "../kit/states/states.tsx";
import { useText } from "../text/text.ts";
import { Layout } from "./layout.tsx";

const SignIn = lazy(() => import("../screens/sign-in/sign-in.tsx"));
const Callback = lazy(() => import("../screens/sign-in/callback.tsx"));

/** Where the provider of single sign-on sends people back to. */
const CALLBACK_PATH = "/sign-in/callback";

export function Gate() {
  const { pathname } = useLocation();
  if (pathname !== CALLBACK_PATH) return <Entrance />;
  return (
    <Suspense>
      <Callback />
    </Suspense>
  );
}

/** Shows the dashboard to who is signed in, and the sign-in page to everybody else. */
function Entrance() {
  const t = useText();
  const { session, project, isKnown } = useSession();
  const asked = useQuery({
    queryKey: ["session"],
    queryFn: ({ signal }) => send(getSession, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => {
    if (asked.data) signedIn(asked.data);
    if (statusOf(asked.error) === 401) signedOut();
  }, [asked.data, asked.error]);
  if (asked.error && statusOf(asked.error) !== 401 && !session)
    return (
      <Center mih="100vh" p="lg">
        <Failure error={asked.error} retry={() => void asked.refetch()} />
      </Center>
    );
  if (!isKnown)
    return (
      <Center mih="100vh">
        <Loader aria-label={t("kit.loading")} />
      </Center>
    );
  if (!session)
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  if (!project)
    return (
      <Center mih="100vh" p="lg">
        <Text>{t("layout.noProject")}</Text>
      </Center>
    );
  // Another project has other data: everything below starts anew.
  return <Layout key={project.id} />;
}
