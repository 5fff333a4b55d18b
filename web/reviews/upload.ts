// The custom element <product-reviews-photos> of a form: photos that a person adds to a comment. What
// was uploaded is kept in the tab, so it survives a form that is refused and a page that is loaded again.

import { Photo, colour } from "./photos";
import { Refused, Service, Texts, make } from "./service";

const most = 6; // photos of a comment
const widest = 1600; // pixels that the server keeps

type Item = { photo?: Photo; file?: File; request?: XMLHttpRequest; place: HTMLElement; description: HTMLInputElement };

// scaled returns a picture as the server keeps it; the file itself if that is small enough, or if the
// browser cannot read it.
async function scaled(file: File): Promise<Blob> {
  try {
    const picture = await createImageBitmap(file);
    const canvas = make("canvas"), scale = widest / picture.width;
    if (scale >= 1) return file;
    [canvas.width, canvas.height] = [widest, Math.round(picture.height * scale)];
    const pen = canvas.getContext("2d")!;
    pen.fillStyle = "#fff"; // below what is transparent
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return await new Promise<Blob>((done) => canvas.toBlob((blob) => done(blob ?? file), "image/jpeg", 0.85));
  } catch {
    return file;
  }
}

export class Photos extends Service {
  private items: Item[] = [];
  private work: Promise<unknown> = Promise.resolve(); // one picture after the other, which bounds memory
  private list = make("ol", { class: "pr-uploads" });
  private field = make("input", { type: "hidden", name: "photos" }); // empty if nothing was changed
  private says: Texts = {};

  protected override get token(): string {
    return this.closest("product-reviews")?.getAttribute("token") || this.closest("form")?.querySelector<HTMLInputElement>("[name=token]")?.value || "";
  }
  protected override get language(): string { return this.closest<HTMLElement>(".pr-root, [lang]")?.lang || super.language; }
  private get draft(): string { return `pr-photos ${location.pathname} ${this.getAttribute("of") ?? ""}`; }

  async connectedCallback(): Promise<void> {
    if (this.firstChild) return;
    const choose = make("input", { type: "file", accept: "image/*", multiple: "" });
    const box = make("fieldset", {});
    this.append(box);
    const { texts } = await this.texts();
    this.says = texts;
    box.append(make("legend", {}, texts.photos), this.list, make("label", { class: "pr-choose" }, texts.addPhotos, choose),
      make("p", { class: "pr-note" }, texts.photosHint), this.field);
    choose.addEventListener("change", () => {
      this.add(choose.files!);
      choose.value = "";
    });
    for (const name of ["dragover", "dragleave", "drop"]) {
      box.addEventListener(name, (event) => {
        event.preventDefault();
        box.classList.toggle("pr-over", name === "dragover");
        if (name === "drop") this.add((event as DragEvent).dataTransfer!.files);
      });
    }
    const form = this.closest("form")!;
    form.addEventListener("paste", ({ clipboardData }) => this.add(clipboardData!.files));
    // What is still on its way, or failed, must not be lost: the form waits.
    form.addEventListener("submit", (event) => {
      const late = this.items.find((item) => !item.photo);
      if (!late) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const again = late.place.querySelector<HTMLElement>("[data-retry]");
      again ? again.focus() : this.work.then(() => form.requestSubmit());
    }, { capture: true });
    const query = new URLSearchParams(location.search);
    if (this.hasAttribute("invitation") && query.has("sent")) { // once, not after the next change
      this.sent();
      query.delete("sent");
      history.replaceState(null, "", `?${query}`);
    }
    const kept = sessionStorage.getItem(this.draft);
    for (const photo of JSON.parse(kept ?? this.getAttribute("photos") ?? "null") ?? []) this.item({ photo });
    if (kept) this.save();
  }

  // sent forgets what was kept, because the comment has it.
  sent(): void { sessionStorage.removeItem(this.draft); }

  private add(files: FileList): void {
    for (const file of files) if (file.type.startsWith("image/") && this.items.length < most) this.upload(this.item({ file }));
  }

