import { type CSSVariablesResolver, createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "laurel",
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 6,
  cursorType: "pointer",
  respectReducedMotion: true,
  colors: {
    laurel: [
      ...(["#eefaf2", "#d8f1e1", "#b0e2c4", "#84d2a4", "#5fc48a"] as const),
      ...(["#45b777", "#2f9e62", "#1f7f4c", "#17653c", "#0e4a2b"] as const),
    ],
  },
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  breakpoints: { xs: "30em", sm: "48em", md: "62em", lg: "75em", xl: "90em" },
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "20px" }, h2: { fontSize: "16px" }, h3: { fontSize: "14px" } },
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray", size: "lg" } },
    TextInput: { defaultProps: { size: "sm" } },
    Select: { defaultProps: { size: "sm", checkIconPosition: "right" } },
    Modal: { defaultProps: { transitionProps: { duration: 120, transition: "fade" } } },
    Menu: { defaultProps: { transitionProps: { duration: 120, transition: "fade" }, withinPortal: true } },
  },
});

/** Mantine's own dimmed text, placeholders and faults have 3.3 : 1 and fail the check of accessibility. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-7)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-anchor": "#17653c",
    "--mantine-color-laurel-text": "#17653c",
    "--mantine-color-laurel-light-color": "#17653c",
    "--laurel-ground": "#f7f8f8",
    "--laurel-panel": "#ffffff",
    "--laurel-edge": "#e2e5e8",
    "--laurel-chart": "#1f7f4c",
    "--laurel-chart-soft": "#d8f1e1",
  },
  dark: {
    "--mantine-color-dimmed": "var(--mantine-color-dark-1)",
    "--mantine-color-placeholder": "var(--mantine-color-dark-1)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-anchor": "#84d2a4",
    "--mantine-color-laurel-text": "#84d2a4",
    "--mantine-color-laurel-light-color": "#84d2a4",
    "--laurel-ground": "#16191b",
    "--laurel-panel": "#1d2123",
    "--laurel-edge": "#33393d",
    "--laurel-chart": "#5fc48a",
    "--laurel-chart-soft": "#1d3a2a",
  },
});
