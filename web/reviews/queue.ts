// The custom element <product-reviews-queue token="…">: the comments that wait for a moderator.

import approve from "../../internal/site/reviews/operations/approve.graphql";
import queue from "../../internal/site/reviews/operations/queue.graphql";
import reject from "../../internal/site/reviews/operations/reject.graphql";
import reply from "../../internal/site/reviews/operations/reply.graphql";
import removePhoto from "../../internal/site/reviews/operations/removephoto.graphql";
import { Photo, show, thumbnails } from "./photos";
import { Labels, Service, make } from "./service";

type Waiting = {
  id: string; version: number; product: { productId: string }; rating: number; language: string; title?: string;
  text?: string; author?: string; createdAt: string; state: string; stateReason?: string; reportCount?: number; photos: Photo[];
};

class ProductReviewsQueue extends Service {
  private state = "PENDING";
  private loads = 0;
  private next?: string; // where the next comments begin
  private row = make("p", { class: "pr-controls" });
  private list = make("div", { class: "pr-list" });
  private place = make("div", { class: "pr" }, this.row, this.list);

  // The page may have a sentence, .pr-say, to show until the comments are there. It stays in place.
  connectedCallback(): void {
    this.place.append(this.querySelector(".pr-say") ?? make("p", { class: "pr-say pr-note", role: "status" }));
    this.replaceChildren(make("section", { class: "pr-root" }, this.place));
    this.load();
  }

  private async load(after?: string): Promise<void> {
    const mine = ++this.loads;
    let slow = 0; // what is there soon needs no sentence before
    this.list.setAttribute("aria-busy", "true");
    try {
      const labels = await this.texts();
      slow = setTimeout(() => mine === this.loads && this.note(labels.texts.loading, this.place), 300);
      const { moderationQueue: found } = await this.ask<any>(queue, { state: this.state, after });
      if (mine !== this.loads) return;
      if (after) this.list.querySelector(".pr-pages")?.remove();
      else this.list.replaceChildren();
      if (!after) this.states(found.counts ?? [], labels);
      for (const comment of found.nodes) this.list.append(this.card(comment, labels));
      this.next = found.pageInfo.hasNextPage ? found.pageInfo.endCursor : undefined;
      if (this.next) {
        const more = make("button", { type: "button" }, labels.texts.next);
        more.addEventListener("click", () => this.load(this.next));
        this.list.append(make("p", { class: "pr-pages" }, more));
      }
      this.sayIfEmpty(labels);
    } catch (error) {
      if (mine === this.loads) await this.refused(error, this.place);
    } finally {
      clearTimeout(slow);
      if (mine === this.loads) this.list.removeAttribute("aria-busy");
    }
  }

  private sayIfEmpty({ texts }: Labels): void {
    const none = texts[this.state === "PENDING" ? "nothingWaits" : "noneMatch"];
    this.note(this.list.querySelector("article") ? "" : none, this.place);
  }

  private states(counts: { state: string; count: number }[], { texts }: Labels): void {
    const { row } = this;
    const focused = row.contains(document.activeElement);
    row.replaceChildren();
    for (const { state, count } of counts) {
      const button = make("button", { type: "button", "aria-pressed": String(state === this.state) },
        `${texts["queue" + state] ?? state} ${this.number(count)}`);
      button.addEventListener("click", () => {
        this.state = state;
        this.load();
      });
      row.append(button, " ");
    }
    if (focused) row.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
  }

  private card(comment: Waiting, labels: Labels): HTMLElement {
    const { id } = comment;
    let { version } = comment;
    const { texts, rejections } = labels;
    const reason = make("input", { "aria-label": texts.reason, placeholder: texts.reason, maxlength: "500" });
    const code = make("select", { "aria-label": texts.code },
      ...Object.entries(rejections).map(([value, text]) => make("option", { value }, text)));
    const actions = make("p", { class: "pr-helpful" });
    const card = make("article", { class: "pr-comment" },
      make("p", { class: "pr-by" }, make("span", { class: "pr-hidden" }, texts.stars.replace("{n}", String(comment.rating))),
        make("span", { class: `pr-stars pr-s${comment.rating * 10}`, "aria-hidden": "true" }), " ",
        make("b", {}, comment.author ?? texts.anonymous), ` · ${comment.product.productId} · `,
        make("time", { datetime: comment.createdAt }, new Date(comment.createdAt).toLocaleString(this.language))),
      make("p", { class: "pr-note" }, [comment.stateReason, comment.reportCount ? `${texts.reported}: ${this.number(comment.reportCount)}` : ""].filter(Boolean).join(" · ")),
      make("h3", { lang: comment.language, dir: "auto" }, comment.title ?? ""),
      make("p", { class: "pr-text", lang: comment.language, dir: "auto" }, comment.text ?? ""),
      ...thumbnails(comment.photos, comment.author, texts), make("p", { class: "pr-decide" }, code, " ", reason), actions);
    card.querySelectorAll<HTMLAnchorElement>("a.pr-photo").forEach((link, i) => {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        show(link, texts, async () => card);
      });
      const button = make("button", { type: "button", "aria-label": texts.remove, title: texts.remove }, "✕");
      button.addEventListener("click", async () => {
        if (!confirm(texts.sure)) return;
        try {
          const data = await this.ask<any>(removePhoto, { input: { id, photoId: comment.photos[i].id, reason: reason.value || null } });
          version = data.removePhoto.comment.version;
          link.parentElement!.remove();
          reason.focus();
        } catch (error) {
          this.refused(error, card);
        }
      });
      link.after(button);
    });
    const act = (key: string, run: () => Promise<unknown>) => {
      const button = make("button", { type: "button" }, texts[key]);
      button.addEventListener("click", async () => {
        try {
          await run();
          if (key === "answer") return await this.say("answered", card);
          card.remove();
          if (this.list.querySelector("article")) return;
          this.next ? this.load(this.next) : this.sayIfEmpty(labels);
        } catch (error) {
          this.refused(error, card);
        }
      });
      actions.append(button, " ");
    };
    act("approve", () => this.ask(approve, { input: { id, expectedVersion: version, reason: reason.value || null } }));
    act("reject", () => this.ask(reject, {
      input: { id, expectedVersion: version, code: code.value, reason: reason.value || rejections[code.value] },
    }));
    act("answer", () => this.ask(reply, { input: { id, text: reason.value } }));
    return card;
  }
}

customElements.define("product-reviews-queue", ProductReviewsQueue);
