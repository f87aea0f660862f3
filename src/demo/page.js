// A small shop on Laurel. Everything that is needed is here; copy what you like.
// The page decides nothing: prices, discounts and points are what the server answers.

const $ = (id) => document.getElementById(id);
const keys = document.querySelector("#keys form").elements;

/** An element with its text and children. Text is always set as text, never as HTML. */
function element(name, options = {}, ...children) {
  const { text, on, data, ...rest } = options;
  const made = Object.assign(document.createElement(name), rest);
  if (text !== undefined) made.textContent = text;
  if (on) made.addEventListener("click", on);
  Object.assign(made.dataset, data);
  made.append(...children);
  return made;
}
const button = (text, on, options = {}) => element("button", { type: "button", text, on, ...options });

// --- Calling Laurel ---------------------------------------------------------------------------------------------------

/** The answer of an operation; a refusal is an error whose message says what to do. */
async function call(line, body) {
  const [method, path] = line.split(" ");
  const credentials = path.startsWith("/client/")
    ? { "X-Client-Application-Id": keys.client_id.value, "X-Client-Token": keys.client_token.value }
    : { "X-App-Id": keys.app_id.value, "X-App-Token": keys.app_token.value };
  const options = {
    method,
    headers: { ...credentials, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  };
  const reply = await fetch(path, options).catch(() => {
    throw new Error("The server cannot be reached. Is it running?");
  });
  const answer = await reply.json().catch(() => ({}));
  if (reply.ok) return answer;
  throw new Error(explain(reply.status, answer));
}

function explain(status, { message = "The request was refused", details, request_id }) {
  const hints = {
    401: `Check the keys, and that the project trusts ${location.origin} (client_trusted_domains).`,
    403: "The project does not allow this. Its settings that begin with client_ say what pages may do.",
    429: "Wait a few seconds before you try again.",
  };
  const lines = [`${message} (${status})`, details, hints[status], request_id && `Request ${request_id}`];
  return lines.filter(Boolean).join("\n");
}

// --- The cart ---------------------------------------------------------------------------------------------------------

const SHOWN_MAX = 12;
const products = new Map();
const cart = new Map();
/** What the customer wants to use: codes that were typed in, and promotions that were offered. */
let wanted = [];
let asked = 0;
/** What is shown: the answer to the cart as it is. */
let answer = null;

const money = (cents) => (cents / 100).toFixed(2);
const minus = (cents) => `\u2212${money(cents)}`;
const customer = () => ($("customer").value === "" ? undefined : { source_id: $("customer").value });

const cartBody = () => ({
  ...(customer() && { customer: customer() }),
  order: {
    items: [...cart].map(([source_id, quantity]) => ({ source_id, related_object: "product", quantity })),
  },
});
const validation = (redeemables) => ({
  redeemables: redeemables.map(({ object, id }) => ({ object, id })),
  ...cartBody(),
  options: { expand: ["order", "trace"] },
});

/** Asks what the cart costs. Only the newest answer is shown. */
async function refresh() {
  asked += 1;
  const mine = asked;
  $("done").textContent = "";
  $("wrong").textContent = "";
  showLines();
  try {
    const told = cart.size === 0 ? null : await ask();
    if (mine !== asked) return;
    answer = told;
    showSums();
  } catch (error) {
    if (mine === asked) $("wrong").textContent = error.message;
  }
}

/** The price and the offers for the cart, and what the codes make of it. Codes that do not apply are left out. */
async function ask() {
  const { order, redeemables } = await call("POST /v1/qualifications", {
    scenario: "ALL",
    options: { limit: 50 },
    ...cartBody(),
  });
  const offers = redeemables.data.filter(({ object, banner }) => object === "promotion_tier" && banner);
  if (wanted.length === 0) return { order, offers, entries: [], applied: [] };
  const first = await call("POST /v1/validations", validation(wanted));
  const refused = first.redeemables.filter(({ status }) => status === "INAPPLICABLE");
  const applied = wanted.filter(({ id }) => !refused.some((one) => one.id.toUpperCase() === id.toUpperCase()));
  if (applied.length === 0) return { order, offers, entries: refused, applied };
  const last = refused.length === 0 ? first : await call("POST /v1/validations", validation(applied));
  return { order: last.order ?? order, offers, entries: [...last.redeemables, ...refused], applied };
}

function put(id, quantity) {
  if (quantity > 0) cart.set(id, quantity);
  else cart.delete(id);
  return refresh();
}

function showLines() {
  const lines = [...cart].map(([id, quantity]) => {
    const { name, price } = products.get(id);
    return element(
      "li",
      {},
      element("span", { text: name }),
      button("\u2212", () => put(id, quantity - 1), { ariaLabel: `One ${name} less` }),
      element("span", { className: "quantity amount", text: quantity }),
      button("+", () => put(id, quantity + 1), { ariaLabel: `One ${name} more` }),
      element("span", { className: "amount", text: money(price * quantity) }),
    );
  });
  $("lines").replaceChildren(...lines);
  $("empty").hidden = lines.length > 0;
}

/** One line of the bill for each code, with its reason, then what is left to pay. */
function showSums() {
  const rows = (answer?.entries ?? wanted).map(codeRow);
  if (answer) {
    const total = element("span", { className: "amount", id: "total", text: money(answer.order.total_amount) });
    rows.push(element("li", { className: "total" }, element("span", { text: "To pay" }), total));
  }
  $("sums").replaceChildren(...rows);
  const offers = (answer?.offers ?? []).filter(({ id }) => !wanted.some((one) => one.id === id));
  const offered = ({ id, banner }) => button(banner, () => use({ object: "promotion_tier", id, label: banner }));
  $("offers").replaceChildren(...offers.map(offered));
  $("offers-row").hidden = offers.length === 0;
  $("pay").disabled = !answer;
  $("pay").textContent = answer ? `Pay ${money(answer.order.total_amount)}` : "Pay";
  const count = [...cart.values()].reduce((sum, quantity) => sum + quantity, 0);
  $("to-cart").textContent = `Cart (${count})`;
}

function codeRow(entry) {
  const { id, status, order, result, details, trace } = entry;
  const label = wanted.find((one) => one.id === id)?.label ?? id;
  const off = (order?.applied_discount_amount ?? 0) + (order?.items_applied_discount_amount ?? 0);
  const reason = result?.details?.message ?? result?.error?.message ?? details?.message ?? "in the next cart";
  return element(
    "li",
    { data: { code: id } },
    element("code", { text: label }),
    status === "APPLICABLE"
      ? element("span", { className: "amount good", text: minus(off) })
      : element("span", { className: `small ${status ? "bad" : "dim"}`, text: reason }),
    ...(trace ? [button("Why?", () => showWhy(entry, label), { className: "plain", ariaLabel: `Why? ${label}` })] : []),
    button("Remove", () => remove(id), { className: "plain", ariaLabel: `Remove ${label}` }),
  );
}

function use(redeemable) {
  if (!wanted.some(({ id }) => id === redeemable.id)) wanted = [...wanted, redeemable];
  return refresh();
}
const useCode = (code) => use({ object: "voucher", id: code, label: code });

function remove(id) {
  wanted = wanted.filter((one) => one.id.toUpperCase() !== id.toUpperCase());
  return refresh();
}

$("code").addEventListener("submit", (event) => {
  event.preventDefault();
  const { code } = event.target.elements;
  const text = code.value.trim().toUpperCase();
  if (text !== "") void useCode(text);
  code.value = "";
});
$("customer").addEventListener("change", () => {
  void refresh();
  void showPoints();
});

// --- Why? -------------------------------------------------------------------------------------------------------------

const mark = (passed) => (passed ? "\u2713" : "\u2717");
const value = (one) => (typeof one === "string" ? one : JSON.stringify(one));
const line = (passed, text, ...children) =>
  element(
    "li",
    {},
    element("span", { className: passed ? "good" : "bad", text: `${mark(passed)} ` }),
    text,
    ...children,
  );

/** A rule with what it saw and what it wanted, or a group of rules. */
function ruleLine(trace) {
  if (trace.kind !== "rule") {
    const title = trace.kind === "and" ? "All of these" : "One of these";
    return line(trace.passed, title, element("ul", {}, ...trace.terms.map(ruleLine)));
  }
  const wants = trace.conditions.map(
    ({ operator, expected, missing }) =>
      `${operator.replace("$", "").replaceAll("_", " ")} ${value(expected)}${missing ? ` (${missing.text})` : ""}`,
  );
  const seen = trace.lacks ? `${trace.lacks} was not sent` : `seen: ${value(trace.seen)}`;
  return line(
    trace.passed,
    [trace.name, trace.property, ...wants].filter(Boolean).join(" "),
    ...(trace.below ? [] : [element("div", { className: "small dim", text: seen })]),
    ...(trace.message ? [element("div", { className: "small", text: trace.message })] : []),
    ...(trace.below ? [element("ul", {}, ruleLine(trace.below))] : []),
  );
}

const section = (title, items) =>
  items.length === 0 ? [] : [element("h3", { text: title }), element("ul", {}, ...items)];

function showWhy({ status, trace }, label) {
  const { checks, rules, calculation, decided_by } = trace;
  $("why-title").textContent = `Why? ${label}`;
  const verdict = status === "APPLICABLE" ? "It applies." : `It does not apply: ${decided_by}.`;
  const steps = calculation?.steps ?? [];
  $("reasons").replaceChildren(
    element("p", { className: status === "APPLICABLE" ? "good" : "bad", text: verdict }),
    ...section(
      "Checks",
      checks.map(({ check, passed, expected, seen }) =>
        line(passed, `${check.replaceAll("_", " ")}: expected ${value(expected)}, seen ${value(seen)}`),
      ),
    ),
    ...section(
      "Rules",
      rules.map(({ trace: rule }) => ruleLine(rule)),
    ),
    ...section(
      "Calculation",
      steps.map(({ says }) => element("li", { text: says })),
    ),
  );
  $("call").textContent = `POST /v1/validations\n\n${JSON.stringify(validation(wanted), null, 2)}`;
  $("why").showModal();
}
$("close").addEventListener("click", () => $("why").close());

// --- Points and paying ------------------------------------------------------------------------------------------------

/** The points on the loyalty card of the customer. */
async function pointsOf(source_id) {
  const { id } = await call(`GET /v1/customers/${encodeURIComponent(source_id)}`);
  const { vouchers } = await call(`GET /v1/vouchers?customer=${id}&limit=100`);
  return vouchers.find(({ type }) => type === "LOYALTY_CARD")?.loyalty_card.balance ?? null;
}

async function showPoints() {
  const source_id = $("customer").value;
  $("points-row").hidden = source_id === "";
  if (source_id === "") return null;
  try {
    const points = await pointsOf(source_id);
    if ($("customer").value !== source_id) return null;
    $("points").textContent = points === null ? "No loyalty card yet." : `${points} points on the loyalty card.`;
    return points;
  } catch (error) {
    $("wrong").textContent = error.message;
    return null;
  }
}

/** Runs what a button does, and says what came of it below. */
async function act(pressed, run) {
  pressed.disabled = true;
  $("done").textContent = "";
  $("wrong").textContent = "";
  try {
    $("done").textContent = await run();
  } catch (error) {
    $("wrong").textContent = error.message;
  } finally {
    pressed.disabled = pressed === $("pay") && !answer;
  }
}

/** Pays: what applies is redeemed together with the order. Without a code the order alone is paid. */
async function pay() {
  const { applied } = answer;
  const { options: _, ...sent } = validation(applied);
  const order = { ...sent.order, status: "PAID" };
  const paid =
    applied.length > 0
      ? (await call("POST /v1/redemptions", { ...sent, order })).order
      : await call("POST /v1/orders", { customer: sent.customer, ...order });
  const used = applied.length > 0 ? ` with ${applied.map(({ label }) => label).join(", ")}` : "";
  cart.clear();
  wanted = [];
  await refresh();
  await showPoints();
  return `Paid ${money(paid.total_amount ?? paid.amount)}${used}. Thank you!`;
}
$("pay").addEventListener("click", () => act($("pay"), pay));

/** What a page tells by itself: with the client-side key, from an origin that the project trusts. */
$("visit").addEventListener("click", () =>
  act($("visit"), async () => {
    const source_id = $("customer").value;
    await call("POST /client/v1/events", {
      event: "store_visited",
      customer: { source_id },
      metadata: { store: "Oslo" },
    });
    await showPoints();
    return `Tracked store_visited of ${source_id}.`;
  }),
);

// --- Opening the shop -------------------------------------------------------------------------------------------------

function productCard({ source_id, name, price, metadata }) {
  return element(
    "li",
    { className: "product card", data: { kind: metadata?.kind ?? "" } },
    element("span", { className: "tile", ariaHidden: "true", text: name[0] }),
    element("h3", { text: name }),
    element("span", { className: "amount dim", text: money(price) }),
    button("Add", () => put(source_id, (cart.get(source_id) ?? 0) + 1), {
      ariaLabel: `Add ${name}`,
      data: { product: source_id },
    }),
  );
}

async function openShop() {
  $("problem").textContent = "";
  try {
    const [{ products: goods }, { customers }] = await Promise.all([
      call("GET /v1/products?limit=100&order=created_at"),
      call("GET /v1/customers?limit=100&order=created_at"),
    ]);
    for (const one of goods) if (one.source_id) products.set(one.source_id, one);
    $("products").replaceChildren(...[...products.values()].slice(0, SHOWN_MAX).map(productCard));
    $("customer").append(
      ...customers.filter((one) => one.source_id).map((one) => new Option(one.name ?? one.source_id, one.source_id)),
    );
    $("keys").open = false;
  } catch (error) {
    $("problem").textContent = error.message;
    $("keys").open = true;
  }
}

document.querySelector("#keys form").addEventListener("submit", (event) => {
  event.preventDefault();
  void openShop();
});

// On the machine of the server the keys of the demo are filled in.
const { codes: known = [], ...filled } = await fetch("/demo/keys")
  .then((reply) => reply.json())
  .catch(() => ({}));
for (const [name, text] of Object.entries(filled)) keys[name].value = text;
$("known").append(...known.map(({ code, says }) => button(code, () => useCode(code), { title: says })));
if (keys.app_id.value === "") {
  $("keys").open = true;
  $("problem").textContent = "Enter the keys of the project below to open the shop.";
} else await openShop();
await refresh();
document.documentElement.dataset.ready = "";
