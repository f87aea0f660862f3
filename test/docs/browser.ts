import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import { delimiter, join } from "node:path";
import { after } from "node:test";
import { eventually } from "../support/child.ts";

// A real browser, driven over its DevTools protocol: it is clicked and typed into as a person would.

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Where Chromium is, or null. */
export function findChromium(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => fs.existsSync(file)) ?? null;
}

type Reply = { id: number; result?: any; error?: { message: string } };
type Message = Reply | { method: string; params: any };
type Send = (method: string, params?: object) => Promise<any>;

/** Starts Chromium with an empty profile. It ends with the test file. */
async function startChromium(file: string): Promise<string> {
  const profile = fs.mkdtempSync(join(os.tmpdir(), "laurel-browser-"));
  const isRoot = process.getuid?.() === 0;
  const args = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "--disable-gpu"];
  const child = spawn(file, [
    ...args,
    ...["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", "--disable-extensions"],
    // Its sandbox does not start as root, as which containers run tests.
    ...(isRoot ? ["--no-sandbox"] : []),
    "about:blank",
  ]);
  after(async () => {
    const ended = once(child, "close");
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await ended;
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  child.once("error", (error) => {
    said += error.message;
  });
  const address = () => /^DevTools listening on (ws:\S+)$/m.exec(said)?.[1];
  await eventually(() => address() !== undefined || child.exitCode !== null, "Chromium listens");
  const url = address();
  if (url === undefined) throw new Error(`Chromium ended with ${child.exitCode}: ${said}`);
  return url;
}

/** What is sent is answered by its number; everything else is handed on. */
async function connect(url: string, heard: (method: string, params: any) => void): Promise<Send> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<any>>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (!("id" in message)) return heard(message.method, message.params);
    const { id, result, error } = message;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`${url} does not answer`)));
  });
  after(() => socket.close());
  let sent = 0;
  return (method, params = {}) => {
    sent += 1;
    const answer = Promise.withResolvers<any>();
    waiting.set(sent, answer);
    socket.send(JSON.stringify({ id: sent, method, params }));
    return answer.promise;
  };
}

/** A page of a browser that was started for it. */
export async function openPage(file: string) {
  const { host } = new URL(await startChromium(file));
  const [target] = (await (await fetch(`http://${host}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
  /** What the page complained about: exceptions, and what its policy stopped. */
  const complaints: string[] = [];
  const send = await connect(target!.webSocketDebuggerUrl, (method, params) => {
    if (method === "Runtime.exceptionThrown") complaints.push(params.exceptionDetails.exception?.description);
    if (method === "Log.entryAdded" && params.entry.source !== "network") complaints.push(params.entry.text);
  });
  for (const domain of ["Page", "Runtime", "Log"]) await send(`${domain}.enable`);

  /** The value of an expression in the page. */
  const evaluate = async (expression: string): Promise<any> => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** Presses the mouse in the middle of what the selector finds, wherever that is on the screen. */
  const click = async (selector: string, clickCount = 1) => {
    const { x, y } = await evaluate(`(() => {
      const found = document.querySelector(${JSON.stringify(selector)});
      found.scrollIntoView({ block: "center" });
      const { left, top, width, height } = found.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"])
      await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount });
  };
  return {
    complaints,
    evaluate,
    click,
    goTo: async (url: string) => {
      const { errorText } = await send("Page.navigate", { url });
      if (errorText) throw new Error(`${url}: ${errorText}`);
      await eventually(() => evaluate("document.readyState === 'complete'"), `${url} is loaded`);
    },
    /** The window of a phone or a desktop, light or dark. */
    resize: async (width: number, height: number, scheme: "light" | "dark" = "light") => {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    },
    /** Presses a key that types nothing, such as Tab, Enter or Escape. */
    press: async (key: "Tab" | "Enter" | "Escape") => {
      const windowsVirtualKeyCode = { Tab: 9, Enter: 13, Escape: 27 }[key];
      const text = key === "Enter" ? { text: "\r" } : {};
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode, ...text });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode });
    },
    /** What is on the screen, as a PNG. */
    screenshot: async (): Promise<Buffer> =>
      Buffer.from((await send("Page.captureScreenshot", { captureBeyondViewport: false })).data, "base64"),
    /** Types into a field in place of what is there. */
    type: async (selector: string, text: string) => {
      await click(selector, 3);
      await send("Input.dispatchKeyEvent", {
        type: "keyDown",
        key: "Delete",
        code: "Delete",
        windowsVirtualKeyCode: 46,
      });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 });
      await send("Input.insertText", { text });
    },
  };
}
