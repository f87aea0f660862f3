import "@mantine/core/styles.layer.css";
import "./theme/global.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { createQueryClient } from "./api/use-op.ts";
import { createRouter } from "./layout/router.tsx";
import { Themed } from "./layout/themed.tsx";
import { languageOf, speak } from "./text/text.ts";

// The policy of the page allows only styles that have its nonce.
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

const queryClient = createQueryClient();
await speak(languageOf());

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Themed nonce={nonce}>
        <RouterProvider router={createRouter()} />
      </Themed>
    </QueryClientProvider>
  </StrictMode>,
);
