import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { useText } from "../text/text.ts";
import { cssVariablesResolver, theme } from "../theme/theme.ts";

const colorSchemeManager = localStorageColorSchemeManager({ key: "laurel-color-scheme" });

/** The theme, with the names of buttons that Mantine makes by itself in the language of the page. */
export function Themed({ nonce, children }: { nonce: string; children: ReactNode }) {
  const t = useText();
  const named = useMemo(() => {
    const close = { "aria-label": t("kit.close") };
    return mergeThemeOverrides(theme, {
      components: {
        ModalCloseButton: { defaultProps: close },
        Notification: { defaultProps: { closeButtonProps: close } },
        // In a window it is no landmark of the page.
        ModalHeader: { defaultProps: { role: "presentation" } },
      },
    });
  }, [t]);
  return (
    <MantineProvider
      theme={named}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
