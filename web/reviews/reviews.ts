// The custom element <product-reviews product="42" token="…" service="…" lang="de">: it follows the links of an
// included section in place, or fetches the section, and adds what needs a token.

import photo from "../../internal/site/reviews/fragments/Photo.graphql";
import write from "../../internal/site/reviews/operations/create.graphql";
import remove from "../../internal/site/reviews/operations/delete.graphql";
import reply from "../../internal/site/reviews/operations/reply.graphql";
import report from "../../internal/site/reviews/operations/report.graphql";
import update from "../../internal/site/reviews/operations/update.graphql";
import viewer from "../../internal/site/reviews/operations/viewer.graphql";
import vote from "../../internal/site/reviews/operations/vote.graphql";
import withdraw from "../../internal/site/reviews/operations/withdraw.graphql";

import { Photo, colour, show, thumbnails } from "./photos";
import { Labels, Refused, Service, Texts, make } from "./service";
import "./upload";
import type { Photos } from "./upload";

type Own = {
  id: string; commentId: string; state: string; rating: number; language: string; version: number;
  title?: string; text?: string; author?: string; heldBy?: string; rejectionCode?: string; stateReason?: string; viewerCanUpdate: boolean; viewerCanDelete: boolean; photos: Photo[];
};

// elsewhere reports whether a click opens another tab or window.
const elsewhere = (event: MouseEvent) => event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

class ProductReviews extends Service {
  static observedAttributes = ["token", "product"];
  private loads = 0;
  private ends = new AbortController();
  private started = false; // attributes change before, too
  private marked = new WeakSet<HTMLElement>(); // articles that show the person's vote

  connectedCallback(): void {
    this.started = true;
    this.ends = new AbortController();
    const { signal } = this.ends;
    this.addEventListener("click", (event) => this.follow(event), { signal });
    this.addEventListener("click", (event) => this.enlarge(event), { signal });
    this.addEventListener("keydown", (event) => {
      const link = (event.target as Element).closest?.("a[data-pr][role=button]");
      if (link && event.key === " ") {
        event.preventDefault();
        (link as HTMLElement).click();
      }
    }, { signal });
    addEventListener("popstate", () => this.load(location.search), { signal });
    if (!this.querySelector(".pr-root")) {
      this.load(location.search);
      return;
    }
    const named = /^#comment-(.+)/.exec(location.hash);
    if (named && !document.getElementById(location.hash.slice(1))) {
      this.load("?comment=" + encodeURIComponent(decodeURIComponent(named[1])));
      return;
    }
    this.enhance();
  }

  disconnectedCallback(): void {
    this.started = false;
    this.ends.abort();
  }

  attributeChangedCallback(_: string, before: string | null, after: string | null): void {
    if (this.started && before !== after) this.load(location.search);
  }

  protected override get language(): string {
    return this.querySelector<HTMLElement>(".pr-root")?.lang || this.lang || document.documentElement.lang || "en";
  }
  private get product(): string { return this.getAttribute("product") ?? ""; }
  private get path(): string { return `${this.base}/reviews/${encodeURIComponent(this.product)}`; }

  // follow loads what a link of the section leads to, in place.
  private follow(event: MouseEvent): void {
    const link = (event.target as Element).closest?.<HTMLAnchorElement>("a[data-pr]");
    if (!link || elsewhere(event)) return;
    event.preventDefault();
    const href = link.getAttribute("href") ?? "?";
    history.pushState(null, "", href === "?" ? location.pathname : href);
    this.load(href.split("#")[0], link);
  }

