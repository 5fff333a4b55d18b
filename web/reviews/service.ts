// What the elements share: labels, requests, and elements of a page.

export type Problem = { message: string; extensions?: { code?: string; reason?: string; field?: string } };
export type Texts = Record<string, string>;
export type Labels = { texts: Texts; errors: Texts; holds: Texts; rejections: Texts };

export class Refused extends Error {
  constructor(readonly problems: Problem[]) { super(problems[0]?.message); }
}

const hashes = new Map<string, Promise<string>>();

function hash(text: string): Promise<string> {
  let known = hashes.get(text);
  if (!known) {
    known = crypto.subtle
      ? crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)).then((sum) =>
        Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join(""))
      : Promise.resolve("");
    hashes.set(text, known);
  }
  return known;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Sentences for when the labels cannot be loaded.
const fallback: Labels = {
  texts: { failed: "The reviews cannot be shown at the moment. Please try again in a few seconds." }, errors: {}, holds: {}, rejections: {},
};

// Service is an element that asks the service that its attribute or that around it names, otherwise the
// one which its script came from.
export class Service extends HTMLElement {
  private labels?: Promise<Labels>;

  protected get base(): string { return this.closest("[service]")?.getAttribute("service") ?? new URL(import.meta.url).origin; }
  protected get token(): string { return this.getAttribute("token") ?? ""; }
  protected get language(): string { return this.lang || document.documentElement.lang || "en"; }

  protected texts(): Promise<Labels> {
    return this.labels ??= fetch(`${this.base}/reviews/labels/${this.language.split("-")[0]}.json`)
      .then((r) => r.ok ? r : fetch(`${this.base}/reviews/labels/en.json`)).then((r) => r.json())
      .catch((error) => {
        this.labels = undefined; // the next call asks again
        throw error;
      });
  }

  // number returns a number in the language's format, as the server writes it.
  protected number(n: number): string { return n.toLocaleString(this.language, { useGrouping: true }); }

  // note shows a sentence at a place. Screen readers read it when it changes.
  protected note(text: string, near: Element = this, failed = false): void {
    let note = near.querySelector<HTMLElement>(":scope > .pr-say");
    if (!note) near.append(note = make("p"));
    note.className = `pr-say ${failed ? "pr-error" : "pr-note"}`;
    note.setAttribute("role", failed ? "alert" : "status");
    note.textContent = text;
  }

  // ask executes an operation: by its hash, and with its document if the server does not know it.
  protected async ask<T>(query: string, variables: object): Promise<T> {
    const sha256Hash = await hash(query);
    const send = (body: object) => fetch(`${this.base}/graphql`, {
      method: "POST",
      credentials: this.base !== location.origin ? "include" : "same-origin",
      headers: { "Content-Type": "application/json", ...(this.token && { Authorization: `Bearer ${this.token}` }) },
      body: JSON.stringify({ variables, ...body }),
    }).then((r) => r.json());
    const extensions = sha256Hash ? { persistedQuery: { version: 1, sha256Hash } } : undefined;
    let answer = sha256Hash ? await send({ extensions }) : { errors: [{ extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } }] };
    if (answer.errors?.[0]?.extensions?.code === "PERSISTED_QUERY_NOT_FOUND") answer = await send({ query, extensions });
    if (answer.errors?.length) throw new Refused(answer.errors);
    return answer.data as T;
  }

  protected async say(key: string, near?: Element): Promise<void> {
    this.note((await this.texts().catch(() => fallback)).texts[key] ?? key, near);
  }

  protected async refused(error: unknown, near: Element): Promise<void> {
    const { texts, errors } = await this.texts().catch(() => fallback);
    const extensions = error instanceof Refused ? error.problems[0]?.extensions : undefined;
    this.note(errors[extensions?.reason ?? ""] ?? errors[extensions?.code ?? ""] ?? texts.failed, near, true);
  }
}
