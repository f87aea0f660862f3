import fs from "node:fs";
import { delimiter, join } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";

// A real browser: it is clicked and typed into as a person would.

/** The shell is Chromium without what draws windows and menus: the same pages for a quarter less CPU. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** Where Chromium is, or null. */
export function findChromium(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => fs.existsSync(file)) ?? null;
}

/** Starts Chromium with an empty profile. */
export const startChromium = (executablePath: string) =>
  chromium.launch({
    executablePath,
    args: [
      "--disable-dev-shm-usage",
      // Without a graphics card the browser would draw with the processor what nobody looks at.
      ...["--disable-gpu", "--disable-gpu-rasterization"],
      // Its sandbox does not start as root, as which containers run tests.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });

/** A page of a browser that was started for it, and ends with the test file. */
export async function openPage(file: string) {
  const browser = await startChromium(file);
  after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  /** What the page complained about: exceptions, and what its policy stopped. */
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  const isAnswer = /^Failed to load resource/;
  page.on("console", (line) => {
    if (line.type() === "error" && !isAnswer.test(line.text())) complaints.push(line.text());
  });
  /** The value of an expression in the page. When the page goes elsewhere meanwhile, that one is asked. */
  const evaluate = (expression: string): Promise<any> =>
    page.evaluate(expression).catch((error: Error) => {
      if (error.message.includes("context was destroyed")) return evaluate(expression);
      throw error;
    });
  return {
    complaints,
    evaluate,
    click: (selector: string) => page.locator(selector).first().click(),
    goTo: async (url: string) => void (await page.goto(url)),
    /** The window of a phone or a desktop, light or dark. */
    resize: async (width: number, height: number, colorScheme: "light" | "dark" = "light") => {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
    },
    /** Presses a key that types nothing, such as Tab, Enter or Escape. */
    press: (key: "Tab" | "Enter" | "Escape") => page.keyboard.press(key),
    /** What is on the screen, as a PNG. */
    screenshot: () => page.screenshot(),
    /** Types into a field in place of what is there. */
    type: (selector: string, text: string) => page.locator(selector).first().fill(text),
  };
}
