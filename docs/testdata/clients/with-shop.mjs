import { client } from "./apollo.js";
import { same } from "./same.mjs";
import { show, write } from "./shop.mjs";

let product;
let changed = () => {};
const page = show("42", (now) => {
  product = now;
  changed();
});
const until = (done) =>
  new Promise((resolve) => {
    changed = () => done() && resolve();
    changed();
  });
await until(() => product?.comments.edges.length === 20);
await page.more();
await until(() => product.comments.edges.length === 40);
same("a count", product.stats.totalCount, 50);

const wrong = await write(process.env.TOKEN, { productId: "42", rating: 9, language: "en" });
same("a wrong review", wrong.error.errors.map((e) => [e.extensions.field, e.extensions.reason]), [["rating", "OUT_OF_RANGE"]]);
const { data } = await write(process.env.TOKEN, { productId: "42", rating: 3, language: "en", title: "New" });
same("a review", data.createComment.comment.state, "PUBLISHED");
await until(() => product.comments.edges[0].node.title === "New");
same("what is shown", [product.comments.edges.length, product.stats.totalCount], [20, 51]);
page.stop();
client.stop();