  // enlarge shows the photo of a link in a dialog, with its comment: of the page, or fetched.
  private async enlarge(event: MouseEvent): Promise<void> {
    const link = (event.target as Element).closest?.<HTMLAnchorElement>("a.pr-photo");
    if (!link || elsewhere(event)) return;
    event.preventDefault();
    const { texts } = await this.texts();
    show(link, texts, async ({ dataset, parentElement }) => {
      if (!dataset.comment) return parentElement!.closest("article");
      const id = `comment-${dataset.comment}`;
      const known = document.getElementById(id) ?? this.fetched.get(id);
      if (known) return known;
      const answer = await fetch(`${this.path}/section?${new URLSearchParams({ comment: dataset.comment, lang: this.language })}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const article of page.querySelectorAll("article[id]")) this.fetched.set(article.id, article);
      return page.getElementById(id);
    });
  }

  private fetched = new Map<string, Element>(); // articles that are not on the page

  // load replaces the section. The element that had the focus keeps it.
  private async load(query: string, from?: HTMLElement): Promise<void> {
    const mine = ++this.loads;
    const parameters = new URLSearchParams(query);
    if (this.lang && !parameters.has("lang")) parameters.set("lang", this.lang);
    this.setAttribute("aria-busy", "true");
    if (!this.querySelector(".pr-root")) {
      this.texts().then(({ texts }) => this.hasAttribute("aria-busy") && this.note(texts.loading), () => {});
    }
    let html = "";
    try {
      const answer = await fetch(`${this.path}/section?${parameters}`);
      html = await answer.text();
    } catch {
      html = "";
    }
    if (mine !== this.loads) return;
    this.removeAttribute("aria-busy");
    const fresh = html ? new DOMParser().parseFromString(html, "text/html") : null;
    const section = fresh?.querySelector(".pr-root");
    if (!section) {
      this.say("failed");
      return;
    }
    for (const link of fresh!.querySelectorAll("link[rel=stylesheet]")) {
      const href = link.getAttribute("href") ?? "";
      if (!document.querySelector(`link[href="${CSS.escape(href)}"]`)) document.head.append(make("link", { rel: "stylesheet", href }));
    }
    this.querySelector(":scope > .pr-say")?.remove();
    const old = this.querySelector(".pr-root");
    const place = from && [...this.querySelectorAll("a[data-pr]")].indexOf(from);
    const name = (link?: Element) => link?.firstChild?.textContent?.trim(); // the count may be another one now
    old ? old.replaceWith(section) : this.append(section);
    if (from) {
      const links = [...this.querySelectorAll<HTMLElement>("a[data-pr]")];
      const same = links.find((l) => name(l) === name(from)) ?? links[place ?? 0];
      if (from.closest(".pr-pages")) this.querySelector<HTMLElement>("#pr-title")?.scrollIntoView();
      same?.focus({ preventScroll: true });
    }
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    this.enhance();
  }

  // enhance adds to the section what works with JavaScript alone.
  private async enhance(): Promise<void> {
    for (const link of this.querySelectorAll(".pr-controls a, .pr-histogram a")) {
      link.setAttribute("role", "button");
      link.setAttribute("aria-pressed", String(link.hasAttribute("aria-current")));
      link.removeAttribute("aria-current");
    }
    this.querySelectorAll<HTMLElement>("img[data-colours]").forEach((image) => colour(image));
    const articles = [...this.querySelectorAll<HTMLElement>("article[data-id]")];
    const labels = await this.texts();
    const { texts } = labels;
    for (const article of articles) this.addVotes(article, texts);
    if (!this.token) return;
    try {
      const seen = await this.ask<any>(viewer + photo, {
        product: this.product, ids: articles.map((a) => a.dataset.id),
      });
      // A vote may have been answered before this, which was asked earlier.
      articles.forEach((article, i) => seen.nodes?.[i] && !this.marked.has(article) && this.mark(article, seen.nodes[i], texts));
      if (seen.viewer?.role === "MODERATOR") for (const article of articles) this.addReply(article, texts);
      this.addWriting(seen.product?.viewerComments?.nodes ?? [], labels);
    } catch (error) {
      this.refused(error, this.querySelector(".pr-root") ?? this);
    }
  }

  private addVotes(article: HTMLElement, texts: Texts): void {
    const place = article.querySelector(".pr-helpful");
    if (!place || place.querySelector("button")) return;
    for (const [value, key] of [["HELPFUL", "voteYes"], ["UNHELPFUL", "voteNo"]]) {
      const button = make("button", { type: "button", "aria-pressed": "false", "data-vote": value }, texts[key]);
      button.addEventListener("click", async () => {
        const on = button.getAttribute("aria-pressed") === "true";
        try {
          const data = await this.ask<any>(vote, { input: { id: article.dataset.id, vote: on ? null : value } });
          this.mark(article, data.voteHelpful.comment, texts);
        } catch (error) {
          this.refused(error, article);
        }
      });
      place.append(" ", button);
    }
  }

  private mark(article: HTMLElement, comment: any, texts: Texts): void {
    this.marked.add(article);
    for (const button of article.querySelectorAll<HTMLButtonElement>("[data-vote]")) {
      button.setAttribute("aria-pressed", String(button.dataset.vote === comment.viewerVote));
      if (comment.viewerCanVote === false) button.hidden = true;
    }
    const place = article.querySelector(".pr-helpful");
    if (!place || comment.viewerCanUpdate !== false || place.querySelector("[data-report]")) return;
    const button = make("button", { type: "button", "data-report": "" }, texts[comment.viewerHasReported ? "reported" : "report"]);
    button.disabled = comment.viewerHasReported === true;
    button.addEventListener("click", async () => {
      try {
        await this.ask(report, { input: { id: article.dataset.id } });
        button.textContent = texts.reported;
        button.disabled = true;
      } catch (error) {
        this.refused(error, article);
      }
    });
    place.querySelector(".pr-notice")?.remove(); // which is for visitors without a token
    place.append(" ", button);
  }

  // addReply adds the form in which a moderator answers for the shop. No text removes the reply.
  private addReply(article: HTMLElement, texts: Texts): void {
    const open = make("button", { type: "button", "aria-expanded": "false" }, texts.answer);
    const text = make("textarea", { rows: "4", maxlength: "2000" }, article.querySelector(".pr-reply .pr-text")?.textContent ?? "");
    const form = make("form", { class: "pr-form" }, make("label", {}, texts.answer, text), make("p", {}, make("button", {}, texts.send)));
    open.addEventListener("click", () => {
      const opens = !form.isConnected;
      open.setAttribute("aria-expanded", String(opens));
      opens ? article.append(form) : form.remove();
      if (opens) text.focus();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await this.ask(reply, { input: { id: article.dataset.id, text: text.value } });
        await this.load(location.search);
        this.say("answered", document.getElementById(article.id) ?? this);
      } catch (error) {
        this.refused(error, form);
      }
    });
    article.querySelector(".pr-helpful")?.append(" ", open);
  }

  // addWriting adds the form, and the person's own comments with what can be done with them.
  private addWriting(own: Own[], { texts, holds, rejections }: Labels): void {
    const place = this.querySelector<HTMLElement>(".pr-own");
    if (!place) return;
    const button = make("button", { type: "button", class: "pr-write" }, texts.write);
    button.addEventListener("click", () => this.open(place, texts));
    place.replaceChildren(make("p", {}, button));
    for (const comment of own) {
      const card = make("article", { class: "pr-comment", "aria-label": texts.yours },
        make("p", { class: "pr-by" }, make("b", {}, texts.yours), " ",
          make("span", { class: "pr-hidden" }, texts.stars.replace("{n}", String(comment.rating))),
          make("span", { class: `pr-stars pr-s${comment.rating * 10}`, "aria-hidden": "true" })));
      const why = holds[comment.heldBy ?? ""] ?? rejections[comment.rejectionCode ?? ""] ?? "";
      if (texts[comment.state]) card.append(make("p", { class: "pr-note" }, `${texts[comment.state]} ${why} ${comment.stateReason ?? ""}`.trim()));
      if (comment.title) card.append(make("h3", { lang: comment.language, dir: "auto" }, comment.title));
      if (comment.text) card.append(make("p", { class: "pr-text", lang: comment.language, dir: "auto" }, comment.text));
      card.append(...thumbnails(comment.photos, comment.author, texts));
      const actions = make("p", { class: "pr-helpful" });
      const act = (key: string, run: () => Promise<unknown>, sure = false) => {
        const button = make("button", { type: "button" }, texts[key]);
        button.addEventListener("click", async () => {
          if (sure && !confirm(texts.sure)) return;
          try {
            await run();
          } catch (error) {
            this.refused(error, card);
          }
        });
        actions.append(" ", button);
      };
      if (comment.viewerCanUpdate) act("edit", () => this.open(card, texts, comment));
      if (comment.viewerCanUpdate && comment.state !== "WITHDRAWN") {
        act("withdraw", () => this.ask(withdraw, { input: { id: comment.id } }).then(() => this.load(location.search)), true);
      }
      if (comment.viewerCanDelete) act("delete", () => this.ask(remove, { input: { id: comment.id } }).then(() => this.load(location.search)), true);
      card.append(actions);
      place.append(card);
    }
  }

  // open shows the form in a place, for a new comment or one to change.
  private async open(place: HTMLElement, texts: Texts, comment?: Own): Promise<void> {
    if (place.querySelector(":scope > form")) return;
    const answer = await fetch(`${this.path}/form?lang=${encodeURIComponent(this.language)}`);
    const form = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("form");
    if (!form || place.querySelector(":scope > form")) return; // a second click was answered first
    const photos = form.querySelector("product-reviews-photos");
    photos?.setAttribute("of", comment?.id ?? this.product);
    const input = (name: string) => form.elements.namedItem(name) as HTMLInputElement | null;
    if (comment) {
      for (const name of ["title", "text", "author", "language"] as const) {
        const field = input(name);
        if (field) field.value = comment[name] ?? "";
      }
      photos?.setAttribute("photos", JSON.stringify(comment.photos));
      input("author")?.closest("p")?.remove();
      form.querySelector<HTMLInputElement>(`[name=rating][value="${comment.rating}"]`)!.checked = true;
    }
    const cancel = make("button", { type: "button" }, texts.cancel);
    cancel.addEventListener("click", () => form.remove());
    form.querySelector("button")!.after(" ", cancel);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(form, texts, comment);
    });
    place.append(form);
    form.querySelector<HTMLElement>("[name=rating]")?.focus();
  }

  private key = "";

  private async send(form: HTMLFormElement, texts: Texts, comment?: Own): Promise<void> {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "");
    const content = {
      rating: Number(text("rating")) || 0, language: text("language"), title: text("title"), text: text("text"),
      ...(text("photos") && { photos: JSON.parse(text("photos")) }),
    };
    form.querySelectorAll(".pr-error").forEach((e) => e.remove());
    form.querySelectorAll("[aria-invalid]").forEach((e) => e.removeAttribute("aria-invalid"));
    try {
      let state = "PUBLISHED";
      if (comment) {
        const clear = (["title", "text"] as const).filter((name) => comment[name] && !content[name].trim());
        const changed = await this.ask<any>(update, {
          input: { ...content, id: comment.id, clear: clear.map((name) => name.toUpperCase()), expectedVersion: comment.version },
        });
        state = changed.updateComment.comment.state;
      } else {
        this.key ||= crypto.randomUUID?.() ?? String(Math.random());
        const created = await this.ask<any>(write, {
          input: { ...content, productId: this.product, author: text("author"), idempotencyKey: this.key },
        });
        state = created.createComment.comment.state;
      }
      this.key = "";
      form.querySelector<Photos>("product-reviews-photos")?.sent();
      await this.load(location.search);
      this.say(state === "PENDING" ? "sentPending" : "sent", this.querySelector(".pr-own") ?? undefined);
    } catch (error) {
      if (!(error instanceof Refused)) return this.refused(error, form);
      const { errors } = await this.texts();
      for (const { extensions } of error.problems) {
        const field = form.elements.namedItem(/photos/.exec(extensions?.field ?? "")?.[0] ?? extensions?.field?.split(".").pop() ?? "");
        const element = field instanceof RadioNodeList ? form.querySelector(".pr-rating") : field as HTMLElement | null;
        const sentence = errors[extensions?.reason ?? ""] ?? errors[extensions?.code ?? ""] ?? texts.failed;
        const id = `pr-e-${extensions?.field ?? "form"}`;
        const note = make("span", { class: "pr-error", id, role: "alert" }, sentence);
        element ? element.closest("p, fieldset")!.append(note) : form.prepend(note);
        element?.setAttribute("aria-describedby", id);
        if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.setAttribute("aria-invalid", "true");
      }
      form.querySelector<HTMLElement>("[aria-invalid], .pr-rating input")?.focus();
    }
  }
}

customElements.get("product-reviews") || customElements.define("product-reviews", ProductReviews); // a section on the page brings it, too
