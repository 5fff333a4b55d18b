// Photos of comments: links to them, and the dialog that shows them with their comments.

import { Texts, make } from "./service";

export type Photo = {
  id: string; width: number; height: number; placeholder: string; description?: string | null; small?: string; medium?: string; large?: string;
};

// colour shows the colours of a picture until it is there. A Content-Security-Policy permits this, and
// no style in HTML.
export function colour(element: HTMLElement, colours = element.dataset.colours): void {
  const all = colours?.match(/[0-9a-f]{3}/g);
  if (all) element.style.background = `linear-gradient(#${all.join(",#")})`;
}

// thumbnails returns links to photos, as the server makes them.
export function thumbnails(photos: Photo[], author: string | undefined, texts: Texts): HTMLElement[] {
  const all = photos.filter((p) => p.small).map((p) => {
    const image = make("img", {
      src: p.small!, srcset: `${p.small} 160w, ${p.medium} 480w`, sizes: "96px", width: "96", height: "96", loading: "lazy",
      alt: p.description || texts.photoBy.replace("{author}", author || texts.anonymous),
    });
    colour(image, p.placeholder);
    const link = make("a", { class: "pr-photo", href: p.large!, "data-width": String(p.width), "data-height": String(p.height), "data-colours": p.placeholder }, image);
    return make("li", {}, link);
  });
  return all.length ? [make("ul", { class: "pr-photos" }, ...all)] : [];
}

// show opens the dialog with a photo, from which the others of its list can be reached. article returns
// the comment of a photo.
export function show(link: HTMLAnchorElement, texts: Texts, article: (link: HTMLAnchorElement) => Promise<Element | null | undefined>): void {
  const all = [...link.closest("ul")!.querySelectorAll<HTMLAnchorElement>("a.pr-photo")];
  let at = 0;
  const figure = make("figure"), says = make("p", { class: "pr-n", role: "status" }), side = make("div", { class: "pr-side" });
  const button = (label: string, sign: string, run: () => void) => {
    const made = make("button", { type: "button", class: "pr-step", "aria-label": label, title: label }, sign);
    made.addEventListener("click", run);
    return made;
  };
  const steps = all.length > 1 ? [button(texts.previous, "←", () => turn(-1)), says, button(texts.next, "→", () => turn(1))] : [];
  const dialog = make("dialog", { class: "pr-dialog", "aria-label": texts.photos },
    make("div", { class: "pr-steps" }, ...steps, button(texts.close, "✕", () => dialog.close())), figure, side);
  const turn = async (by: number) => {
    at = (at + by + all.length) % all.length;
    const photo = all[at], small = photo.querySelector("img")!, { width = "4", height = "3" } = photo.dataset;
    const image = make("img", { src: photo.href, alt: small.alt, width, height, draggable: "false" });
    image.style.setProperty("--ratio", String(Number(width) / Number(height)));
    colour(image, small.dataset.colours ?? photo.dataset.colours);
    figure.replaceChildren(image);
    says.textContent = `${at + 1} / ${all.length}`;
    const comment = await article(photo);
    if (photo !== all[at]) return;
    side.replaceChildren(...[...comment?.querySelectorAll(":scope > header, :scope > div, :scope > .pr-by, :scope > h3, :scope > .pr-text") ?? []].map((part) => part.cloneNode(true)));
  };
  const rtl = () => getComputedStyle(dialog).direction === "rtl" ? -1 : 1;
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowRight" || key === "ArrowLeft") turn(key === "ArrowRight" ? rtl() : -rtl());
  });
  let from = 0;
  figure.addEventListener("pointerdown", (event) => from = event.clientX);
  figure.addEventListener("pointerup", ({ clientX }) => Math.abs(clientX - from) > 40 && turn(clientX < from ? rtl() : -rtl()));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  link.closest(".pr")!.append(dialog);
  turn(all.indexOf(link));
  dialog.showModal();
}
