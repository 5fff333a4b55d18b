// The script of the staff's desk: it posts the forms of the pages in place, holds decisions so that they
// can be undone, decides about several, and adds keys. Without it the forms and links do the same.

import { colour, show } from "../reviews/photos";
import { make } from "../reviews/service";

type Outcome = { status: number; say?: string; wrong?: string; version?: number; counts?: Record<string, string>; looks?: Record<string, string> };
type Decision = { card: HTMLElement; action: string; body: URLSearchParams };
type Hold = { undo: () => void; send: () => void };

const language = document.documentElement.lang;
const { texts, counts }: { texts: Record<string, string>; counts: Record<string, Record<string, string>> } =
  JSON.parse(document.getElementById("texts")!.textContent!);
const list = document.querySelector<HTMLElement>(".st-list");
const many = document.querySelector<HTMLFormElement>(".st-many");
const toasts = make("div", { class: "st-toasts", role: "status" });
document.body.append(toasts);

// heldFor is how long a decision can be undone, in milliseconds.
const heldFor = 10_000;
const holds: Hold[] = [];

const cards = () => [...document.querySelectorAll<HTMLElement>(".st-card")].filter((card) => !card.hidden);
const cardOf = (element: Element | null) => element?.closest<HTMLElement>(".st-card") ?? null;

function plural(forms: Record<string, string>, n: number): string {
  const text = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
  return text.replace("{n}", n.toLocaleString(`${language}-u-nu-latn`));
}

function button(text: string, run: () => void): HTMLButtonElement {
  const made = make("button", { type: "button" }, text);
  made.addEventListener("click", run);
  return made;
}

// say shows a sentence at a card, with what can be done about it.
function say(card: HTMLElement, text: string, failed = false, ...actions: Node[]): void {
  const place = card.querySelector<HTMLElement>(".st-say")!;
  place.className = `st-say ${failed ? "pr-error" : "pr-note"}`;
  place.setAttribute("role", failed ? "alert" : "status");
  place.replaceChildren(text, ...actions.flatMap((action) => [" ", action]));
}

// post sends a form, also if the page is left meanwhile. A status of 0 means that there was no answer.
async function post(action: string, body: URLSearchParams): Promise<Outcome> {
  try {
    const answer = await fetch(action, { method: "POST", body, keepalive: true, redirect: "manual", headers: { Accept: "application/json" } });
    const outcome = answer.headers.get("Content-Type")?.includes("json") ? await answer.json() : {};
    return { ...outcome, status: answer.type === "opaqueredirect" ? 401 : answer.status };
  } catch {
    return { status: 0 };
  }
}

// deliver sends a decision. If it was not executed, its card says why and keeps what was typed.
async function deliver({ card, action, body }: Decision): Promise<boolean> {
  const outcome = await post(action, body);
  for (const place of document.querySelectorAll<HTMLElement>("[data-count]")) {
    place.textContent = outcome.counts?.[place.dataset.count!] ?? place.textContent;
  }
  if (outcome.status === 200) {
    for (const field of card.querySelectorAll<HTMLInputElement>("[name=version]")) field.value = String(outcome.version);
    say(card, outcome.say ?? "");
    return true;
  }
  const again = button(texts.sendAgain, async () => {
    again.disabled = true;
    if (await deliver({ card, action, body })) settle({ card, action, body });
  });
  card.hidden = false;
  if (outcome.status === 401) {
    say(card, texts.ended, true, make("a", { href: "/staff", target: "_blank" }, texts.signIn), again);
  } else if (outcome.status === 409) {
    say(card, outcome.wrong ?? "", true, make("a", { href: card.querySelector<HTMLAnchorElement>(".st-at")!.href }, texts.now));
  } else {
    say(card, outcome.wrong || texts.UNAVAILABLE, true, again);
  }
  return false;
}

const verbOf = (action: string) => /\/(\w+)(?:\?|$)/.exec(action)![1];

