import "@mantine/core/styles.layer.css";
import "./theme/global.css";
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { createQueryClient } from "./api/use-op.ts";
import { createRouter } from "./layout/router.tsx";
import { startText } from "./text/text.ts";
import { cssVariablesResolver, theme } from "./theme/theme.ts";

// The policy of the page allows only styles that have its nonce.
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

const queryClient = createQueryClient();
await startText();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager({ key: "laurel-color-scheme" })}
        getStyleNonce={() => nonce}
      >
        <RouterProvider router={createRouter()} />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
