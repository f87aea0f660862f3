import { ModalsProvider } from "@mantine/modals";
import { useEffect } from "react";
import { nowReady } from "./ready.ts";

function Ready() {
  useEffect(nowReady, []);
  return null;
}

export default function Questions() {
  return (
    <ModalsProvider>
      <Ready />
    </ModalsProvider>
  );
}