  private item(of: { photo?: Photo; file?: File }): Item {
    const { says: texts } = this;
    const description = make("input", { maxlength: "250" });
    const item: Item = { ...of, description, place: make("li") };
    description.value = of.photo?.description ?? "";
    description.addEventListener("input", () => this.save());
    const act = (label: string, sign: string, run: () => void) => {
      const button = make("button", { type: "button", "aria-label": label, title: label }, sign);
      button.addEventListener("click", () => {
        const at = this.items.indexOf(item);
        run();
        this.save();
        const near = this.items.includes(item) ? item : this.items[Math.min(at, this.items.length - 1)];
        (near ? button.isConnected && !button.disabled ? button : near.place.querySelector<HTMLElement>("button:enabled") : this.querySelector<HTMLElement>("[type=file]"))?.focus();
      });
      return button;
    };
    const move = (by: number) => {
      const at = this.items.indexOf(item);
      this.items.splice(at, 1);
      this.items.splice(at + by, 0, item);
      this.list.replaceChildren(...this.items.map(({ place }) => place));
    };
    item.place.append(make("span", { class: "pr-photo" }), make("div", {}, make("label", {}, texts.describePhoto, description),
      act(texts.up, "↑", () => move(-1)), " ", act(texts.down, "↓", () => move(1)), " ", act(texts.remove, "✕", () => {
        item.request?.abort();
        this.items = this.items.filter((other) => other !== item);
        item.place.remove();
      })));
    this.items.push(item);
    this.list.append(item.place);
    this.picture(item);
    this.order();
    return item;
  }

  private picture({ place, photo }: Item): void {
    const frame = place.querySelector<HTMLElement>(".pr-photo")!;
    if (!photo) return;
    colour(frame, photo.placeholder);
    frame.replaceChildren(make("img", { src: photo.small ?? "", alt: "", width: "96", height: "96" }));
  }

  private order(): void {
    this.items.forEach(({ place }, i) => {
      const [up, down] = place.querySelectorAll<HTMLButtonElement>("div > button");
      [up.disabled, down.disabled] = [i === 0, i === this.items.length - 1];
    });
    this.querySelector<HTMLInputElement>("[type=file]")!.disabled = this.items.length >= most;
  }

  private save(): void {
    this.order();
    const photos = this.items.filter(({ photo }) => photo).map(({ photo, description }) => ({ ...photo!, description: description.value.trim() || null }));
    this.field.value = JSON.stringify(photos.map(({ id, description }) => ({ id, description })));
    sessionStorage.setItem(this.draft, JSON.stringify(photos));
  }

  private upload(item: Item): void {
    const { says: texts } = this, frame = item.place.querySelector(".pr-photo")!;
    const progress = make("progress", { max: "1", "aria-label": texts.uploading });
    frame.replaceChildren(progress);
    item.place.querySelector(".pr-error")?.remove();
    this.work = this.work.then(async () => {
      if (!this.items.includes(item)) return;
      try {
        const answer = await this.post(await scaled(item.file!), item, progress);
        item.photo = { ...answer, id: answer.photoId, small: answer.url };
        this.picture(item);
        this.save();
      } catch (error) {
        const { errors } = await this.texts();
        const code = error instanceof Refused ? error.problems[0]?.extensions?.code ?? "" : "UNAVAILABLE";
        const again = make("button", { type: "button", "data-retry": "" }, texts.retry);
        again.addEventListener("click", () => {
          this.upload(item);
          item.description.focus();
        });
        frame.replaceChildren("!");
        item.place.lastElementChild!.append(make("span", { class: "pr-error", role: "alert" },
          (code === "BAD_USER_INPUT" ? texts.photoRefused : errors[code] ?? errors.INTERNAL) + " ", again));
      }
    });
  }

  private post(body: Blob, item: Item, progress: HTMLProgressElement): Promise<Photo & { photoId: string; url: string }> {
    return new Promise((done, fail) => {
      const request = item.request = new XMLHttpRequest(), invitation = this.getAttribute("invitation");
      request.open("POST", `${this.base}/photos${invitation ? "?invitation=" + encodeURIComponent(invitation) : ""}`);
      request.responseType = "json";
      request.withCredentials = this.base !== location.origin;
      if (this.token) request.setRequestHeader("Authorization", `Bearer ${this.token}`);
      request.setRequestHeader("Content-Type", body.type);
      request.upload.addEventListener("progress", ({ loaded, total }) => progress.value = loaded / (total || 1));
      request.addEventListener("load", () => request.status === 201 ? done(request.response) : fail(new Refused(request.response?.errors ?? [])));
      for (const name of ["error", "abort"]) request.addEventListener(name, fail);
      request.send(body);
    });
  }
}

customElements.get("product-reviews-photos") || customElements.define("product-reviews-photos", Photos);
