// The page that the link of an invitation leads to, and that for a new password. One file, no dependencies.

/** The page in German, by its English sentences: a test finds one that is missing. */
const GERMAN = {
  "Invitation to Laurel": "Einladung zu Laurel",
  "This page needs JavaScript.": "Diese Seite braucht JavaScript.",
  "Looking for your link …": "Ihr Link wird gesucht …",
  "Accept your invitation": "Einladung annehmen",
  "It is for": "Sie ist für",
  "Choose a password to accept it.": "Wählen Sie ein Passwort, um sie anzunehmen.",
  "You sign in with this address.": "Mit dieser Adresse melden Sie sich an.",
  "First name": "Vorname",
  "Last name": "Nachname",
  Password: "Passwort",
  "At least 12 characters. A few words are easier to remember than signs.":
    "Mindestens 12 Zeichen. Ein paar Wörter merkt man sich leichter als Sonderzeichen.",
  "Fields with * must be filled in.": "Felder mit * müssen ausgefüllt werden.",
  "Show the password": "Passwort zeigen",
  "Accept the invitation": "Einladung annehmen",
  "Or accept it with the account that you have already:": "Oder nehmen Sie sie mit dem Konto an, das Sie schon haben:",
  "This link cannot be used": "Dieser Link gilt nicht",
  "Ask whoever invited you for a new one. If you forgot your password,":
    "Bitten Sie die Person, die Sie eingeladen hat, um eine neue. Wenn Sie Ihr Passwort vergessen haben,",
  "ask for another link": "fordern Sie einen neuen Link an",
  "This did not work": "Das hat nicht geklappt",
  "Try again": "Noch einmal versuchen",
  "Welcome,": "Willkommen,",
  "Your invitation is accepted, and your password is stored.":
    "Ihre Einladung ist angenommen, und Ihr Passwort ist gespeichert.",
  "You can sign in with it now, as": "Sie können sich jetzt damit anmelden, als",
  "Sign in": "Anmelden",
  "The server cannot be reached.": "Der Server ist nicht erreichbar.",
  "It was used before, a newer one was sent, or the link is not complete. Copy the whole link from the newest message.":
    "Er wurde schon verwendet, es gibt einen neueren, oder er ist nicht vollständig. Kopieren Sie den ganzen Link aus der neuesten Nachricht.",
  "It has expired: an invitation is valid for seven days, a link for a new password for an hour.":
    "Er ist abgelaufen: Eine Einladung gilt sieben Tage, ein Link für ein neues Passwort eine Stunde.",
  "Choose a new password for Laurel": "Neues Passwort für Laurel wählen",
  "Choose a new password": "Neues Passwort wählen",
  "You are signed out everywhere once it is stored.": "Sobald es gespeichert ist, sind Sie überall abgemeldet.",
  "Store the new password": "Neues Passwort speichern",
  "Your new password is stored": "Ihr neues Passwort ist gespeichert",
  "You were signed out everywhere. Codes of an authenticator app are asked for as before.":
    "Sie wurden überall abgemeldet. Nach Codes einer Authenticator-App wird wie bisher gefragt.",
  "The link works once, until": "Der Link gilt einmal, bis",
  "Continue with": "Weiter mit",
  "The invitation is valid until": "Die Einladung gilt bis",
};
// As the dashboard does: the language that was chosen there, else that of the browser.
const language = (localStorage.getItem("laurel-language") ?? navigator.language).slice(0, 2);
const say = (words) => (language === "de" ? (GERMAN[words] ?? words) : words);

/** Writes the page in the language of who reads it. */
function translate() {
  if (language !== "de") return;
  document.documentElement.lang = "de";
  document.title = say(document.title);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const words = node.data.replace(/\s+/g, " ").trim();
    if (words in GERMAN) node.data = node.data.replace(/\S[\s\S]*\S|\S/, say(words));
  }
}
translate();

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
    return { status: reply.status, body: reply.status === 204 ? {} : await reply.json() };
  } catch {
    return { status: 0, body: { message: say("The server cannot be reached.") } };
  }
}

const moment = (at) => new Date(at).toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
const day = (at) => new Date(at).toLocaleDateString(language, { dateStyle: "long" });

/** What ends an invitation; anything else can be tried again. */
const OVER = {
  404: "It was used before, a newer one was sent, or the link is not complete. Copy the whole link from the newest message.",
  410: "It has expired: an invitation is valid for seven days, a link for a new password for an hour.",
};

function showOver(status) {
  find("over-reason").textContent = say(OVER[status]);
  show("over");
}

/** What the page says of a link for a new password: nobody is invited, and their names are known. */
function sayReset(email) {
  document.title = say("Choose a new password for Laurel");
  find("open-title").textContent = say("Choose a new password");
  find("open-says").textContent = say("You are signed out everywhere once it is stored.");
  find("accept").textContent = say("Store the new password");
  find("done-title").textContent = say("Your new password is stored");
  find("done-says").textContent = say(
    "You were signed out everywhere. Codes of an authenticator app are asked for as before.",
  );
  find("login").textContent = email;
  for (const label of document.querySelectorAll("[data-names]")) label.remove();
}

let isReset = false;
const SIGN_ON = "/management/v1/single-sign-on";

/** Where people can sign in with another provider, that accepts the invitation too: the address is what counts. */
async function offerProvider() {
  const offer = await fetch(SIGN_ON)
    .then((reply) => reply.json())
    .catch(() => null);
  find("provider").hidden = !offer?.is_enabled;
  find("with-provider").textContent = `${say("Continue with")} ${offer?.name}`;
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
  isReset = body.is_reset;
  if (isReset) {
    sayReset(body.email);
    find("until").textContent = `${say("The link works once, until")} ${moment(body.expires_at)}.`;
  } else {
    find("first-name").value = body.first_name;
    find("last-name").value = body.last_name;
    void offerProvider();
    find("until").textContent = `${say("The invitation is valid until")} ${day(body.expires_at)}.`;
  }
  show("open");
}

const resetWith = (password) => send("/management/v1/password-reset/accept", { token, password });
const acceptWith = (password) => {
  const names = { first_name: find("first-name").value, last_name: find("last-name").value };
  return send("/invitations/accept", { token, ...names, password });
};

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
  const password = find("password").value;
  const { status, body } = isReset ? await resetWith(password) : await acceptWith(password);
  find("accept").disabled = false;
  if (status in OVER) return showOver(status);
  if (status >= 300 || status === 0) {
    find("problem").textContent = body.details ?? body.message;
    return;
  }
  find("password").value = "";
  // The token is of no use any more, and need not stay in the address.
  history.replaceState(null, "", location.pathname);
  if (!isReset) {
    find("name").textContent = body.first_name;
    find("login").textContent = body.login;
  }
  // The sign-in form begins with it: nobody has to remember an address that they did not choose.
  localStorage.setItem("laurel-login", find("login").textContent);
  show("done");
});

// Another link that is opened in the same tab changes only what is behind the `#`.
addEventListener("hashchange", () => location.reload());

await start();
