import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A mail server that takes everything, and shows what it was given; or one that knows nobody. */
export async function startMailServer({ knowsNobody = false } = {}) {
  const mails: string[] = [];
  const talk = (socket: Socket) => {
    let [text, isData] = ["", false];
    socket.write("220 mail.example\r\n");
    socket.on("data", (chunk) => {
      text += chunk;
      if (isData && text.endsWith("\r\n.\r\n")) {
        mails.push(text);
        [text, isData] = ["", false];
        socket.write("250 taken\r\n");
      }
      while (!isData && text.includes("\r\n")) {
        const [line] = text.split("\r\n", 1);
        text = text.slice(line!.length + 2);
        isData = line === "DATA";
        const [, unknown] = (knowsNobody && /^RCPT TO:<(.*)>/.exec(line!)) || [];
        if (unknown) socket.write(`550 5.1.1 <${unknown.toLowerCase()}>: nobody of that name\r\n`);
        else socket.write(isData ? "354 go on\r\n" : line === "QUIT" ? "221 bye\r\n" : "250 fine\r\n");
      }
    });
  };
  const server = createServer(talk).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { url: `smtp://127.0.0.1:${port}`, mails, close: () => server.close() };
}
