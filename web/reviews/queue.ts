// The custom element <product-reviews-queue token="…">: the comments that wait for a moderator.

import approve from "../../internal/site/reviews/operations/approve.graphql";
import queue from "../../internal/site/reviews/operations/queue.graphql";
import reject from "../../internal/site/reviews/operations/reject.graphql";
import reply from "../../internal/site/reviews/operations/reply.graphql";
import { Labels, Service, make } from "./service";

type Waiting = {
  id: string; version: number; product: { productId: string }; rating: number; language: string; title?: string;
  text?: string; author?: string; createdAt: string; state: string; stateReason?: string; reportCount?: number;
};

class ProductReviewsQueue extends Service {
  private state = "PENDING";

  connectedCallback(): void {
    this.replaceChildren(make("section", { class: "pr-root" }, make("div", { class: "pr" })));
    this.load();
  }

  private async load(after?: string): Promise<void> {
    const place = this.querySelector(".pr")!;
    const labels = await this.texts();
    try {
      const { moderationQueue: list } = await this.ask<any>(queue, { state: this.state, after });
      if (after) place.querySelector(".pr-pages")?.remove();
      else place.replaceChildren(this.states(list.counts ?? [], labels));
      for (const comment of list.nodes) place.append(this.card(comment, labels));
      if (!after && !list.nodes.length) place.append(make("p", { class: "pr-note" }, labels.texts.nothingWaits));
      if (list.pageInfo.hasNextPage) {
        const more = make("button", { type: "button" }, labels.texts.next);
        more.addEventListener("click", () => this.load(list.pageInfo.endCursor));
        place.append(make("p", { class: "pr-pages" }, more));
      }
    } catch (error) {
      this.refused(error, place);
    }
  }

  private states(counts: { state: string; count: number }[], { texts }: Labels): HTMLElement {
    const row = make("p", { class: "pr-controls" });
    for (const { state, count } of counts) {
      const button = make("button", { type: "button", "aria-pressed": String(state === this.state) },
        `${texts["queue" + state] ?? state} ${count.toLocaleString(this.language)}`);
      button.addEventListener("click", () => {
        this.state = state;
        this.load();
      });
      row.append(button, " ");
    }
    return row;
  }

  private card(comment: Waiting, { texts, rejections }: Labels): HTMLElement {
    const { id, version } = comment;
    const reason = make("input", { "aria-label": texts.reason, placeholder: texts.reason, maxlength: "500" });
    const code = make("select", { "aria-label": texts.code },
      ...Object.entries(rejections).map(([value, text]) => make("option", { value }, text)));
    const actions = make("p", { class: "pr-helpful" });
    const card = make("article", { class: "pr-comment" },
      make("p", { class: "pr-by" }, make("span", { class: "pr-hidden" }, texts.stars.replace("{n}", String(comment.rating))),
        make("span", { class: `pr-stars pr-s${comment.rating * 10}`, "aria-hidden": "true" }), " ",
        make("b", {}, comment.author ?? texts.anonymous), ` · ${comment.product.productId} · `,
        make("time", { datetime: comment.createdAt }, new Date(comment.createdAt).toLocaleString(this.language))),
      make("p", { class: "pr-note" }, [comment.stateReason, comment.reportCount ? `${texts.reported}: ${comment.reportCount}` : ""].filter(Boolean).join(" · ")),
      make("h3", { lang: comment.language, dir: "auto" }, comment.title ?? ""),
      make("p", { class: "pr-text", lang: comment.language, dir: "auto" }, comment.text ?? ""),
      make("p", { class: "pr-decide" }, code, " ", reason), actions);
    const act = (key: string, run: () => Promise<unknown>) => {
      const button = make("button", { type: "button" }, texts[key]);
      button.addEventListener("click", async () => {
        try {
          await run();
          key === "answer" ? this.say("answered", card) : card.remove();
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
