/** <product-reviews product="42" service="https://reviews.shop.example" token="…" lang="de">; docs/section.md has more. */
export {};
declare global {
  interface HTMLElementTagNameMap {
    "product-reviews": HTMLElement;
  }
}