// settle shows a page as it is after something was done with a card.
function settle({ card, action, body }: Decision): void {
  const verb = verbOf(action);
  if (verb === "photo") {
    card.querySelector(`[name=photo][value="${CSS.escape(body.get("photo")!)}"]`)?.closest("li")?.remove();
  } else if (verb === "reply" && list) {
    card.querySelector<HTMLDetailsElement>("footer details")!.open = false;
    card.querySelector<HTMLElement>("footer summary")!.focus();
  } else if (list) {
    leave(card);
    card.remove();
    select();
    if (document.querySelector(".st-card")) return; // hidden ones are not decided yet
    if (document.querySelector(".pr-pages")) location.assign(body.get("back")!.replace(/([?&])after=[^&]*/, "$1"));
    else document.querySelector<HTMLElement>(".st-empty")!.hidden = false;
  } else {
    const back = new URL(body.get("back")!, location.href);
    back.searchParams.set("said", verb);
    location.assign(back);
  }
}

// leave moves the focus from a card, which disappears, to the next one.
function leave(card: HTMLElement): void {
  if (!card.contains(document.activeElement)) return;
  const all = cards(), at = all.indexOf(card);
  (all[at + 1] ?? all[at - 1] ?? document.querySelector<HTMLElement>("main"))!.focus();
}

// hold keeps decisions in the page until they cannot be undone any more. What is undone was never sent.
function hold(decisions: Decision[], verb: string): void {
  if (!decisions.length) return;
  const toast = make("p", { class: "st-toast" }, plural(counts[verb], decisions.length), " ");
  const end = () => {
    clearTimeout(timer);
    toast.remove();
    holds.splice(holds.indexOf(held), 1);
  };
  const held: Hold = {
    undo: () => {
      end();
      for (const { card } of decisions) {
        card.hidden = false;
        say(card, texts.undone);
      }
      decisions[0].card.focus();
    },
    send: () => {
      end();
      unsent.push(...decisions);
      send();
    },
  };
  const timer = setTimeout(held.send, heldFor);
  holds.push(held);
  for (const { card } of decisions) {
    leave(card);
    card.hidden = true;
    const pick = card.querySelector<HTMLInputElement>(".st-pick input");
    if (pick) pick.checked = false;
  }
  select();
  toast.append(button(texts.undo, held.undo));
  toasts.append(toast);
}

// unsent are decisions that cannot be undone and were not sent yet. Few are sent at once: servers refuse
// many requests of one client, and browsers more than 64 KB that outlive the page. All are when it is left.
const unsent: Decision[] = [];
let sending = 0;
function send(most = 4): void {
  while (unsent.length && sending < most) {
    const one = unsent.shift()!;
    sending++;
    deliver(one).then((done) => {
      sending--;
      if (done) settle(one);
      send();
    });
  }
}

const flush = () => [...holds].forEach((held) => held.send());
addEventListener("pagehide", () => {
  flush();
  send(Infinity);
});
document.addEventListener("visibilitychange", () => document.hidden && flush());

function read(form: HTMLFormElement, submitter?: HTMLElement | null): Decision {
  return { card: cardOf(form)!, action: form.action, body: new URLSearchParams(new FormData(form, submitter) as unknown as Record<string, string>) };
}

document.addEventListener("submit", async (event) => {
  const form = event.target as HTMLFormElement, submitter = event.submitter as HTMLButtonElement | null;
  if (form === many) {
    event.preventDefault();
    const verb = submitter!.value, chosen = new FormData(many);
    hold(picked().flatMap((card) => {
      const of = card.querySelector<HTMLFormElement>(`form[data-hold=${verb}]`);
      if (!of) return [];
      const decision = read(of);
      if (verb === "reject") for (const [name, value] of chosen) decision.body.set(name, String(value));
      return [decision];
    }), verb);
    return;
  }
  if (!cardOf(form)) return;
  event.preventDefault();
  if (submitter?.hasAttribute("data-sure") && !confirm(texts.sure)) return;
  const decision = read(form, submitter);
  if (form.dataset.hold) hold([decision], form.dataset.hold);
  else if (await deliver(decision)) settle(decision);
});

const picked = () => cards().filter((card) => card.querySelector<HTMLInputElement>(".st-pick input")?.checked);

