// How a page calls Laurel. Everything that is needed is here; copy what you like.

const forms = document.forms;
const keys = forms.keys.elements;

/** The answer of a client-side operation; a refusal is an error whose message says what to do. */
async function call(path, body) {
  const headers = {
    "Content-Type": "application/json",
    "X-Client-Application-Id": keys.id.value,
    "X-Client-Token": keys.token.value,
  };
  const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new Error("The server cannot be reached. Is it running?");
  });
  const answer = await reply.json().catch(() => ({}));
  if (reply.ok) return answer;
  throw new Error(explain(reply.status, answer));
}

function explain(status, { message = "The request was refused", details, request_id }) {
  const hints = {
    401: `Check the keys, and that the project trusts ${location.origin} (client_trusted_domains).`,
    403: "The project does not allow this to pages. Its settings that begin with client_ say what is allowed.",
    429: "Wait a few seconds before you try again.",
  };
  const lines = [`${message} (${status})`, details, hints[status], request_id && `Request ${request_id}`];
  return lines.filter(Boolean).join("\n");
}

/** Sends a form; what comes of it is told below, where a screen reader reads it out. */
function onSend(form, send) {
  const [button, told, wrong] = ["button", "[role=status]", "[role=alert]"].map((part) => form.querySelector(part));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    told.textContent = "";
    wrong.textContent = "";
    if (!forms.keys.reportValidity()) return;
    button.disabled = true;
    try {
      told.textContent = await send(form.elements);
    } catch (error) {
      wrong.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}

onSend(forms.event, async ({ customer, event, store }) => {
  const { type, customer: whose } = await call("/client/v1/events", {
    event: event.value,
    customer: { source_id: customer.value },
    metadata: store.value === "" ? {} : { store: store.value },
  });
  return `Tracked ${type} of ${whose.source_id}.`;
});

const money = (cents) => (cents / 100).toFixed(2);

onSend(forms.code, async ({ code, amount }) => {
  const cents = Math.round(Number(amount.value) * 100);
  if (!Number.isSafeInteger(cents) || cents < 0) throw new Error("The amount must be a number such as 49.90.");
  const { valid, order, redeemables } = await call("/client/v1/validations", {
    redeemables: [{ object: "voucher", id: code.value }],
    order: { amount: cents },
  });
  if (valid) return `Valid: ${money(order.total_discount_amount)} off, ${money(order.total_amount)} to pay.`;
  const { message, details } = redeemables[0].result.error;
  throw new Error([`Not valid: ${message}`, details].filter(Boolean).join("\n"));
});

// On the machine of the server the keys of the demo are filled in.
const filled = await fetch("/demo/keys")
  .then((reply) => reply.json())
  .catch(() => ({}));
keys.id.value ||= filled.id ?? "";
keys.token.value ||= filled.token ?? "";
document.documentElement.dataset.ready = "";
