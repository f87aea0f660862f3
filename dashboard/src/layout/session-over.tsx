import { Modal, Text } from "@mantine/core";
import { useSession } from "../api/session.ts";
import { SignInForm } from "../screens/sign-in/form.tsx";
import { useText } from "../text/text.ts";

/** Signs somebody in over the page that they were working on. */
export default function SessionOver() {
  const t = useText();
  const { isOver, session } = useSession();
  return (
    <Modal
      opened={isOver}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t("signIn.title")}
      centered
    >
      <Text mb="lg" size="sm">
        {t("layout.sessionOver")}
      </Text>
      <SignInForm login={session?.user.login ?? ""} />
    </Modal>
  );
}