// select shows how many cards are selected.
function select(): void {
  if (!many) return;
  const n = picked().length;
  many.hidden = !n;
  many.querySelector("b")!.textContent = plural(counts.selected, n);
}

if (many) {
  for (const card of cards()) {
    const pick = make("input", { type: "checkbox" });
    pick.addEventListener("change", select);
    card.prepend(make("label", { class: "st-pick" }, pick, make("span", { class: "pr-hidden" }, texts.select)));
  }
}

// The keys that act on a card do so only while it has the focus, and all can be turned off.
const keysOff = "staff.keysOff";
const help = make("dialog", { class: "pr-dialog st-help", "aria-label": texts.keys });
const use = make("input", { type: "checkbox" });
use.checked = !localStorage.getItem(keysOff);
use.addEventListener("change", () => use.checked ? localStorage.removeItem(keysOff) : localStorage.setItem(keysOff, "1"));
help.append(make("h2", {}, texts.keys), make("dl", {}, ...[..."jkarxu?"].map((key) =>
  make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, texts[`key.${key}`])))),
make("p", {}, make("label", {}, use, " ", texts.keysOn)), button(texts.close, () => help.close()));
document.querySelector("main")!.append(help);
if (document.querySelector(".st-card")) document.querySelector(".st-top")!.append(button(texts.keys, () => help.showModal()));

const move = (by: number) => {
  const all = cards(), at = all.indexOf(cardOf(document.activeElement)!);
  (at < 0 ? all[0] : all[at + by])?.focus();
};

document.addEventListener("keydown", (event) => {
  const from = event.target as HTMLElement, card = cardOf(from);
  if (event.key === "Escape" && card && !document.querySelector("dialog[open]")) card.focus();
  if (event.ctrlKey || event.metaKey || event.altKey || !use.checked || document.querySelector("dialog[open]")) return;
  if (from.matches("textarea, select, input:not([type=checkbox])")) return;
  const pick = card?.querySelector<HTMLInputElement>(".st-pick input");
  const run: Record<string, (() => void) | undefined> = {
    j: () => move(1), k: () => move(-1), u: () => holds.at(-1)?.undo(), "?": () => help.showModal(),
    a: () => card?.querySelector<HTMLFormElement>("form[data-hold=approve]")?.requestSubmit(),
    r: () => card?.querySelector<HTMLElement>("form[data-hold=reject] select")?.focus(),
    x: () => pick?.click(),
  };
  if (!Object.hasOwn(run, event.key)) return;
  event.preventDefault();
  if (!event.repeat || "jk".includes(event.key)) run[event.key]!(); // a key held down decides once
});

// What an author wrote before is read when its card is seen.
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    fetch((target as HTMLElement).dataset.load!).then(async (answer) => {
      if (answer.ok) target.innerHTML = await answer.text(); // the server escapes it
    }, () => {});
  }
});
document.querySelectorAll("[data-load]").forEach((place) => seen.observe(place));

// A card with the focus is looked at: others see it, and its page shows at what others look.
let lookedAt = 0; // when the server learned it last
async function look(): Promise<void> {
  const card = cardOf(document.activeElement);
  if (!card || document.hidden) return;
  lookedAt = Date.now();
  const body = new URLSearchParams(cards().map(({ dataset }) => ["node", dataset.node!]));
  const { looks } = await post(`/staff/comments/${encodeURIComponent(card.dataset.id!)}/look${location.search}`, body);
  for (const other of looks ? cards() : []) other.querySelector(".st-looks")!.textContent = looks![other.dataset.id!] ?? "";
}
document.addEventListener("focusin", ({ target, relatedTarget }) => {
  if (cardOf(target as Element) !== cardOf(relatedTarget as Element | null)) look();
});
setInterval(() => Date.now() - lookedAt >= 15_000 && look(), 15_000);

document.querySelectorAll<HTMLElement>("img[data-colours]").forEach((image) => colour(image));
document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a.pr-photo");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(link, texts, async () => cardOf(link)!.querySelector(".st-review"));
});
