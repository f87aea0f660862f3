// The page that the link of an invitation leads to. One file, no dependencies.

const find = (id) => document.getElementById(id);
const SECTIONS = ["loading", "open", "over", "failed", "done"];

/** Shows one section and hides the others. Whoever hears the page is told of it by the focus on its heading. */
function show(name) {
  for (const id of SECTIONS) find(id).hidden = id !== name;
  const heading = find(name).querySelector("h2");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

// Behind the `#` no server on the way has seen it.
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

/** Sends a body and gives the answer; a server that cannot be reached is an answer, too. */
async function send(path, body) {
  try {
    const reply = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: await reply.json() };
  } catch {
    return { status: 0, body: { message: "The server cannot be reached." } };
  }
}

const day = (moment) => new Date(moment).toLocaleDateString(undefined, { dateStyle: "long" });

/** What ends an invitation; anything else can be tried again. */
const OVER = {
  404: "It was used before, a newer one was sent, or the link is not complete. Copy the whole link from the newest message.",
  410: "It has expired: an invitation is valid for seven days.",
};

function showOver(status) {
  find("over-reason").textContent = OVER[status];
  show("over");
}

const SIGN_ON = "/management/v1/single-sign-on";

/** Where people can sign in with another provider, that accepts the invitation too: the address is what counts. */
async function offerProvider() {
  const offer = await fetch(SIGN_ON)
    .then((reply) => reply.json())
    .catch(() => null);
  find("provider").hidden = !offer?.is_enabled;
  find("with-provider").textContent = `Continue with ${offer?.name}`;
}

async function start() {
  show("loading");
  const { status, body } = token === "" ? { status: 404 } : await send("/invitations/read", { token });
  if (status === 400) return showOver(404);
  if (status in OVER) return showOver(status);
  if (status !== 200) {
    find("failed-reason").textContent = body.details ?? body.message;
    return show("failed");
  }
  find("email").textContent = body.email;
  find("first-name").value = body.first_name;
  find("last-name").value = body.last_name;
  void offerProvider();
  find("until").textContent = `The invitation is valid until ${day(body.expires_at)}.`;
  show("open");
}

find("again").addEventListener("click", start);
find("with-provider").addEventListener("click", async () => {
  find("provider-problem").textContent = "";
  const { status, body } = await send(`${SIGN_ON}/start`, {});
  if (status === 200) location.assign(body.url);
  else find("provider-problem").textContent = body.details ?? body.message;
});
find("show").addEventListener("change", ({ target }) => {
  find("password").type = target.checked ? "text" : "password";
});
find("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  find("problem").textContent = "";
  find("accept").disabled = true;
  const names = { first_name: find("first-name").value, last_name: find("last-name").value };
  const { status, body } = await send("/invitations/accept", { token, ...names, password: find("password").value });
  find("accept").disabled = false;
  if (status in OVER) return showOver(status);
  if (status !== 200) {
    find("problem").textContent = body.details ?? body.message;
    return;
  }
  find("password").value = "";
  // The token is of no use any more, and need not stay in the address.
  history.replaceState(null, "", location.pathname);
  find("name").textContent = body.first_name;
  find("login").textContent = body.login;
  show("done");
});

// Another link that is opened in the same tab changes only what is behind the `#`.
addEventListener("hashchange", () => location.reload());

await start();
